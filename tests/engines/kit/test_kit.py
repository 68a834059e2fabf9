"""The kit's smaller parts, on a little game of their own."""

from pathlib import Path
from typing import Annotated

import msgspec
import pytest
from msgspec import UNSET, Meta, UnsetType

from engines.kit.cards import CardSet, CardSetError, content_digest, load_card_sets, read_entries
from engines.kit.chance import Generator
from engines.kit.digest import chain
from engines.kit.notation import MoveReader, NotationError, write_move
from engines.kit.options import OptionsError, describe_options, fill_in_options
from engines.kit.play import changes
from engines.kit.rules_index import read_rules
from engines.kit.structs import Choice, Decision, Event, Move, Options, Question, snake_case
from engines.kit.table import Emitted, Table
from engines.kit.violation import Violation


class Side(Choice):
    LEFT = "LEFT"
    RIGHT = "RIGHT"


class Take(Move, frozen=True):
    cards: tuple[str, ...]
    times: int
    side: Side
    all_in: bool


class WaitABit(Move, frozen=True):
    pass


READER = MoveReader([Take, WaitABit])


@pytest.mark.parametrize(("move", "text"), [
    (Take(("A_1", "B"), 3, Side.LEFT, all_in=True), "take(cards=[A_1,B],times=3,side=LEFT,all_in=true)"),
    (Take((), -1, Side.RIGHT, all_in=False), "take(cards=[],times=-1,side=RIGHT,all_in=false)"),
    (Take(("7",), 0, Side.LEFT, all_in=False), "take(cards=[7],times=0,side=LEFT,all_in=false)"),
    (WaitABit(), "wait_a_bit"),
])  # fmt: skip
def test_a_move_has_one_text(move: Move, text: str) -> None:
    assert write_move(move) == text
    assert READER.read(text) == move


@pytest.mark.parametrize("text", [
    "", "take", "wait_a_bit()", "Wait_a_bit", "wait_a_bit ", " wait_a_bit", "wait_a_bit\n", "nothing(cards=1)",
    "take(cards=[A],times=3,side=LEFT)", "take(times=3,cards=[A],side=LEFT,all_in=true)", "take(cards=[A],times=03,side=LEFT,all_in=true)",
    "take(cards=[A], times=3,side=LEFT,all_in=true)", "take(cards=[A],times=3,side=UP,all_in=true)", "take(cards=[A],times=x,side=LEFT,all_in=true)",
    "take(cards=A,times=3,side=LEFT,all_in=true)", "take(cards=[A],times=3,side=LEFT,all_in=1)", "take(cards=[A],times=3,side=LEFT,all_in=true,)",
    "take(cards=[A],times=3,side=LEFT,all_in=true", "take(cards=[A,],times=3,side=LEFT,all_in=true)", "take(cards=[A],times=,side=LEFT,all_in=true)",
    "take(cards=[A],times=3,side=LEFT,all_in=TRUE)", "take(cards=[" + "A," * 300 + "A],times=3,side=LEFT,all_in=true)",
    "take(cards=[é],times=3,side=LEFT,all_in=true)",
    "take(cards=[A],times=99999999999,side=LEFT,all_in=true)",
])  # fmt: skip
def test_a_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        READER.read(text)


def test_tags_are_snake_case() -> None:
    assert [snake_case(name) for name in ("Draw", "PlayCard", "CardsReturnedToHand")] == ["draw", "play_card", "cards_returned_to_hand"]


# ---- options


class Settings(Options, frozen=True):
    rounds: Annotated[int, Meta(ge=1, le=9, description="how long")] = 5
    side: Annotated[Side, Meta(description="which side")] = Side.LEFT
    hero: Annotated[str, Meta(description="who")] | UnsetType = UNSET


VALUES = {"hero": lambda cards: cards.heroes}
CARDS = CardSet("x", "X", "sha256:0", ())
CARDS.heroes = ("ANN", "BEN")


def test_options_are_described() -> None:
    assert [(info.name, info.description, info.default, info.values, info.minimum, info.maximum) for info in describe_options(Settings, VALUES, CARDS)] == [
        ("rounds", "how long", "5", (), 1, 9),
        ("side", "which side", "LEFT", ("LEFT", "RIGHT"), None, None),
        ("hero", "who", "", ("ANN", "BEN"), None, None),
    ]


def test_absent_options_are_filled_in() -> None:
    assert fill_in_options(Settings, VALUES, CARDS, {"rounds": UNSET, "hero": "BEN"}) == Settings(hero="BEN")
    assert fill_in_options(Settings, VALUES, CARDS, {"side": Side.RIGHT, "rounds": 9}) == Settings(9, Side.RIGHT)


def test_every_bad_option_is_named() -> None:
    with pytest.raises(OptionsError) as refused:
        fill_in_options(Settings, VALUES, CARDS, {"rounds": 0, "side": "UP", "hero": "EVE", "speed": 1})
    assert [field for field, _ in refused.value.problems] == ["speed", "rounds", "side", "hero"]
    for value in (True, 10, "5", 5.0):
        with pytest.raises(OptionsError):
            fill_in_options(Settings, VALUES, CARDS, {"rounds": value})


# ---- cards and rules


def test_a_card_set_is_pinned_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text('id = "second"\n')
    (tmp_path / "a.toml").write_text('# a comment\nid   = "first"\n')
    sets = load_card_sets(tmp_path, lambda content, digest: CardSet(content["id"], "", digest, ()))
    assert list(sets) == ["first", "second"]
    assert sets["first"].digest == content_digest({"id": "first"}) != sets["second"].digest


@pytest.mark.parametrize(("files", "said"), [({}, "holds no card set"), ({"a": "id = 1 2"}, "a.toml"), ({"a": 'id="x"', "b": 'id="x"'}, "b.toml: id 'x'")])
def test_a_folder_of_card_sets_that_cannot_be_read(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(text)
    with pytest.raises(CardSetError, match=said):
        load_card_sets(tmp_path, lambda content, digest: CardSet(content["id"], "", digest, ()))


class Beast(msgspec.Struct):
    id: str
    legs: int


def test_a_bad_entry_is_named_by_its_id_or_its_number() -> None:
    assert read_entries([{"id": "cow", "legs": 4}], Beast, "beast") == [Beast("cow", 4)]
    with pytest.raises(CardSetError, match=r"^beast hen: .*`int`.*legs"):
        read_entries([{"id": "cow", "legs": 4}, {"id": "hen", "legs": "two"}], Beast, "beast")
    with pytest.raises(CardSetError, match=r"^beast 2: .*id"):
        read_entries([{"id": "cow", "legs": 4}, {"legs": 2}], Beast, "beast")


def test_rules_are_read_from_the_table(tmp_path: Path) -> None:
    page = tmp_path / "RULES.md"
    before = "# X\n\n| no | NO-1 | x |\n\n## Rules\n\n| id | rule | s |\n| --- | --- | --- |\n"
    page.write_text(before + "| A-1 | One. | Start |\n| A-2 | Two [H]. | End |\n| B-1 | Three. | (house) |\n\n## Other\n\n| C-1 | No. | x |\n")
    assert [(rule.rule, rule.text, rule.section, rule.house) for rule in read_rules(page)] == [
        ("A-1", "One.", "Start", False), ("A-2", "Two.", "End", True), ("B-1", "Three.", "house", True),
    ]  # fmt: skip
    page.write_text("## Rules\n| A-1 | One. | x |\n| A-1 | Again. | x |\n")
    with pytest.raises(ValueError, match="A-1|no rules"):
        read_rules(page)


# ---- tables, decisions, violations


class Told(Event, frozen=True):
    seat: int
    secret: str | UnsetType = UNSET


def test_an_event_shows_each_viewer_what_its_audience_says() -> None:
    table: Table = Table(Generator(bytes(32)))
    table.emit(Told(1, "x"), private={"secret": (1,)})
    table.emit(Told(2, "y"), seats=(2,))
    table.emit(Told(3, "z"))
    assert [[emitted.seen_by(viewer) for emitted in table.events] for viewer in (0, 1, 2)] == [
        [Told(1), None, Told(3, "z")], [Told(1, "x"), None, Told(3, "z")], [Told(1), Told(2, "y"), Told(3, "z")],
    ]  # fmt: skip
    stored = msgspec.msgpack.encode(table.events)
    assert msgspec.msgpack.decode(stored, type=list[Emitted[Told]]) == table.events


class Which(Question, frozen=True):
    number: int


def decision(seat: int, kind: str = "A", number: int = 1, offer: int = 0) -> Decision:
    return Decision(seat, seat, kind, Which(number), offer)


def test_the_movers_decision_closes_and_others_stay_while_they_read_the_same() -> None:
    before = [decision(1), decision(2), decision(3)]
    closed, opened = changes(before, [decision(1), decision(2), decision(3, number=2)], mover=1)
    assert (closed, opened) == ([decision(1), decision(3)], [decision(1), decision(3, number=2)])
    assert changes(before, [decision(2, offer=1)], mover=1) == (before, [decision(2, offer=1)])
    assert changes([], [decision(2)], mover=0) == ([], [decision(2)])


def test_a_violation_that_is_raised_anew_is_equal_and_another() -> None:
    constant = Violation("CODE", "A-1", "No.", "field")
    anew = constant.anew()
    assert anew == constant
    assert anew is not constant
    assert "CODE" in str(anew)


def test_digests_chain() -> None:
    assert chain(chain(b"", b"a"), b"b") != chain(chain(b"", b"b"), b"a") != chain(b"", b"ab")
