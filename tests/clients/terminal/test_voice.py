"""Names of seats and cards."""

import pytest

from tests.clients.terminal.table import cards, voice_of
from umpire.v1.match_pb2 import CONTROLLER_AUTOMATON, Match, Seat
from umpire_terminal.voice import Voice


def who(*seats: Seat, viewer: int = 1) -> list[str]:
    voice = Voice(Match(viewer=viewer, seats=seats), {}, {})
    return [voice.who(seat.seat) for seat in seats]


def test_the_viewer_is_you_whatever_the_name() -> None:
    assert who(Seat(seat=1, display_name="Ann"), Seat(seat=2, display_name="Bob")) == ["you", "Bob"]


def test_seats_without_names_are_told_apart() -> None:
    assert who(Seat(seat=1), Seat(seat=2), Seat(seat=3, house_bot="keen")) == ["you", "seat 2", "the bot"]
    assert who(Seat(seat=1), Seat(seat=2, house_bot="keen"), Seat(seat=3, house_bot="keen")) == ["you", "bot keen (seat 2)", "bot keen (seat 3)"]


def test_an_automaton_has_the_name_that_the_game_gives_it() -> None:
    match = Match(viewer=1, seats=[Seat(seat=1), Seat(seat=2, controller=CONTROLLER_AUTOMATON)])
    assert Voice(match, {}, {}).who(2) == "the automaton"
    assert Voice(match, {}, {}, "Dr. Entropy").whose(2) == "Dr. Entropy's"


def test_nobody_can_pass_for_another() -> None:
    assert who(Seat(seat=1), Seat(seat=2, display_name="You"), Seat(seat=3, display_name="Bob"), Seat(seat=4, display_name="bob")) == [
        "you",
        "You (seat 2)",
        "Bob (seat 3)",
        "bob (seat 4)",
    ]


@pytest.mark.parametrize("name", ["\x1b]0;owned\x07Eve", "\x1b[31mEve", "E\u202eve", "Eve\r\n> "])
def test_a_name_cannot_command_the_terminal(name: str) -> None:
    (_, shown) = who(Seat(seat=1), Seat(seat=2, display_name=name))
    assert "ve" in shown
    assert shown.isprintable()


def test_a_name_is_no_markup() -> None:
    voice = voice_of(1, bot=False, names=("", "[red]Eve[/]"))
    assert voice.paint(f"{voice.who(2)} drew a card.").plain == "[red]Eve[/] drew a card."


def test_cards_have_their_names_and_unknown_ones_their_ids() -> None:
    assert voice_of(1).names(["BOMB_1", "KRAKEN_9"]) == "Bomb 1 and KRAKEN_9"


def test_a_sentence_has_the_colours_of_the_cards_that_it_names() -> None:
    painted = voice_of(1).paint("You moved Gold 4 and Bomb 1, not Gold 44.")
    assert {(painted.plain[span.start : span.end], span.style) for span in painted.spans} == {("Gold 4", "yellow"), ("Bomb 1", "red")}


def test_every_crew_card_has_a_colour_and_each_type_its_own() -> None:
    voice = voice_of(1)
    by_type = {card_id: str(voice.card(card_id).style) for card_id, card in cards().items() if card.kind == "CREW_CARD"}
    assert all(by_type.values())
    assert len(set(by_type.values())) == 6
