"""The house bot ``keen``: weighs each legal move by what its seat can see. Whole numbers; ties are drawn.

It makes sturdy monsters, re-rolls what is likely to get better, keeps its bonuses for the damage window, and chooses in the Boost Phase by the mean over
what the other seat may choose: Dr. Entropy by his table, anybody else anything it can pay.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from engines.kit.cards import load_card_sets
from engines.kit.chance import Chance
from engines.kit.structs import Decision, Move, View
from engines.monster_mash_up.boosting import DEFEND, PANIC, boost
from engines.monster_mash_up.card_set import MonsterMashUpCards, Power, build_card_set
from engines.monster_mash_up.effects import opposite, shifted
from engines.monster_mash_up.moves import Boost, ChooseScientist, Defend, MakeMonster, Panic, PassTurn, RerollBoth, RerollOne, UsePower, UseScientist
from engines.monster_mash_up.state import MOST_ENERGY, MOST_FINGERS, BoostChoice, BoostKind, GameMode, rival_of
from engines.monster_mash_up.view import MonsterMashUpView, MonsterView, SeatView
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

# What things are worth, a point of Attack being 2: a die's mean is then whole.
_ENERGY = 2
_LIFE = 3
_BATTLE = 60

_FACES = range(1, 7)
_MEAN_DIE = 7
_FEW_LIVES = 3


def keen_bot(view: View, decision: Decision, moves: Sequence[Move], rng: Chance) -> Move:
    """Choose a move of the greatest weight."""
    if not isinstance(view, MonsterMashUpView):
        raise TypeError("this bot plays Monster Mash-Up")
    table = _Table(view, decision, _card_sets()[view.card_set])
    weights = [table.weigh(move) for move in moves]
    best = max(weights)
    return rng.pick([move for move, weight in zip(moves, weights, strict=True) if weight == best], "keen bot")


@cache
def _card_sets() -> dict[str, MonsterMashUpCards]:
    return load_card_sets(Path(__file__).parent / "cards", build_card_set)


class _Side(NamedTuple):
    """What counts of a seat when damage is dealt."""

    life: int
    total: int
    special_attack: int
    speed: int
    damage_bonus: int
    shield: int
    defends: bool


class _Table:
    """The table as the bot's seat sees it."""

    def __init__(self, view: MonsterMashUpView, decision: Decision, cards: MonsterMashUpCards) -> None:
        self._cards = cards
        self._mode = view.mode
        self._level = view.arena_level
        self._own: SeatView = view.seats[decision.as_seat - 1]
        self._rival: SeatView = view.seats[rival_of(decision.as_seat) - 1]
        self._in_window = decision.kind == "DAMAGE_WINDOW"

    def weigh(self, move: Move) -> int:  # noqa: C901 - one case a move
        """Weigh a legal move. A point of Attack is 2, so passing is better than what changes nothing, and worse than any gain."""
        match move:
            case PassTurn():
                return 1
            case RerollBoth():
                return _MEAN_DIE * 2 - 2 * sum(self._own.dice) - _ENERGY
            case RerollOne(die):
                return _MEAN_DIE - 2 * self._own.dice[die - 1] - 2 * _ENERGY
            case UsePower(own_die, opponent_die):
                return self._weigh_use(self._cards.backs[_monster(self._own).back].power, (own_die, opponent_die))
            case UseScientist(own_die, opponent_die):
                return self._weigh_scientist((own_die, opponent_die))
            case Boost(fingers):
                return self._weigh_choice(boost(fingers))
            case Defend():
                return self._weigh_choice(DEFEND)
            case Panic():
                return self._weigh_choice(PANIC)
            case MakeMonster(front, back):
                return self._weigh_monster(front, back)
            case ChooseScientist(scientist):
                return _LIKED.index(scientist) if scientist in _LIKED else -1
        return 0

    # ---- monsters

    def _weigh_monster(self, front: str, back: str) -> int:
        head, tail = self._cards.fronts[front], self._cards.backs[back]
        energy = min(MOST_ENERGY, self._own.energy + head.intelligence) - self._own.energy
        return 2 * head.life + 2 * head.intelligence + energy + tail.speed // 8 - tail.special_attack

    # ---- powers and scientists

    def _weigh_scientist(self, target: Target) -> int:
        ability = self._cards.abilities[self._own.scientist, self._own.side]
        if ability.life and self._own.life - ability.life < _FEW_LIVES:
            return -1
        return self._weigh_use(ability.power, target) - _ENERGY * ability.energy - _LIFE * ability.life

    def _weigh_use(self, power: Power, target: Target) -> int:
        weight = sum(self._weigh_effect(effect, target) for effect in power.effects)
        return weight + (self._weigh_bonuses(power) if self._in_window else 0)

    def _weigh_effect(self, effect: Effect, target: Target) -> int:
        own_die, opponent_die = target
        own_face = self._own.dice[own_die - 1] if own_die else 0
        opponent_face = self._rival.dice[opponent_die - 1] if opponent_die else 0
        match effect:
            case Reroll(side, "both"):
                return 2 * (_MEAN_DIE - sum(self._own.dice)) if side == "own" else 2 * (sum(self._rival.dice) - _MEAN_DIE)
            case Reroll():
                return _MEAN_DIE - 2 * own_face if own_die else 2 * opponent_face - _MEAN_DIE
            case Flip():
                return _gain(own_face, opponent_face, opposite)
            case SetFace(face):
                return 2 * (face - own_face)
            case Shift(_, by):
                return _gain(own_face, opponent_face, lambda face: shifted(face, by))
            case Swap():
                return 4 * (opponent_face - own_face)
            case _:
                return self._weigh_tracks(effect)

    def _weigh_tracks(self, effect: Effect) -> int:
        match effect:
            case GainEnergy(amount):
                return _ENERGY * min(amount, MOST_ENERGY - self._own.energy)
            case DrainEnergy(amount):
                return _ENERGY * min(amount, self._rival.energy)
            case Heal(amount):
                return _LIFE * min(amount, self._cards.fronts[_monster(self._own).front].life - self._own.life)
            case Hurt(amount):
                return _LIFE * amount + (_BATTLE if amount >= self._rival.life else 0)
            case _:
                return 0

    def _weigh_bonuses(self, power: Power) -> int:
        own, rival = self._sides(self._own.choice or DEFEND, self._rival.choice or DEFEND)
        better = own
        for effect in power.effects:
            match effect:
                case AttackBonus(amount):
                    better = better._replace(total=better.total + amount)
                case DamageBonus(amount):
                    better = better._replace(damage_bonus=better.damage_bonus + amount)
                case Shield(amount):
                    better = better._replace(shield=better.shield + amount)
        return self._worth(better, rival) - self._worth(own, rival)

    # ---- the Boost Phase

    def _weigh_choice(self, choice: BoostChoice) -> int:
        """Sum up over what the other seat may choose, by its weight."""
        price = _ENERGY * self._energy_of(choice)
        return sum(weight * (self._weigh_meeting(choice, other) + price) for other, weight in self._other_choices())

    def _energy_of(self, choice: BoostChoice) -> int:
        if choice.kind is not BoostKind.DEFEND:
            return -choice.fingers
        return min(MOST_ENERGY - self._own.energy, self._cards.fronts[_monster(self._own).front].intelligence)

    def _other_choices(self) -> Iterator[tuple[BoostChoice, int]]:
        energy = self._rival.energy
        most = min(MOST_FINGERS, energy)
        if self._mode is GameMode.DUEL:
            yield from ((choice, 1) for choice in [*map(boost, range(most + 1)), DEFEND, PANIC])
        elif energy >= 2:  # SOLO-8, in eighteenths
            yield from ((boost(min(face, most)), 3) for face in range(1, 5))
            yield from ((choice, 2) for choice in (DEFEND, boost(most), PANIC))
        else:  # SOLO-9
            yield from ((boost(0), 3), (DEFEND, 9), (PANIC, 6))

    def _weigh_meeting(self, choice: BoostChoice, other: BoostChoice) -> int:
        """Weigh two choices that meet."""
        if {choice, other} == {PANIC, DEFEND}:
            return _BATTLE if choice is DEFEND else -_BATTLE
        own, rival = self._sides(choice, other)
        if PANIC not in {choice, other}:
            return self._worth(own, rival)
        # All dice are rolled anew: the mean over what the difference of two Attacks can be.
        own = own._replace(total=own.total - sum(self._own.dice))
        rival = rival._replace(total=rival.total - sum(self._rival.dice))
        whole = sum(times * self._worth(own._replace(total=own.total + lead), rival) for lead, times in _LEADS.items())
        return whole // len(_FACES) ** 4

    def _sides(self, choice: BoostChoice, other: BoostChoice) -> tuple[_Side, _Side]:
        return self._side(self._own, choice), self._side(self._rival, other)

    def _side(self, seat: SeatView, choice: BoostChoice) -> _Side:
        back = self._cards.backs[_monster(seat).back]
        total = sum(seat.dice) + choice.fingers + seat.attack_bonus
        return _Side(seat.life, total, back.special_attack, back.speed, seat.damage_bonus, seat.shield, choice.kind is BoostKind.DEFEND)

    def _worth(self, own: _Side, rival: _Side) -> int:
        return self._loss(rival, own) - self._loss(own, rival)

    def _loss(self, side: _Side, other: _Side) -> int:
        """Weigh what a side loses in this round (DMG-3 to DMG-7)."""
        if not side.defends and (other.defends or (side.total, side.speed) >= (other.total, other.speed)):
            return 0
        damage = self._level + other.damage_bonus
        if other.total - side.total >= other.special_attack:
            damage += other.special_attack
        if side.defends:
            damage = (damage + 1) // 2
        damage = max(0, damage - side.shield)
        return _LIFE * min(damage, side.life) + (_BATTLE if damage >= side.life else 0)


def _monster(seat: SeatView) -> MonsterView:
    if seat.monster is None:
        raise ValueError("this is asked only where both monsters are placed")
    return seat.monster


def _gain(own_face: int, opponent_face: int, turned: Callable[[int], int]) -> int:
    return 2 * (turned(own_face) - own_face) if own_face else 2 * (opponent_face - turned(opponent_face))


def _leads() -> dict[int, int]:
    leads: dict[int, int] = {}
    for one, other, third, fourth in product(_FACES, repeat=4):
        lead = one + other - third - fourth
        leads[lead] = leads.get(lead, 0) + 1
    return leads


_LEADS = _leads()
"""In how many of all rolls of four dice the first two are ahead of the others by how much."""

_LIKED = ("dr_chaos", "professor_voltage", "baron_bulwark", "countess_sutura")
"""The scientists of the house set that help this bot most, the last one most."""
