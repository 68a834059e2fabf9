"""What the effects of powers and scientists do ("Vocabulary" in RULES.md)."""

from engines.monster_mash_up.card_set import MonsterMashUpCards, Power
from engines.monster_mash_up.events import Bonus, BonusAdded, ChangeReason
from engines.monster_mash_up.state import DICE, Marks, MashUpTable, rival_of
from engines.monster_mash_up.tracks import change_energy, heal, lose_life, roll, turn_die
from engines.monster_mash_up.vocabulary import (
    AttackBonus,
    DamageBonus,
    DrainEnergy,
    Effect,
    Flip,
    GainEnergy,
    Heal,
    Hurt,
    Reroll,
    SetFace,
    Shield,
    Shift,
    Swap,
    Target,
)


def carry_out(table: MashUpTable, seat: int, power: Power, target: Target, reason: ChangeReason, cards: MonsterMashUpCards) -> None:
    """Carry out all effects of a power or an ability, in order (POW-8)."""
    for effect in power.effects:
        _carry_out(table, seat, effect, target, reason, cards)


def _carry_out(  # noqa: C901 - one case a word of the vocabulary
    table: MashUpTable, seat: int, effect: Effect, target: Target, reason: ChangeReason, cards: MonsterMashUpCards
) -> None:
    rival = rival_of(seat)
    own_die, opponent_die = target
    owner, die = (seat, own_die) if own_die else (rival, opponent_die)
    match effect:
        case Reroll(side, "both"):
            roll(table, seat if side == "own" else rival, DICE, reason)
        case Reroll():
            roll(table, owner, (die,), reason)
        case Flip():
            turn_die(table, owner, die, opposite(_face(table, owner, die)), reason)
        case SetFace(face):
            turn_die(table, owner, die, face, reason)
        case Shift(_, by):
            turn_die(table, owner, die, shifted(_face(table, owner, die), by), reason)
        case Swap():
            own_face, opponent_face = _face(table, seat, own_die), _face(table, rival, opponent_die)
            turn_die(table, seat, own_die, opponent_face, reason)
            turn_die(table, rival, opponent_die, own_face, reason)
        case GainEnergy(amount):
            change_energy(table, seat, amount, reason)
        case DrainEnergy(amount):
            change_energy(table, rival, -amount, reason)
        case Heal(amount):
            heal(table, seat, amount, reason, cards)
        case Hurt(amount):
            lose_life(table, rival, amount, reason)
        case AttackBonus() | DamageBonus() | Shield():
            table.emit(BonusAdded(seat, add_bonus(table.state.seat(seat).marks, effect), effect.amount))


def add_bonus(marks: Marks, effect: AttackBonus | DamageBonus | Shield) -> Bonus:
    """Add a bonus to a seat's marks of the round, and say which."""
    match effect:
        case AttackBonus(amount):
            marks.attack_bonus += amount
            return Bonus.ATTACK_BONUS
        case DamageBonus(amount):
            marks.damage_bonus += amount
            return Bonus.DAMAGE_BONUS
        case Shield(amount):
            marks.shield += amount
            return Bonus.SHIELD


def opposite(face: int) -> int:
    """Return the face on the other side of a die."""
    return 7 - face


def shifted(face: int, by: int) -> int:
    """Return a face moved up or down, kept within 1 to 6."""
    return min(6, max(1, face + by))


def _face(table: MashUpTable, seat: int, die: int) -> int:
    return table.state.seat(seat).marks.dice[die - 1]
