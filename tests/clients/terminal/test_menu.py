"""Choosing a move by what is typed."""

import pytest

from tests.clients.terminal.table import cards, text, voice_of, words
from umpire.v1.catalog_pb2 import Rule
from umpire.v1.match_pb2 import IllegalMove, LegalMove, Violation
from umpire_terminal.games.goldn_crash import FACE
from umpire_terminal.lookup import show_cards, show_rules
from umpire_terminal.menu import Menu, NotUnderstood, draw_illegal

MOVES = [
    LegalMove(move_id="draw", label="Draw a card"),
    LegalMove(move_id="play_card(card=BOMB_1,column=1)", label="Play Bomb 1 in column 1"),
    LegalMove(move_id="discard_card(column=2)", label="Discard Fish 1 from column 2"),
    LegalMove(move_id="play_card(card=BOMB_1,column=11)", label="Play Bomb 1 in column 11"),
]
MENU = Menu(MOVES, FACE.heading)


def chosen(typed: str) -> str:
    return MENU.choose(typed).label


def test_moves_are_grouped_by_kind_and_numbered_as_shown() -> None:
    assert words(MENU.draw(voice_of(1))).strip() == (
        "Draw 1 Draw a card Play a card 2 Play Bomb 1 in column 1 3 Play Bomb 1 in column 11 Discard for the discard effect 4 Discard Fish 1 from column 2"
    )


def test_kinds_with_the_same_heading_are_one_group() -> None:
    moves = [LegalMove(move_id="boost(fingers=0)", label="Boost 0"), LegalMove(move_id="pass", label="Pass"), LegalMove(move_id="panic", label="Panic")]
    menu = Menu(moves, lambda kind: "Leave" if kind == "pass" else "Choose")
    assert words(menu.draw(voice_of(1))).strip() == "Choose 1 Boost 0 2 Panic Leave 3 Pass"
    assert menu.choose("2").label == "Panic"


def test_notes_stand_beside_their_moves_and_a_common_one_beside_the_heading() -> None:
    notes = {"Draw a card": "costs an action", "Discard Fish 1 from column 2": ""}
    drawing = words(Menu(MOVES, FACE.heading, lambda move: notes.get(move.label, move.label[-8:])).draw(voice_of(1)))
    assert "Draw: costs an action 1 Draw a card Play" in drawing
    assert "2 Play Bomb 1 in column 1 column 1 3 Play Bomb 1 in column 11 olumn 11" in drawing
    assert drawing.strip().endswith("Discard for the discard effect 4 Discard Fish 1 from column 2")


def test_notes_are_wrapped_within_80_columns() -> None:
    drawing = text(Menu(MOVES, FACE.heading, lambda move: f"{move.label}: " + "what it would mean " * 12).draw(voice_of(1)))
    assert max(map(len, drawing.splitlines())) <= 80


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("1", "Draw a card"),
        ("4", "Discard Fish 1 from column 2"),
        ("04", "Discard Fish 1 from column 2"),
        ("draw", "Draw a card"),
        ("DR", "Draw a card"),
        ("discard  fish", "Discard Fish 1 from column 2"),
        ("play bomb 1 in column 1", "Play Bomb 1 in column 1"),
        ("play_card(card=BOMB_1,column=11)", "Play Bomb 1 in column 11"),
        ("discard_card", "Discard Fish 1 from column 2"),
    ],
)
def test_a_number_a_label_a_beginning_or_a_move_id_chooses(typed: str, label: str) -> None:
    assert chosen(typed) == label


@pytest.mark.parametrize("typed", ["0", "5", "-1", "9" * 5000, "x", "aw a card", "\x1b[A", "🎲"])
def test_anything_else_is_answered_with_what_to_type(typed: str) -> None:
    with pytest.raises(NotUnderstood, match="number") as hint:
        chosen(typed)
    assert str(hint.value).isprintable()
    assert len(str(hint.value)) < 200


def test_an_ambiguous_beginning_is_answered_with_the_candidates() -> None:
    with pytest.raises(NotUnderstood, match="Draw a card or Discard Fish 1 from column 2") as hint:
        chosen("d")
    assert hint.value.ambiguous


def test_many_moves_stand_in_two_columns_and_all_are_there() -> None:
    moves = [LegalMove(move_id=f"go(to={number})", label=f"Go to {number}") for number in range(1, 24)]
    drawing = words(Menu(moves, FACE.heading).draw(voice_of(1)))
    assert all(f"{number} Go to {number} " in drawing for number in range(1, 24))


def test_impossible_moves_say_why_once_a_reason() -> None:
    long = Violation(code="COLUMN_TOO_LONG", rule="PLAY-2", message="No card may be played in a longest column.", field="column")
    empty = Violation(code="DECK_EMPTY", rule="DRAW-2", message="Your deck is empty.")
    drawing = words(
        draw_illegal(
            [
                IllegalMove(move_id="a", label="Play Bomb 1 in column 1", violation=long),
                IllegalMove(move_id="b", label="Draw a card", violation=empty),
                IllegalMove(move_id="c", label="Play Gold 4 in column 1", violation=long),
            ],
            voice_of(1),
        )
    )
    assert "PLAY-2 No card may be played in a longest column. Play Bomb 1 in column 1, Play Gold 4 in column 1" in drawing
    assert "DRAW-2 Your deck is empty. Draw a card" in drawing


RULES = [Rule(rule="PLAY-1", text="One."), Rule(rule="PLAY-2", text="Two.", section="Turns"), Rule(rule="PLAY-20", text="Twenty.", house=True)]


def test_a_rule_is_shown_by_its_id_in_any_case_or_the_beginning_of_it() -> None:
    assert words(show_rules(RULES, "play-2")) == "PLAY-2 Two. (Turns) "
    assert all(text in words(show_rules(RULES, "play")) for text in ("One.", "Two.", "Twenty. (a rule of this service)"))
    assert "no rule X" in words(show_rules(RULES, "X"))
    assert "PLAY-1, PLAY-2, PLAY-20" in words(show_rules(RULES, ""))


def test_a_card_is_shown_by_its_name_its_id_or_a_part_of_them() -> None:
    for typed in ("countess", "The Countess", "COUNTESS", "the c"):
        assert "The Countess Comes when it is pleased. (gold 5, requirement gold in column, count 9)" in words(show_cards(cards(), typed, voice_of(1)))
    assert "Bomb 2 What Bomb does." in words(show_cards(cards(), "bomb_2", voice_of(1)))
    assert all(name in words(show_cards(cards(), "bomb", voice_of(1))) for name in ("Bomb 1", "Bomb 2", "Bomb 3"))
    assert "no card kraken" in words(show_cards(cards(), "kraken", voice_of(1)))
    assert "Bomb 1, Bomb 2" in words(show_cards(cards(), "", voice_of(1)))
