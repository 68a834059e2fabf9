"""The Roll Phase: the first roll of a round, and the turns."""

from engines.kit.structs import Move
from engines.kit.violation import Violation
from engines.monster_mash_up import violations
from engines.monster_mash_up.card_set import MonsterMashUpCards
from engines.monster_mash_up.checkpoint import check_point
from engines.monster_mash_up.events import BoostPhaseStarted, ChangeReason, Passed, RoundStarted
from engines.monster_mash_up.moves import PassTurn, RerollBoth, RerollOne
from engines.monster_mash_up.powers import uses_of
from engines.monster_mash_up.state import DICE, SEATS, BoostStep, Marks, MashUpTable, MonsterMashUpState, RollStep, SeatState, rival_of
from engines.monster_mash_up.tracks import change_energy, roll

PRICE_OF_BOTH = 1
PRICE_OF_ONE = 2

_REROLLS: tuple[Move, ...] = (RerollBoth(), *[RerollOne(die) for die in DICE])


def start_round(table: MashUpTable, cards: MonsterMashUpCards) -> None:
    """Start a round: all roll, and the lower Attack has the first turn (ROLL-1, ROLL-3)."""
    state = table.state
    state.round += 1
    for own in state.seats:
        own.marks = Marks()
    table.emit(RoundStarted(state.battle, state.round, state.arena))
    for seat in SEATS:
        roll(table, seat, DICE, ChangeReason.INITIAL)
    state.step = RollStep(_first_turn(state, cards), 0)
    check_point(table, cards)


def _first_turn(state: MonsterMashUpState, cards: MonsterMashUpCards) -> int:
    # ROLL-3, ROLL-4: the lower Attack, then the faster monster, then seat 1.
    return min(SEATS, key=lambda seat: (state.seat(seat).attack, -cards.backs[state.seat(seat).back].speed, seat))


def turns_of(own: SeatState, cards: MonsterMashUpCards) -> list[Move]:
    """List what a turn can be, legal or not."""
    return [*_REROLLS, *uses_of(own, cards), PassTurn()]


def both_violation(own: SeatState) -> Violation | None:
    """Judge a re-roll of both dice (ROLL-5)."""
    return None if own.energy >= PRICE_OF_BOTH else violations.NO_ENERGY_FOR_BOTH


def one_violation(own: SeatState, die: int) -> Violation | None:
    """Judge a re-roll of one die (ROLL-5)."""
    if die not in DICE:
        return violations.BAD_DIE
    return None if own.energy >= PRICE_OF_ONE else violations.NO_ENERGY_FOR_ONE


def reroll(table: MashUpTable, seat: int, dice: tuple[int, ...], cards: MonsterMashUpCards) -> None:
    """Pay for a re-roll of both dice or of one (ROLL-5)."""
    state = table.state
    change_energy(table, seat, -(PRICE_OF_BOTH if len(dice) > 1 else PRICE_OF_ONE), ChangeReason.REROLL)
    state.seat(seat).marks.rerolls += 1
    roll(table, seat, dice, ChangeReason.REROLL)
    state.step = RollStep(rival_of(seat), 0)  # ROLL-6
    check_point(table, cards)


def pass_turn(table: MashUpTable, seat: int, step: RollStep) -> None:
    """Pass; the second pass in a row ends the phase (ROLL-7)."""
    state = table.state
    table.emit(Passed(seat))
    if step.passes:
        table.emit(BoostPhaseStarted(state.round))
        state.step = BoostStep()
    else:
        state.step = RollStep(rival_of(seat), 1)
