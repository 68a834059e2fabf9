"""What happens in Monster Mash-Up, in sentences. A test holds the table to the contract, so that nothing is forgotten."""

from collections.abc import Callable, Mapping
from typing import Any

from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire_terminal.games.monster_mash_up.cards import SIDES, front_name, levels, monster_name
from umpire_terminal.games.monster_mash_up.questions import REASONS
from umpire_terminal.voice import Voice, listed, sentence

# Why Energy, Life or dice changed, as it stands at the end of a sentence.
WHY: dict[int, str] = {
    mm.CHANGE_REASON_INITIAL: "at the start of the round",
    mm.CHANGE_REASON_REROLL: "for a re-roll",
    mm.CHANGE_REASON_PANIC: "by the Panic Button",
    mm.CHANGE_REASON_POWER: "by a monster's power",
    mm.CHANGE_REASON_SCIENTIST: "by a scientist",
    mm.CHANGE_REASON_MONSTER: "with the new monster",
    mm.CHANGE_REASON_ONE: "for the 1",
    mm.CHANGE_REASON_BOOST: "for the Boost",
    mm.CHANGE_REASON_DEFEND: "for defending",
    mm.CHANGE_REASON_DAMAGE: "as damage of the round",
    mm.CHANGE_REASON_LIFE: "with no Life left",
    mm.CHANGE_REASON_EXHAUSTION: "of exhaustion",
}
_PAID = {mm.CHANGE_REASON_REROLL, mm.CHANGE_REASON_BOOST}


def choice_in_words(choice: mm.BoostChoice) -> str:
    """Name a choice of the Boost Phase."""
    match choice.kind:
        case mm.BOOST_KIND_BOOST:
            return f"Boost {choice.fingers}"
        case mm.BOOST_KIND_DEFEND:
            return "Defend"
        case mm.BOOST_KIND_PANIC:
            return "Panic Button"
        case _:
            return "something new"


# ---- battles


def _match_started(event: mm.MatchStarted, _voice: Voice) -> str:
    mode = "solo against Dr. Entropy" if event.mode == mm.GAME_MODE_SOLO else "a duel of mad scientists"
    return f"{mode}: {event.heads_to_win} heads win."


def _scientist_chosen(event: mm.ScientistChosen, voice: Voice) -> str:
    return f"{voice.who(event.seat)} chose {voice.name(event.scientist)}, side {SIDES.get(event.side, '?')} up."


def _deck_shuffled(event: mm.DeckShuffled, _voice: Voice) -> str:
    return f"the deck was shuffled: {event.count} monster cards."


def _battle_started(event: mm.BattleStarted, _voice: Voice) -> str:
    return f"battle {event.battle} begins, on space {event.arena} of the arena."


def _cards_drawn(event: mm.CardsDrawn, voice: Voice) -> str:
    number = {0: "no card", 1: "a card"}.get(event.count, f"{event.count} cards")
    return f"{voice.who(event.seat)} drew {voice.names(event.cards) or number}."


def _monster_committed(event: mm.MonsterCommitted, voice: Voice) -> str:
    return f"{voice.who(event.seat)} chose a monster, in secret."


def _monster_placed(event: mm.MonsterPlaced, voice: Voice) -> str:
    return f"{voice.who(event.seat)} sent the {monster_name(voice, event.front, event.back)} into the arena: Life {event.life}."


def _monster_died(event: mm.MonsterDied, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} monster died, {WHY.get(event.reason, 'for a new reason')}!"


def _head_gained(event: mm.HeadGained, voice: Voice) -> str:
    return f"{voice.who(event.seat)} won the {front_name(voice, event.card)} head: {_heads(event.heads)} now."


def _battle_ended(event: mm.BattleEnded, voice: Voice) -> str:
    rounds = "1 round" if event.rounds == 1 else f"{event.rounds} rounds"
    return f"battle {event.battle} is over after {rounds}: {f'won by {voice.who(event.winner)}' if event.winner else 'nobody won it'}."


def _scientist_flipped(event: mm.ScientistFlipped, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} scientist was turned over to side {SIDES.get(event.side, '?')}."


def _seat_resigned(event: mm.SeatResigned, voice: Voice) -> str:
    return f"{voice.who(event.seat)} gave up."


def _match_ended(event: mm.MatchEnded, voice: Voice) -> str:
    winners = listed([voice.who(seat) for seat in event.winners])
    heads = listed([f"{voice.who(seat)} {heads}" for seat, heads in enumerate(event.heads, 1)])
    return f"the match is over, {REASONS.get(event.reason, event.reason.lower())}. {f'Won by {winners}' if winners else 'Nobody won'}; heads: {heads}."


# ---- tracks and dice


def _energy_changed(event: mm.EnergyChanged, voice: Voice) -> str:
    verb = "gained" if event.delta > 0 else "paid" if event.reason in _PAID else "lost"
    return f"{voice.who(event.seat)} {verb} {abs(event.delta)} Energy{_why(event.reason)}: {event.energy} now."


def _life_changed(event: mm.LifeChanged, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} monster {'gained' if event.delta > 0 else 'lost'} {abs(event.delta)} Life{_why(event.reason)}: {event.life} now."


def _round_started(event: mm.RoundStarted, voice: Voice) -> str:
    level = levels(voice).get(event.arena)
    return f"round {event.round} of battle {event.battle}, on space {event.arena} of the arena{f': damage {level}' if level is not None else ''}."


def _dice_rolled(event: mm.DiceRolled, voice: Voice) -> str:
    dice = listed([str(face) for face in event.dice])
    both = len(event.rolled) != 1
    match event.reason:
        case mm.CHANGE_REASON_INITIAL:
            return f"{voice.who(event.seat)} rolled {dice}."
        case mm.CHANGE_REASON_REROLL:
            return f"{voice.who(event.seat)} re-rolled {'both dice' if both else f'die {event.rolled[0]}'}: {dice} now."
        case _:
            which = "dice were" if both else f"die {event.rolled[0]} was"
            return f"{voice.whose(event.seat)} {which} re-rolled{_why(event.reason)}: {dice} now."


def _die_changed(event: mm.DieChanged, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} die {event.die} was turned from {event.face_from} to {event.face_to}{_why(event.reason)}."


def _one_shown(event: mm.OneShown, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} dice show a 1, for the first time this round."


# ---- powers and scientists


def _disc_placed(event: mm.DiscPlaced, voice: Voice) -> str:
    return f"the If of {voice.whose(event.seat)} monster is met: the disc lies on it, the power is ready."


def _disc_removed(event: mm.DiscRemoved, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} disc went back, {'the power is used' if event.used else 'the power was not used'}."


def _power_used(event: mm.PowerUsed, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} monster used its power{_on_dice(event, voice)}."


def _scientist_used(event: mm.ScientistUsed, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} scientist went to work{_on_dice(event, voice)}."


def _bonus_added(event: mm.BonusAdded, voice: Voice) -> str:
    whose, amount = voice.whose(event.seat), event.amount
    match event.bonus:
        case mm.BONUS_ATTACK_BONUS:
            return f"{whose} Attack Total is {amount} higher this round."
        case mm.BONUS_DAMAGE_BONUS:
            return f"{whose} monster deals {amount} more damage this round, if the other side loses."
        case mm.BONUS_SHIELD:
            return f"{whose} monster takes {amount} less damage this round, if it loses."
        case _:
            return f"{whose} monster has a new bonus of {amount} this round."


def _passed(event: mm.Passed, voice: Voice) -> str:
    return f"{voice.who(event.seat)} passed."


# ---- the Boost Phase and the damage


def _boost_phase_started(event: mm.BoostPhaseStarted, _voice: Voice) -> str:
    return f"the dice of round {event.round} stay: now Boost, Defend or Panic, in secret."


def _choice_committed(event: mm.ChoiceCommitted, voice: Voice) -> str:
    return f"{voice.who(event.seat)} chose, in secret."


def _entropy_rolled(event: mm.EntropyRolled, _voice: Voice) -> str:
    return f"Dr. Entropy rolled his Boost Die: {event.first}{f', then {event.second}' if event.second else ''}."


def _choices_revealed(event: mm.ChoicesRevealed, voice: Voice) -> str:
    return f"revealed: {'; '.join(f'{voice.who(seat)}: {choice_in_words(choice)}' for seat, choice in enumerate(event.choices, 1))}."


def _round_result(event: mm.RoundResult, voice: Voice) -> str:
    totals = listed([f"{voice.who(seat)} {total}" for seat, total in enumerate(event.totals, 1)])
    winner = f"{voice.who(event.winner)} won the round" if event.winner else "nobody won the round"
    taken = listed([f"{voice.whose(damage.seat)} monster takes {damage.damage} damage" for damage in event.damage])
    return f"Attack Totals: {totals}. {sentence(winner)}.{f' {sentence(taken)}.' if taken else ''}"


def _arena_moved(event: mm.ArenaMoved, voice: Voice) -> str:
    level = levels(voice).get(event.arena)
    return f"the arena cube moved to space {event.arena}{f': a round now costs {level}' if level is not None else ''}."


# ---- words


def _heads(number: int) -> str:
    return "1 head" if number == 1 else f"{number} heads"


def _why(reason: int) -> str:
    return f" {WHY[reason]}" if reason in WHY else ""


def _on_dice(event: mm.PowerUsed | mm.ScientistUsed, voice: Voice) -> str:
    named = [f"{voice.whose(event.seat)} die {event.own_die}"] if event.own_die else []
    named += [f"{voice.whose(3 - event.seat)} die {event.opponent_die}"] if event.opponent_die else []
    return f" on {listed(named)}" if named else ""


EVENTS: Mapping[str, Callable[[Any, Voice], str]] = {
    "match_started": _match_started,
    "scientist_chosen": _scientist_chosen,
    "deck_shuffled": _deck_shuffled,
    "battle_started": _battle_started,
    "cards_drawn": _cards_drawn,
    "monster_committed": _monster_committed,
    "monster_placed": _monster_placed,
    "energy_changed": _energy_changed,
    "life_changed": _life_changed,
    "round_started": _round_started,
    "dice_rolled": _dice_rolled,
    "die_changed": _die_changed,
    "one_shown": _one_shown,
    "disc_placed": _disc_placed,
    "disc_removed": _disc_removed,
    "power_used": _power_used,
    "scientist_used": _scientist_used,
    "bonus_added": _bonus_added,
    "passed": _passed,
    "boost_phase_started": _boost_phase_started,
    "choice_committed": _choice_committed,
    "entropy_rolled": _entropy_rolled,
    "choices_revealed": _choices_revealed,
    "round_result": _round_result,
    "arena_moved": _arena_moved,
    "monster_died": _monster_died,
    "head_gained": _head_gained,
    "battle_ended": _battle_ended,
    "scientist_flipped": _scientist_flipped,
    "seat_resigned": _seat_resigned,
    "match_ended": _match_ended,
}
