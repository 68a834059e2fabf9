"""A seat that was taken over stands in the proof; a take-over that was forged, left out or moved does not pass."""

import copy
from typing import Any

import pytest

from engines.kit.chance import Draw
from engines.kit.table import Emitted
from engines.registry import games
from service.matches.replay import NotToBeRepeated, before_the_deal, repeat
from service.messages import Cause, SeatLeft, SeatTakenOver
from service.verify.comparing import Difference
from tests.service.verify.matches import played, rechain, renumber, rewrite_entry, tree_of, verified

GAME = games()["goldn_crash"]
MATCH = played(GAME, GAME.modes[0], 3, bots=True, late=0.2, taken_over=0.2)
PROOF = tree_of(MATCH)
INDEX = next(index for index, entry in enumerate(MATCH.entries) if entry.cause is Cause.ADMIN)


@pytest.fixture
def tree() -> dict[str, Any]:
    return copy.deepcopy(PROOF)


def place(tree: dict[str, Any]) -> tuple[int, str]:
    rechain(tree)
    with pytest.raises(Difference) as found:
        verified(tree)
    return found.value.version, found.value.field


def test_it_is_shown_and_verified() -> None:
    assert verified(PROOF).match.version == len(MATCH.entries)
    step = PROOF["steps"][INDEX]
    assert (step["cause"], step["seat"], step["moveId"], step["draws"]) == ("CAUSE_ADMIN", 1, "", [])
    assert step["events"] == [{"match": {"takenOver": {"seat": 1}}}]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"move": GAME.move_reader.read("draw")}, "cause"),
        ({"draws": (Draw("a draw", (1,)),)}, "draws[0]"),
        ({"seat": 2}, "cause"),
        ({"seat": 0}, "seat"),
        ({"seat": 3}, "seat"),
        ({"events": ()}, "events[0]"),
        ({"events": (Emitted(SeatLeft(1), None, {}),)}, "events[0].match.takenOver"),
        ({"events": (Emitted(SeatTakenOver(2), None, {}),)}, "events[0].match.takenOver.seat"),
        ({"events": (Emitted(SeatTakenOver(1), (1,), {}),)}, "entry.events[0].seats"),
    ],
    ids=["a move", "a draw", "a house bot's seat", "nobody's seat", "no seat", "untold", "another event", "another seat's event", "told to one seat only"],
)
def test_a_forged_one_is_found(tree: dict[str, Any], changes: dict[str, Any], field: str) -> None:
    rewrite_entry(tree, INDEX, **changes)
    found = place(tree)
    assert found[0] == INDEX + 1
    assert found[1].startswith(field), found


def test_one_that_answers_a_decision_or_asks_for_one_is_found(tree: dict[str, Any]) -> None:
    asked = MATCH.entries[INDEX - 1].opened
    before = next(entry for entry in reversed(MATCH.entries[:INDEX]) if entry.opened)
    rewrite_entry(tree, INDEX, opened=asked or before.opened)
    assert place(tree) == (INDEX + 1, "entry.opened[0]")


@pytest.mark.parametrize("cause", [Cause.LEAVE, Cause.PERSON, Cause.DEFAULT, Cause.BOT])
def test_one_that_was_given_another_cause_is_found(tree: dict[str, Any], cause: Cause) -> None:
    rewrite_entry(tree, INDEX, cause=cause)
    assert place(tree)[0] == INDEX + 1


def test_a_move_that_is_said_to_be_a_take_over_is_found(tree: dict[str, Any]) -> None:
    index = next(index for index, entry in enumerate(MATCH.entries) if entry.cause is Cause.PERSON)
    rewrite_entry(tree, index, cause=Cause.ADMIN)
    assert place(tree) == (index + 1, "cause")


def test_one_after_the_end_is_found(tree: dict[str, Any]) -> None:
    tree["steps"].append(copy.deepcopy(tree["steps"][INDEX]))
    renumber(tree)
    assert place(tree) == (len(MATCH.entries) + 1, "version")


def test_one_that_is_left_out_is_found_by_the_ids_of_the_decisions(tree: dict[str, Any]) -> None:
    del tree["steps"][INDEX]
    renumber(tree)
    assert place(tree)[0] > INDEX


@pytest.mark.parametrize("at", ["before the deal", "after the end"])
def test_a_log_with_one_out_of_place_is_not_played_again(at: str) -> None:
    again = before_the_deal(MATCH)
    if at == "after the end":
        for entry in MATCH.entries:
            assert repeat(again, entry) == entry
    version = again.record.version
    with pytest.raises(NotToBeRepeated):
        repeat(again, MATCH.entries[INDEX])
    assert again.record.version == version


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_a_log_with_one_of_another_than_a_persons_seat_is_not_played_again(seat: int) -> None:
    again = before_the_deal(MATCH)
    for entry in MATCH.entries[:INDEX]:
        repeat(again, entry)
    changed = type(entry)(**{name: getattr(MATCH.entries[INDEX], name) for name in type(entry).__struct_fields__} | {"seat": seat})
    with pytest.raises(NotToBeRepeated):
        repeat(again, changed)
