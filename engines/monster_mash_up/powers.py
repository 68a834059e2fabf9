"""Using a monster's power or a scientist, on a turn of the Roll Phase or in the damage window."""

from engines.kit.structs import Move
from engines.kit.violation import Violation
from engines.monster_mash_up import violations
from engines.monster_mash_up.card_set import Ability, MonsterMashUpCards, Power, Timing
from engines.monster_mash_up.checkpoint import check_point
from engines.monster_mash_up.effects import carry_out
from engines.monster_mash_up.events import ChangeReason, DiscRemoved, PowerUsed, ScientistUsed
from engines.monster_mash_up.moves import UsePower, UseScientist
from engines.monster_mash_up.state import MashUpTable, MonsterMashUpState, RollStep, SeatState, WindowStep, rival_of
from engines.monster_mash_up.tracks import change_energy, lose_life
from engines.monster_mash_up.vocabulary import Target


def power_of(own: SeatState, cards: MonsterMashUpCards) -> Power:
    """Return the Then of a seat's monster."""
    return cards.backs[own.back].power


def ability_of(own: SeatState, cards: MonsterMashUpCards) -> Ability:
    """Return the ability of the side that a seat's scientist shows (SCI-1)."""
    return cards.abilities[own.scientist, own.side]


def uses_of(own: SeatState, cards: MonsterMashUpCards) -> list[Move]:
    """List every use of a seat's power and scientist, legal or not, one a target."""
    powers: list[Move] = [UsePower(*target) for target in power_of(own, cards).targets]
    return powers + [UseScientist(*target) for target in ability_of(own, cards).power.targets]


def power_violation(state: MonsterMashUpState, seat: int, target: Target, cards: MonsterMashUpCards) -> Violation | None:
    """Judge a use of the power (POW-3, POW-5, POW-7)."""
    own = state.seat(seat)
    power = power_of(own, cards)
    if not own.marks.disc:
        return violations.NO_ACTIVATION_DISC
    if power.is_about_dice and not isinstance(state.step, RollStep):
        return violations.POWER_NOT_NOW
    return _target_violation(power, target)


def scientist_violation(state: MonsterMashUpState, seat: int, target: Target, cards: MonsterMashUpCards) -> Violation | None:
    """Judge a use of the scientist (SCI-2 to SCI-4, POW-7)."""
    own = state.seat(seat)
    ability = ability_of(own, cards)
    if own.marks.scientist_used:
        return violations.SCIENTIST_USED
    if ability.timing is not (Timing.ROLL if isinstance(state.step, RollStep) else Timing.DAMAGE):
        return violations.SCIENTIST_NOT_NOW
    if own.energy < ability.energy:
        return violations.NO_ENERGY_FOR_SCIENTIST
    if own.life < ability.life:
        return violations.NO_LIFE_FOR_SCIENTIST
    return _target_violation(ability.power, target)


def _target_violation(power: Power, target: Target) -> Violation | None:
    """Judge the dice named, and blame the first that no target has: of two that only do not go together, neither is to blame (POW-7)."""
    if target in power.targets:
        return None
    own_dice, opponent_dice = zip(*power.targets, strict=True)
    if target[0] not in own_dice:
        return violations.BAD_OWN_DIE
    return violations.BAD_TARGET if target[1] in opponent_dice else violations.BAD_OPPONENT_DIE


def use_power(table: MashUpTable, seat: int, target: Target, cards: MonsterMashUpCards) -> None:
    """Use the power: the disc is spent (POW-3)."""
    own = table.state.seat(seat)
    table.emit(PowerUsed(seat, *target))
    own.marks.disc = False
    table.emit(DiscRemoved(seat, used=True))
    carry_out(table, seat, power_of(own, cards), target, ChangeReason.POWER, cards)
    _go_on(table, seat, cards)


def use_scientist(table: MashUpTable, seat: int, target: Target, cards: MonsterMashUpCards) -> None:
    """Use the scientist: the cost first (SCI-4)."""
    own = table.state.seat(seat)
    ability = ability_of(own, cards)
    table.emit(ScientistUsed(seat, *target))
    own.marks.scientist_used = True
    change_energy(table, seat, -ability.energy, ChangeReason.SCIENTIST)
    lose_life(table, seat, ability.life, ChangeReason.SCIENTIST)
    carry_out(table, seat, ability.power, target, ChangeReason.SCIENTIST, cards)
    _go_on(table, seat, cards)


def _go_on(table: MashUpTable, seat: int, cards: MonsterMashUpCards) -> None:
    """A use is a turn of the Roll Phase (ROLL-6); in the window it makes a new offer. Then comes a checkpoint."""
    state = table.state
    state.step = WindowStep([], state.step.offer + 1) if isinstance(state.step, WindowStep) else RollStep(rival_of(seat), 0)
    check_point(table, cards)
