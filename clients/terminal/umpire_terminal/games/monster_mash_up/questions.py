"""What Monster Mash-Up asks, what each answer would mean, and why it ends. A test holds the tables to the contract, so that nothing is forgotten."""

from collections.abc import Callable, Mapping
from typing import Any

from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire_terminal.games.monster_mash_up.cards import ability, said, summary
from umpire_terminal.voice import Voice, clean, listed

_CHOOSE = "Choose, in secret"

HEADINGS = {
    "choose_scientist": "A scientist for the whole match",
    "make_monster": "The front of one card and the back of another",
    "reroll_both": "Re-roll",
    "reroll_one": "Re-roll",
    "use_power": "Your monster's power",
    "use_scientist": "Your scientist",
    "pass_turn": "Pass",
    "boost": _CHOOSE,
    "defend": _CHOOSE,
    "panic": _CHOOSE,
}

REASONS = {
    "HEADS": "the last head that was needed is won",
    "HEADS_BOTH": "both monsters died at once, and both seats have the heads that they need",
    "RESIGNATION": "a seat gave up",
}


# ---- what is asked


def _choose_scientist(_question: mm.Question, _voice: Voice) -> str:
    return "Which mad scientist do you play?"


def _make_monster(question: mm.Question, _voice: Voice) -> str:
    how = "in secret: both are laid open together" if question.make_monster.secret else "openly"
    return f"Which monster do you send into the arena ({how})?"


def _roll_turn(question: mm.Question, voice: Voice) -> str:
    passed = f"{_rival(voice)} passed: if you pass too, the dice stay. " if question.roll_turn.passes else ""
    return f"{passed[:1].upper()}{passed[1:]}Your turn with the dice. What do you do?"


def _boost(_question: mm.Question, _voice: Voice) -> str:
    return "The dice stay. Boost, Defend or the Panic Button?"


def _damage_window(question: mm.Question, voice: Voice) -> str:
    totals = listed([f"{voice.who(seat)} {total}" for seat, total in enumerate(question.damage_window.totals, 1)])
    return f"Before the damage{f', with totals of {totals}' if totals else ''}: do you use something?"


QUESTIONS: Mapping[str, Callable[[mm.Question, Voice], str]] = {
    "choose_scientist": _choose_scientist,
    "make_monster": _make_monster,
    "roll_turn": _roll_turn,
    "boost": _boost,
    "damage_window": _damage_window,
}


# ---- what an answer would mean, in a few words


def _of_scientist(move: mm.ChooseScientist, _own: mm.SeatView, voice: Voice) -> str:
    card = voice.cards_by_id.get(move.scientist)
    return clean(card.text).replace("once a round, ", "") if card is not None else ""


def _of_monster(move: mm.MakeMonster, _own: mm.SeatView, voice: Voice) -> str:
    return summary(voice, move.front, move.back)


def _of_power(_move: mm.UsePower, own: mm.SeatView, voice: Voice) -> str:
    return said(voice, own.monster.back, "then")


def _of_use(_move: mm.UseScientist, own: mm.SeatView, voice: Voice) -> str:
    return ability(voice, own.scientist, own.side)


def _of_boost(move: mm.Boost, _own: mm.SeatView, _voice: Voice) -> str:
    return f"costs {move.fingers} Energy" if move.fingers else "costs nothing"


def _of_defend(_move: mm.Defend, own: mm.SeatView, voice: Voice) -> str:
    gain = said(voice, own.monster.front, "intelligence")
    return f"{f'gain {gain} Energy' if gain else 'gain Energy'}, lose the round, take half the damage"


def _of_panic(_move: mm.Panic, _own: mm.SeatView, _voice: Voice) -> str:
    return "all four dice are rolled anew; you die if the other seat defends"


NOTES: Mapping[str, Callable[[Any, mm.SeatView, Voice], str]] = {
    "choose_scientist": _of_scientist,
    "make_monster": _of_monster,
    "use_power": _of_power,
    "use_scientist": _of_use,
    "boost": _of_boost,
    "defend": _of_defend,
    "panic": _of_panic,
}


def _rival(voice: Voice) -> str:
    return voice.who(2 if voice.me == 1 else 1)
