"""The Boost Phase: secret choices, and their reveal."""

from engines.kit.structs import Move
from engines.kit.violation import Violation
from engines.monster_mash_up import violations
from engines.monster_mash_up.card_set import MonsterMashUpCards
from engines.monster_mash_up.checkpoint import check_point
from engines.monster_mash_up.events import ChangeReason, ChoiceCommitted, ChoicesRevealed
from engines.monster_mash_up.moves import Boost, Defend, Panic
from engines.monster_mash_up.reset import end_battle
from engines.monster_mash_up.state import DICE, MOST_FINGERS, SEATS, BoostChoice, BoostKind, MashUpTable, MonsterMashUpState, SeatState, WindowStep
from engines.monster_mash_up.tracks import change_energy, lose_life, roll

CHOICES: tuple[Move, ...] = (*[Boost(fingers) for fingers in range(MOST_FINGERS + 1)], Defend(), Panic())

DEFEND = BoostChoice(BoostKind.DEFEND, 0)
PANIC = BoostChoice(BoostKind.PANIC, 0)


def choosers(state: MonsterMashUpState) -> list[int]:
    """List the seats that have not chosen yet (BOOST-1)."""
    return [seat for seat in state.asked_seats if state.seat(seat).marks.choice is None]


def boost_violation(own: SeatState, fingers: int) -> Violation | None:
    """Judge a Boost (BOOST-2, BOOST-3)."""
    if not 0 <= fingers <= MOST_FINGERS:
        return violations.FINGERS_OUT_OF_RANGE
    return None if fingers <= own.energy else violations.NO_ENERGY_FOR_BOOST


def boost(fingers: int) -> BoostChoice:
    """Make the choice Boost."""
    return BoostChoice(BoostKind.BOOST, fingers)


def choose(table: MashUpTable, seat: int, choice: BoostChoice) -> None:
    """Choose in secret: nothing is paid, and nobody learns more than that (BOOST-1)."""
    table.state.seat(seat).marks.choice = choice
    table.emit(ChoiceCommitted(seat))


def reveal(table: MashUpTable, cards: MonsterMashUpCards) -> None:
    """Reveal the choices: payments and gains, Panic against Defend, the Panic re-roll, the checkpoint (BOOST-9)."""
    state = table.state
    choices = tuple([own.marks.choice for own in state.seats if own.marks.choice is not None])
    table.emit(ChoicesRevealed(choices))
    for seat, choice in zip(SEATS, choices, strict=True):
        if choice.kind is BoostKind.BOOST:
            change_energy(table, seat, -choice.fingers, ChangeReason.BOOST)  # BOOST-3
        elif choice.kind is BoostKind.DEFEND:
            change_energy(table, seat, cards.fronts[state.seat(seat).front].intelligence, ChangeReason.DEFEND)  # BOOST-5
    if PANIC in choices and DEFEND in choices:  # BOOST-7
        loser = SEATS[choices.index(PANIC)]
        lose_life(table, loser, state.seat(loser).life, ChangeReason.PANIC)
        end_battle(table, (loser,), ChangeReason.PANIC)
        return
    if PANIC in choices:  # BOOST-6, BOOST-8
        for seat in SEATS:
            roll(table, seat, DICE, ChangeReason.PANIC)
    state.step = WindowStep([], 1)
    check_point(table, cards)
