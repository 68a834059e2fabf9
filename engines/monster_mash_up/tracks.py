"""Life, Energy and the dice: every change of them, within their limits, with its event."""

from engines.monster_mash_up.card_set import MonsterMashUpCards
from engines.monster_mash_up.events import ChangeReason, DiceRolled, DieChanged, EnergyChanged, LifeChanged
from engines.monster_mash_up.state import MOST_ENERGY, MashUpTable

_FACES = 6


def change_energy(table: MashUpTable, seat: int, delta: int, reason: ChangeReason) -> None:
    """Let a seat gain or lose Energy, from 0 to 8 (EN-1)."""
    own = table.state.seat(seat)
    energy = min(MOST_ENERGY, max(0, own.energy + delta))
    if energy != own.energy:
        table.emit(EnergyChanged(seat, energy - own.energy, energy, reason))
        own.energy = energy


def lose_life(table: MashUpTable, seat: int, amount: int, reason: ChangeReason) -> None:
    """Take Life from a seat's monster, down to 0 (LIFE-1); it does not die here."""
    _set_life(table, seat, max(0, table.state.seat(seat).life - amount), reason)


def heal(table: MashUpTable, seat: int, amount: int, reason: ChangeReason, cards: MonsterMashUpCards) -> None:
    """Give Life to a seat's monster, up to what is printed on it; nothing to one at 0 (LIFE-1)."""
    own = table.state.seat(seat)
    if own.life:
        _set_life(table, seat, min(cards.fronts[own.front].life, own.life + amount), reason)


def _set_life(table: MashUpTable, seat: int, life: int, reason: ChangeReason) -> None:
    own = table.state.seat(seat)
    if life != own.life:
        table.emit(LifeChanged(seat, life - own.life, life, reason))
        own.life = life


def roll(table: MashUpTable, seat: int, dice: tuple[int, ...], reason: ChangeReason) -> None:
    """Roll some of a seat's Attack Dice, in their order."""
    marks = table.state.seat(seat).marks
    if not marks.dice:
        marks.dice = [0, 0]
    for die in dice:
        marks.dice[die - 1] = table.rng.below(_FACES, f"seat {seat} die {die}") + 1
    table.emit(DiceRolled(seat, dice, tuple(marks.dice), reason))


def turn_die(table: MashUpTable, seat: int, die: int, face: int, reason: ChangeReason) -> None:
    """Turn a die to a face."""
    dice = table.state.seat(seat).marks.dice
    before = dice[die - 1]
    if face != before:
        dice[die - 1] = face
        table.emit(DieChanged(seat, die, before, face, reason))
