"""Events, questions and ends of Gold'n Crash in sentences."""

import re
from typing import Any

import pytest

from tests.clients.terminal.table import voice_of
from umpire.goldn_crash.v1 import goldn_crash_pb2 as gc
from umpire.v1.game_pb2 import Event
from umpire.v1.match_event_pb2 import MatchEvent
from umpire.v1.match_pb2 import Outcome, Update
from umpire_terminal.games.goldn_crash import FACE, wording
from umpire_terminal.telling import UNKNOWN, tell, tell_outcome

TOLD: list[tuple[dict[str, Any], str]] = [
    (
        {"match_set_up": gc.MatchSetUp(crews=["OCTOPIRATE", "MEOWMURAI"], first_seat=2)},
        "The table is laid: you with the crew Octopirate and the bot with the crew Meowmurai. The first turn: the bot.",
    ),
    (
        {"seat_set_up": gc.SeatSetUp(seat=1, discard=["FISH_1", "BOMB_2"], guests=["COUNTESS", "JOCKEY", "BANKER"], hand_count=1, hand=["GOLD_4"])},
        "Your hand: Gold 4. Discard pile, from the top: Bomb 2 and Fish 1. Guests: The Countess, The Jockey and The Banker.",
    ),
    (
        {"seat_set_up": gc.SeatSetUp(seat=2, discard=["FISH_1"], guests=["COUNTESS"], hand_count=5)},
        "The bot's hand: 5 cards. Discard pile, from the top: Fish 1. Guests: The Countess.",
    ),
    ({"turn_started": gc.TurnStarted(seat=1, turn=3)}, "Turn 3: you."),
    ({"turn_started": gc.TurnStarted(seat=2, turn=4, last_turn=True)}, "Turn 4: the bot, for the last time."),
    ({"cards_drawn": gc.CardsDrawn(seat=1, count=1, cards=["GOLD_4"])}, "You drew Gold 4."),
    ({"cards_drawn": gc.CardsDrawn(seat=2, count=1)}, "The bot drew a card."),
    ({"cards_drawn": gc.CardsDrawn(seat=2, count=3)}, "The bot drew 3 cards."),
    ({"card_played": gc.CardPlayed(seat=1, card="BOMB_1", column=2)}, "You played Bomb 1 in column 2."),
    (
        {"zeppelin_bombed": gc.ZeppelinBombed(seat=1, target_seat=2, column=3, strength=2, destroyed=True, robustness=2)},
        "You destroyed the bot's zeppelin 3 (robustness 2) with strength 2!",
    ),
    ({"zeppelin_bombed": gc.ZeppelinBombed(seat=1, target_seat=2, column=3, strength=1)}, "You bombed the bot's zeppelin 3 with strength 1: it held."),
    (
        {"zeppelin_bombed": gc.ZeppelinBombed(seat=2, target_seat=1, column=3, strength=1, robustness=2)},
        "The bot bombed your zeppelin 3 with strength 1: it held (robustness 2).",
    ),
    ({"guest_lost": gc.GuestLost(seat=1, column=2, guest="COUNTESS")}, "The Countess left the game from above your column 2."),
    ({"cards_discarded": gc.CardsDiscarded(seat=2, column=1, cards=["FISH_1"], reason=gc.DISCARD_REASON_ACTION)}, "The bot discarded Fish 1 from column 1."),
    (
        {"cards_discarded": gc.CardsDiscarded(seat=1, column=1, cards=["FISH_1", "BOMB_1"], reason=gc.DISCARD_REASON_BOARD)},
        "Your column 1 was boarded: Fish 1 and Bomb 1 went to the discard pile.",
    ),
    (
        {"cards_discarded": gc.CardsDiscarded(seat=2, column=1, cards=["FISH_1"] * 3, reason=gc.DISCARD_REASON_THIRD_OF_TYPE)},
        "The bot's column 1 had three of a type and was cleared: Fish 1, Fish 1 and Fish 1 went to the discard pile.",
    ),
    ({"cards_discarded": gc.CardsDiscarded(seat=2, column=1, cards=["FISH_1"], reason=99)}, "Fish 1 went from the bot's column 1 to the discard pile."),  # type: ignore[arg-type]
    ({"cards_returned_to_hand": gc.CardsReturnedToHand(seat=1, column=0, cards=["FISH_1"])}, "You took Fish 1 from the discard pile to the hand."),
    ({"cards_returned_to_hand": gc.CardsReturnedToHand(seat=2, column=3, cards=["FISH_1"])}, "The bot called Fish 1 back from column 3 to the hand."),
    ({"card_secured": gc.CardSecured(seat=1, column=2, card="GOLD_6")}, "You secured Gold 6 from column 2 in the treasure."),
    ({"safe_cracked": gc.SafeCracked(seat=1, card="GOLD_6")}, "Your safe was cracked: Gold 6 went to the discard pile."),
    ({"card_moved": gc.CardMoved(seat=2, from_column=1, to_column=2, card="FISH_1")}, "The bot moved Fish 1 from column 1 to column 2."),
    ({"deck_observed": gc.DeckObserved(seat=1, count=2, cards=["FISH_1", "BOMB_1"])}, "You looked at the top 2 cards of your deck: Fish 1 and Bomb 1."),
    ({"deck_observed": gc.DeckObserved(seat=2, count=1)}, "The bot looked at the top card of the deck."),
    ({"observed_card_placed": gc.ObservedCardPlaced(seat=1, place=gc.PLACE_TOP, card="FISH_1")}, "You put Fish 1 on the top of your deck."),
    ({"observed_card_placed": gc.ObservedCardPlaced(seat=2, place=gc.PLACE_BOTTOM)}, "The bot put a card at the bottom of the deck."),
    ({"card_looted": gc.CardLooted(seat=2, card="GOLD_4")}, "The bot looted Gold 4 from your discard pile."),
    ({"guest_secured": gc.GuestSecured(seat=1, column=1, guest="JOCKEY")}, "The Jockey came down to your treasure from above column 1."),
    ({"turn_passed": gc.TurnPassed(seat=1)}, "You passed."),
    ({"last_turn_called": gc.LastTurnCalled(seat=2)}, "The bot's deck has run out: one last turn follows."),
    ({"seat_resigned": gc.SeatResigned(seat=2)}, "The bot gave up."),
    (
        {"match_ended": gc.MatchEnded(reason="DECK_EMPTY", winners=[1], gold=[13, 12])},
        "The match is over, a deck ran out and the gold was counted. Won by you; gold: you 13 and the bot 12.",
    ),
    (
        {"match_ended": gc.MatchEnded(reason="ROUND_LIMIT", gold=[6, 6])},
        "The match is over, the last round is over and the gold was counted. A draw; gold: you 6 and the bot 6.",
    ),
]


@pytest.mark.parametrize(("event", "sentence"), TOLD, ids=[sentence[:40] for _, sentence in TOLD])
def test_an_event_is_told_as_seat_1_saw_it(event: dict[str, Any], sentence: str) -> None:
    assert FACE.tell(gc.Event(**event), voice_of(1)) == sentence


def test_every_event_of_the_contract_is_worded_and_tested() -> None:
    kinds = {field.name for field in gc.Event.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert set(wording.EVENTS) == kinds
    assert {kind for event, _ in TOLD for kind in event} == kinds


def test_every_reason_for_a_discard_is_worded() -> None:
    told = {
        FACE.tell(gc.Event(cards_discarded=gc.CardsDiscarded(seat=1, column=1, cards=["FISH_1"], reason=value.number)), voice_of(1))  # type: ignore[arg-type]
        for value in gc.DiscardReason.DESCRIPTOR.values
    }
    assert len(told) == len(gc.DiscardReason.DESCRIPTOR.values)


def test_every_question_of_the_contract_is_worded() -> None:
    kinds = {field.name for field in gc.Question.DESCRIPTOR.oneofs_by_name["question"].fields}
    assert set(wording.QUESTIONS) == kinds
    for kind in kinds:
        asked = FACE.ask(kind.upper(), _question(kind), voice_of(1))
        assert asked.endswith("?"), asked
        assert not re.search(r"[a-z]_|_[a-z]|Your decision", asked), asked


def _question(kind: str) -> gc.Question:
    question = gc.Question()
    getattr(question, kind).SetInParent()
    return question


def test_questions_say_what_they_are_about() -> None:
    assert FACE.ask("ACTION", gc.Question(action=gc.ActionQuestion(actions_left=2)), voice_of(1)).startswith("Your turn: 2 actions left")
    assert "column 3" in FACE.ask("SECURE", gc.Question(secure=gc.SecureQuestion(column=3, times=2)), voice_of(1))
    assert "2 cards" in FACE.ask("OBSERVE", gc.Question(observe=gc.ObserveQuestion(count=2)), voice_of(1))


def test_every_kind_of_move_has_a_heading() -> None:
    assert set(wording.HEADINGS) == {field.name for field in gc.Move.DESCRIPTOR.oneofs_by_name["move"].fields}


def test_what_is_newer_than_this_release_is_told_as_such() -> None:
    assert list(tell(Update(events=[Event(), Event(goldn_crash=gc.Event()), Event(match=MatchEvent())]), FACE, voice_of(1))) == [UNKNOWN] * 3
    assert "view is fetched again" in UNKNOWN
    assert FACE.ask("BARTER", None, voice_of(1)) == "Your decision: barter."
    assert FACE.ask("BARTER", gc.Question(), voice_of(1)) == "Your decision: barter."
    assert FACE.reason("SHARKS_CAME") == "sharks came"


@pytest.mark.parametrize(
    ("winners", "begins"), [([1], "You have won: the last zeppelin"), ([2], "The bot won: the last zeppelin"), ([], "A draw: the last zeppelin")]
)
def test_the_outcome_says_who_won_and_why_and_the_gold(winners: list[int], begins: str) -> None:
    told = tell_outcome(Outcome(winners=winners, reason="ZEPPELINS_DESTROYED", scores=[13, 2]), FACE, voice_of(1))
    assert told.startswith(begins)
    assert told.endswith("Gold: you 13 and the bot 2.")
