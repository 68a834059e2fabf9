"""The Damage Phase: the window before damage, totals, damage, deaths."""

from typing import NamedTuple

from engines.kit.structs import Move
from engines.monster_mash_up.card_set import MonsterMashUpCards, Timing
from engines.monster_mash_up.checkpoint import the_dead
from engines.monster_mash_up.events import ChangeReason, Passed, RoundResult, SeatDamage
from engines.monster_mash_up.moves import PassTurn
from engines.monster_mash_up.powers import ability_of, power_of, uses_of
from engines.monster_mash_up.reset import end_battle, next_round
from engines.monster_mash_up.state import SEATS, BoostKind, MashUpTable, MonsterMashUpState, SeatState, WindowStep, rival_of
from engines.monster_mash_up.tracks import lose_life

# ---- the window


def eligible(state: MonsterMashUpState, step: WindowStep, cards: MonsterMashUpCards) -> list[int]:
    """List the seats that have something to use and have not passed since the last use, all of which is public (DMG-2)."""
    return [seat for seat in SEATS if seat not in step.passed and _can_use(state.seat(seat), cards)]


def _can_use(own: SeatState, cards: MonsterMashUpCards) -> bool:
    if own.marks.disc and not power_of(own, cards).is_about_dice:  # POW-6
        return True
    if not own.scientist or own.marks.scientist_used:
        return False
    ability = ability_of(own, cards)
    return ability.timing is Timing.DAMAGE and own.energy >= ability.energy and own.life >= ability.life


def window_moves(own: SeatState, cards: MonsterMashUpCards) -> list[Move]:
    """List what can be answered in the window, legal or not."""
    return [*uses_of(own, cards), PassTurn()]


def pass_window(table: MashUpTable, seat: int, step: WindowStep) -> None:
    """Let the damage come, as far as this seat is concerned."""
    step.passed.append(seat)
    table.emit(Passed(seat))


# ---- the result


class Result(NamedTuple):
    """What a round comes to: the Attack Totals of both seats, who wins (0: nobody), and what each loser takes."""

    totals: tuple[int, ...]
    winner: int
    damage: dict[int, int]


def attack_totals(state: MonsterMashUpState) -> tuple[int, ...]:
    """Add Attack Dice, Boost Dice and attack bonuses; choices must be revealed (DMG-1)."""
    return tuple([own.attack + (own.marks.choice.fingers if own.marks.choice else 0) + own.marks.attack_bonus for own in state.seats])


def result_of(state: MonsterMashUpState, cards: MonsterMashUpCards) -> Result:
    """Work out a round as it stands (DMG-3 to DMG-7)."""
    totals = attack_totals(state)
    defenders = [seat for seat in SEATS if _defends(state.seat(seat))]
    if defenders:
        losers = defenders  # DMG-4
    else:
        ranks = [(total, cards.backs[own.back].speed) for total, own in zip(totals, state.seats, strict=True)]
        losers = [] if ranks[0] == ranks[1] else [SEATS[ranks.index(min(ranks))]]  # DMG-3
    winner = rival_of(losers[0]) if len(losers) == 1 else 0
    return Result(totals, winner, {seat: _damage(state, seat, totals, cards) for seat in losers})


def _damage(state: MonsterMashUpState, loser: int, totals: tuple[int, ...], cards: MonsterMashUpCards) -> int:
    own, rival = state.seat(loser), state.seat(rival_of(loser))
    special_attack = cards.backs[rival.back].special_attack
    damage = cards.level(state.arena) + rival.marks.damage_bonus  # DMG-5
    if totals[rival_of(loser) - 1] - totals[loser - 1] >= special_attack:
        damage += special_attack  # DMG-6
    if _defends(own):
        damage = (damage + 1) // 2
    return max(0, damage - own.marks.shield)  # DMG-7


def _defends(own: SeatState) -> bool:
    return own.marks.choice is not None and own.marks.choice.kind is BoostKind.DEFEND


def take_damage(table: MashUpTable, cards: MonsterMashUpCards) -> None:
    """Take the damage of the round; deaths, exhaustion or the next round follow (DMG-8, LIFE-2, END-6)."""
    state = table.state
    totals, winner, damage = result_of(state, cards)
    table.emit(RoundResult(totals, winner, tuple([SeatDamage(*entry) for entry in damage.items()])))
    for seat, amount in damage.items():
        lose_life(table, seat, amount, ChangeReason.DAMAGE)
    dead = the_dead(state)
    if dead:
        end_battle(table, dead, ChangeReason.LIFE)
    elif state.round >= cards.round_cap:
        end_battle(table, _the_exhausted(state, cards), ChangeReason.EXHAUSTION)
    else:
        next_round(table, cards)


def _the_exhausted(state: MonsterMashUpState, cards: MonsterMashUpCards) -> tuple[int, ...]:
    """The monster with less Life dies, on equal Lives the slower one, on equal Speeds both (END-6)."""
    ranks = [(own.life, cards.backs[own.back].speed) for own in state.seats]
    return tuple([seat for seat in SEATS if ranks[seat - 1] == min(ranks)])
