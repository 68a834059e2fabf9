"""Dr. Entropy, who plays seat 2 in solo by his tables (SOLO-1 to SOLO-10; for his power, "his advantage" in RULES.md)."""

from collections.abc import Callable

import msgspec

from engines.monster_mash_up import boosting, damage
from engines.monster_mash_up.card_set import MonsterMashUpCards, Power
from engines.monster_mash_up.effects import add_bonus, opposite, shifted
from engines.monster_mash_up.events import EntropyRolled
from engines.monster_mash_up.powers import power_of, use_power
from engines.monster_mash_up.rolling import PRICE_OF_BOTH, PRICE_OF_ONE, pass_turn, reroll
from engines.monster_mash_up.state import DICE, ENTROPY, MOST_ENERGY, MOST_FINGERS, BoostChoice, MashUpTable, MonsterMashUpState, RollStep, WindowStep, rival_of
from engines.monster_mash_up.vocabulary import (
    NO_DIE,
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

_PLAYER = rival_of(ENTROPY)
_BEARABLE_LEAD = 2
_GOOD_FACE = 4
_ENERGY_TO_GO_ON = 2


# ---- the Roll Phase


def take_turn(table: MashUpTable, step: RollStep, cards: MonsterMashUpCards) -> None:
    """Use the power if it helps, else re-roll, else pass (SOLO-3)."""
    state = table.state
    target = _helpful_target(state, cards) if state.seat(ENTROPY).marks.disc else None
    if target is not None:
        use_power(table, ENTROPY, target, cards)
        return
    dice = _dice_to_reroll(state)
    if dice:
        reroll(table, ENTROPY, dice, cards)
    else:
        pass_turn(table, ENTROPY, step)


def _dice_to_reroll(state: MonsterMashUpState) -> tuple[int, ...]:
    own, player = state.seat(ENTROPY), state.seat(_PLAYER)
    if player.attack - own.attack <= _BEARABLE_LEAD:  # SOLO-4
        return ()
    if own.marks.rerolls and own.energy <= _ENERGY_TO_GO_ON:  # SOLO-6
        return ()
    bad = tuple([die for die in DICE if own.marks.dice[die - 1] < _GOOD_FACE])
    price = PRICE_OF_BOTH if len(bad) > 1 else PRICE_OF_ONE
    return bad if own.energy >= price else ()  # SOLO-5


# ---- the Boost Phase


def choose(table: MashUpTable) -> None:
    """Roll his Boost Die, once the player has chosen (SOLO-7)."""
    own = table.state.seat(ENTROPY)
    first, second = _roll_boost_die(table), 0
    most = min(MOST_FINGERS, own.energy)
    if own.energy >= 2:  # SOLO-8
        if first <= 4:
            choice = boosting.boost(min(first, most))
        else:
            second = _roll_boost_die(table)
            choice = _by_table(second, boosting.DEFEND, boosting.boost(most), boosting.PANIC, bounds=(2, 4))
    else:  # SOLO-9
        choice = _by_table(first, boosting.boost(0), boosting.DEFEND, boosting.PANIC, bounds=(1, 4))
    own.marks.choice = choice
    table.emit(EntropyRolled(first, second))


def _by_table(face: int, low: BoostChoice, middle: BoostChoice, high: BoostChoice, *, bounds: tuple[int, int]) -> BoostChoice:
    return low if face <= bounds[0] else middle if face <= bounds[1] else high


def _roll_boost_die(table: MashUpTable) -> int:
    return table.rng.below(6, "Dr. Entropy's Boost Die") + 1


# ---- the damage window


def answer_window(table: MashUpTable, step: WindowStep, cards: MonsterMashUpCards) -> None:
    """Use the power if it helps as the window stands, else pass."""
    state = table.state
    power = power_of(state.seat(ENTROPY), cards)
    if any(_helps_always(effect, state, cards) for effect in power.effects) or _helps_in_damage(power, state, cards):
        use_power(table, ENTROPY, NO_DIE, cards)
    else:
        damage.pass_window(table, ENTROPY, step)


# ---- his advantage


def _helpful_target(state: MonsterMashUpState, cards: MonsterMashUpCards) -> Target | None:
    """Return the best target for his power in the Roll Phase, or None if no effect of it is to his advantage."""
    power = power_of(state.seat(ENTROPY), cards)
    effects = power.effects
    best = max(power.targets, key=lambda target: sum([_score(effect, target, state) for effect in effects]))  # the first of the best
    helps = any(_helps_always(effect, state, cards) or _score(effect, best, state) > 0 for effect in effects)
    return best if helps else None


def _helps_always(effect: Effect, state: MonsterMashUpState, cards: MonsterMashUpCards) -> bool:
    """Whether an effect is to his advantage at any time."""
    own, player = state.seat(ENTROPY), state.seat(_PLAYER)
    match effect:
        case GainEnergy():
            return own.energy < MOST_ENERGY
        case DrainEnergy():
            return player.energy > 0
        case Heal():
            return own.life < cards.fronts[own.front].life
        case Hurt():
            return True
        case _:
            return False


def _score(effect: Effect, target: Target, state: MonsterMashUpState) -> int:
    """Score a dice effect on a target: about twice or once what his Attack gains on the player's; above 0 is an advantage."""
    own, player = state.seat(ENTROPY), state.seat(_PLAYER)
    own_die, opponent_die = target
    own_face = own.marks.dice[own_die - 1] if own_die else 0
    opponent_face = player.marks.dice[opponent_die - 1] if opponent_die else 0
    match effect:
        case Reroll("own", "both"):
            return int(own.attack <= 6)
        case Reroll(_, "both"):
            return int(player.attack >= 8)
        case Reroll() | Flip():
            return _gain(own_face, opponent_face, opposite)
        case SetFace(face):
            return face - own_face
        case Shift(_, by):
            return _gain(own_face, opponent_face, lambda face: shifted(face, by))
        case Swap():
            return opponent_face - own_face
        case _:
            return 0


def _gain(own_face: int, opponent_face: int, turned: Callable[[int], int]) -> int:
    """What his die gains, or the player's loses, by being turned."""
    return turned(own_face) - own_face if own_face else opponent_face - turned(opponent_face)


def _helps_in_damage(power: Power, state: MonsterMashUpState, cards: MonsterMashUpCards) -> bool:
    """Whether the bonuses of his power raise what the player loses against what he loses, by the damage of the round as it stands."""
    before = _worth(state, cards)
    own = state.seat(ENTROPY)
    marks = own.marks
    own.marks = msgspec.structs.replace(marks)
    for effect in power.effects:
        if isinstance(effect, AttackBonus | DamageBonus | Shield):
            add_bonus(own.marks, effect)
    after = _worth(state, cards)
    own.marks = marks
    return after > before


def _worth(state: MonsterMashUpState, cards: MonsterMashUpCards) -> int:
    taken = damage.result_of(state, cards).damage
    return min(taken.get(_PLAYER, 0), state.seat(_PLAYER).life) - min(taken.get(ENTROPY, 0), state.seat(ENTROPY).life)
