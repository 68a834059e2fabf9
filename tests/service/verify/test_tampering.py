"""Whatever is changed in a proof is found, and the first place where it shows is named.

Long, since each case is a few lines and they share their match.
"""

import base64
import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from engines.kit import play
from engines.kit.chance import Draw
from engines.registry import games
from service.matches.replay import before_the_deal, repeat
from service.messages import Cause
from service.verify.comparing import Difference
from service.verify.proof_file import Unusable
from tests.service.verify.matches import LIBRARY, entry_of, played, rechain, renumber, rewrite_entry, tree_of, verified

GAME = games()["goldn_crash"]
MATCH = played(GAME, GAME.modes[0], 3, bots=True, late=0.2, client_seeds=True)
PROOF = tree_of(MATCH)
STEPS = len(PROOF["steps"])


@pytest.fixture
def tree() -> dict[str, Any]:
    return copy.deepcopy(PROOF)


def difference(tree: dict[str, Any]) -> Difference:
    with pytest.raises(Difference) as found:
        verified(tree)
    return found.value


def place(tree: dict[str, Any]) -> tuple[int, str]:
    found = difference(tree)
    return found.version, found.field


def index_of(holds: Callable[[Any], object], after: int = 3) -> int:
    return next(index for index in range(after, STEPS) if holds(entry_of(PROOF, index)))


def a_drawing_step() -> int:
    """A step after the deal in which a seat draws a card, by its own choice."""
    return index_of(lambda entry: entry.cause is Cause.PERSON and type(entry.move).__name__ == "Draw" and len(entry.events) == 1)


# ---- moves


def test_another_move_in_what_is_shown(tree: dict[str, Any]) -> None:
    index = a_drawing_step()
    tree["steps"][index]["moveId"] = "pass_turn"
    found = difference(tree)
    assert (found.version, found.field, found.expected, found.found) == (index + 1, "moveId", "draw", "pass_turn")


def test_another_typed_move(tree: dict[str, Any]) -> None:
    index = a_drawing_step()
    tree["steps"][index]["move"] = {"goldnCrash": {"passTurn": {}}}
    assert place(tree) == (index + 1, "move.goldnCrash.draw")


def test_an_illegal_move_that_the_log_was_made_to_fit(tree: dict[str, Any]) -> None:
    index = a_drawing_step()
    rewrite_entry(tree, index, move=GAME.move_reader.read("pass_turn"))
    rechain(tree)
    found = difference(tree)
    assert (found.version, found.field) == (index + 1, "move")
    assert "TURN-5" in found.why


def test_another_legal_move_that_the_log_was_made_to_fit(tree: dict[str, Any]) -> None:
    index = a_drawing_step()
    state, seat = replayed_to(index), entry_of(tree, index).seat
    other = next(move for move in play.legal_moves(MATCH.engine, state, seat) if type(move).__name__ == "PlayCard")
    rewrite_entry(tree, index, move=other)
    rechain(tree)
    assert place(tree) == (index + 1, "events[0].goldnCrash.cardPlayed")


def test_a_default_move_that_the_game_would_not_have_made(tree: dict[str, Any]) -> None:
    index = index_of(lambda entry: entry.cause is Cause.DEFAULT and type(entry.move).__name__ == "Draw")
    seat = entry_of(tree, index).seat
    other = next(move for move in play.legal_moves(MATCH.engine, replayed_to(index), seat) if type(move).__name__ != "Draw")
    rewrite_entry(tree, index, move=other)
    rechain(tree)
    version, field = place(tree)
    assert version == index + 1
    assert field.startswith("move.goldnCrash.")


def replayed_to(index: int) -> Any:
    again = before_the_deal(MATCH)
    for entry in MATCH.entries[:index]:
        repeat(again, entry)
    return again.state


# ---- chance


def test_another_draw(tree: dict[str, Any]) -> None:
    tree["steps"][0]["draws"][1]["values"][4] += 1
    assert place(tree) == (1, "draws[1].values[4]")


def test_another_draw_that_the_log_was_made_to_fit(tree: dict[str, Any]) -> None:
    first, second, *rest = entry_of(tree, 0).draws
    swapped = Draw(second.name, (second.results[0] ^ 1, *second.results[1:]))
    rewrite_entry(tree, 0, draws=(first, swapped, *rest))
    rechain(tree)
    found = difference(tree)
    assert (found.version, found.field, found.expected) == (1, "draws[1].values[0]", second.results[0])


def test_a_draw_left_out(tree: dict[str, Any]) -> None:
    rewrite_entry(tree, 0, draws=entry_of(tree, 0).draws[:-1])
    rechain(tree)
    last = len(entry_of(PROOF, 0).draws) - 1
    assert place(tree) == (1, f"draws[{last}]")


def test_another_seed(tree: dict[str, Any]) -> None:
    tree["seed"] = "00" * 31 + "04"
    assert place(tree) == (0, "seed")


def test_another_seed_with_its_commitment(tree: dict[str, Any]) -> None:
    other = tree_of(played(GAME, GAME.modes[0], 4))
    tree["seed"], tree["match"]["seedCommitment"] = other["seed"], other["match"]["seedCommitment"]
    version, field = place(tree)
    assert version == 1
    assert field.startswith("draws[")


def test_another_commitment(tree: dict[str, Any]) -> None:
    tree["match"]["seedCommitment"] = "00" * 32
    assert place(tree) == (0, "seed")


def test_a_seed_that_is_none(tree: dict[str, Any]) -> None:
    tree["seed"] = tree["seed"][:-2]
    assert place(tree) == (0, "seed")


def test_another_client_seed(tree: dict[str, Any]) -> None:
    tree["clientSeeds"][0]["text"] += "!"
    version, field = place(tree)
    assert version == 1
    assert field.startswith("draws[")


def test_a_client_seed_left_out(tree: dict[str, Any]) -> None:
    tree["clientSeeds"] = []
    assert place(tree) == (0, "match.seedSource")


def test_a_client_seed_left_out_with_its_mention(tree: dict[str, Any]) -> None:
    tree["clientSeeds"] = []
    tree["match"]["seedSource"] = "SEED_SOURCE_SERVER"
    assert place(tree)[0] == 1


# ---- what happened


def test_another_event(tree: dict[str, Any]) -> None:
    index = a_drawing_step()
    [event] = tree["steps"][index]["events"]
    event["goldnCrash"]["cardsDrawn"]["cards"] = ["GOLD_4" if event["goldnCrash"]["cardsDrawn"]["cards"] != ["GOLD_4"] else "GOLD_5"]
    assert place(tree) == (index + 1, "events[0].goldnCrash.cardsDrawn.cards[0]")


def test_another_event_that_the_log_was_made_to_fit(tree: dict[str, Any]) -> None:
    index = a_drawing_step()
    [emitted] = entry_of(tree, index).events
    event = msgspec.structs.replace(emitted.event, cards=("NO_SUCH_CARD",))
    rewrite_entry(tree, index, events=(msgspec.structs.replace(emitted, event=event),))
    rechain(tree)
    found = difference(tree)
    assert (found.version, found.field, found.found) == (index + 1, "events[0].goldnCrash.cardsDrawn.cards[0]", "NO_SUCH_CARD")


def test_an_event_that_others_were_shown_than_it_says(tree: dict[str, Any]) -> None:
    index = a_drawing_step()
    [emitted] = entry_of(tree, index).events
    rewrite_entry(tree, index, events=(msgspec.structs.replace(emitted, private={"cards": (1, 2)}),))
    rechain(tree)
    assert place(tree)[0] == index + 1
    assert place(tree)[1].startswith("entry.events[0].private.cards")


def test_another_decision_that_was_opened(tree: dict[str, Any]) -> None:
    index = index_of(lambda entry: entry.opened)
    (opened,) = entry_of(tree, index).opened
    rewrite_entry(tree, index, opened=(msgspec.structs.replace(opened, kind="SECURE"),))
    rechain(tree)
    assert place(tree) == (index + 1, "entry.opened[0].kind")


def test_another_deadline(tree: dict[str, Any]) -> None:
    index = index_of(lambda entry: entry.opened and entry.opened[0].deadline)
    (opened,) = entry_of(tree, index).opened
    rewrite_entry(tree, index, opened=(msgspec.structs.replace(opened, deadline=opened.deadline - 1),))
    rechain(tree)
    assert place(tree) == (index + 1, "entry.opened[0].deadline")


# ---- who, why, when


@pytest.mark.parametrize(
    ("was", "becomes"), [(Cause.PERSON, Cause.BOT), (Cause.PERSON, Cause.DEFAULT), (Cause.BOT, Cause.PERSON), (Cause.PERSON, Cause.SET_UP)]
)
def test_another_cause_that_the_log_was_made_to_fit(tree: dict[str, Any], was: Cause, becomes: Cause) -> None:
    index = index_of(lambda entry: entry.cause is was)
    rewrite_entry(tree, index, cause=becomes)
    rechain(tree)
    assert place(tree) == (index + 1, "cause")


def test_a_missed_deadline_that_was_not_missed(tree: dict[str, Any]) -> None:
    index = index_of(lambda entry: entry.cause is Cause.DEFAULT)
    rewrite_entry(tree, index, time=entry_of(tree, index - 1).time)
    rechain(tree)
    assert place(tree) == (index + 1, "cause")


def test_a_move_that_came_too_late(tree: dict[str, Any]) -> None:
    index = index_of(lambda entry: entry.cause is Cause.PERSON)
    rewrite_entry(tree, index, time=entry_of(tree, index).time + 20_000)
    rechain(tree)
    assert place(tree) == (index + 1, "time")


def test_a_move_of_another_seat(tree: dict[str, Any]) -> None:
    index = index_of(lambda entry: entry.cause is Cause.PERSON)
    tree["steps"][index]["seat"] = 2
    assert place(tree) == (index + 1, "seat")
    tree = copy.deepcopy(PROOF)
    for seat in (0, 2, 3, -1):
        rewrite_entry(tree, index, seat=seat)
        assert place(tree)[0] == index + 1
        assert place(tree)[1] in {"seat", "cause"}


# ---- digests and entries


def test_another_digest_of_a_step(tree: dict[str, Any]) -> None:
    tree["steps"][7]["digest"] = "00" * 32
    assert place(tree) == (8, "digest")


def test_another_digest_at_the_end(tree: dict[str, Any]) -> None:
    tree["digest"] = "00" * 32
    assert place(tree) == (STEPS, "digest")


def test_an_entry_of_another_match(tree: dict[str, Any]) -> None:
    tree["steps"][7]["entry"] = tree_of(played(GAME, GAME.modes[0], 5))["steps"][7]["entry"]
    assert place(tree)[0] == 8


@pytest.mark.parametrize("entry", ["", "AAAA", "not base64", "é", "gA=="])
def test_an_entry_that_is_none(tree: dict[str, Any], entry: str) -> None:
    tree["steps"][7]["entry"] = entry
    assert place(tree) == (8, "entry")


def in_other_bytes(entry: bytes) -> Iterator[bytes]:
    content = msgspec.msgpack.decode(entry)
    yield msgspec.msgpack.encode([*content, "more than a log holds"])
    yield msgspec.msgpack.encode([*content[:5], [[*content[5][0], {"more": 1}], *content[5][1:]], *content[6:]])
    yield b"\xdc" + (entry[0] & 15).to_bytes(2, "big") + entry[1:]  # the same array, with a longer head


def test_an_entry_that_says_the_same_in_other_bytes_and_digests_made_to_fit(tree: dict[str, Any]) -> None:
    index = a_drawing_step()
    for entry in in_other_bytes(base64.b64decode(PROOF["steps"][index]["entry"])):
        tree["steps"][index]["entry"] = base64.b64encode(entry).decode()
        rechain(tree)
        assert place(tree) == (index + 1, "entry")


# ---- steps


@pytest.mark.parametrize("index", [0, 6, STEPS - 2])
def test_a_step_left_out(tree: dict[str, Any], index: int) -> None:
    del tree["steps"][index]
    found = difference(tree)
    assert (found.version, found.field, found.found) == (index + 1, "version", index + 2)


def test_the_last_step_left_out(tree: dict[str, Any]) -> None:
    del tree["steps"][-1]
    assert place(tree) == (STEPS, "steps")


def test_the_last_step_left_out_everywhere(tree: dict[str, Any]) -> None:
    del tree["steps"][-1]
    renumber(tree)
    rechain(tree)
    assert place(tree) == (STEPS - 1, "match.status")


@pytest.mark.parametrize("index", range(1, STEPS - 1, 5))
def test_a_step_left_out_and_the_others_made_to_fit(tree: dict[str, Any], index: int) -> None:
    del tree["steps"][index]
    renumber(tree)
    rechain(tree)
    found = difference(tree)
    assert index + 1 <= found.version <= index + 2  # the step that comes in its place, or at the latest what that opens


def test_two_steps_in_the_wrong_order(tree: dict[str, Any]) -> None:
    tree["steps"][7], tree["steps"][8] = tree["steps"][8], tree["steps"][7]
    assert place(tree) == (8, "version")


@pytest.mark.parametrize("index", range(1, STEPS - 1, 5))
def test_two_steps_in_the_wrong_order_and_made_to_fit(tree: dict[str, Any], index: int) -> None:
    tree["steps"][index], tree["steps"][index + 1] = tree["steps"][index + 1], tree["steps"][index]
    renumber(tree)
    rechain(tree)
    assert difference(tree).version in {index + 1, index + 2}


def test_a_step_twice(tree: dict[str, Any]) -> None:
    tree["steps"].insert(7, copy.deepcopy(tree["steps"][7]))
    assert place(tree) == (9, "version")


def test_a_step_after_the_end(tree: dict[str, Any]) -> None:
    tree["steps"].append(copy.deepcopy(tree["steps"][-1]))
    renumber(tree)
    rechain(tree)
    found = difference(tree)
    assert (found.version, found.field) == (STEPS + 1, "version")
    assert "after the end" in found.why


# ---- how it began and ended


def test_another_winner(tree: dict[str, Any]) -> None:
    tree["match"]["outcome"]["winners"] = [3 - winner for winner in tree["match"]["outcome"]["winners"]] or [1]
    assert place(tree) == (STEPS, "match.outcome.winners[0]")


def test_another_view_at_the_end(tree: dict[str, Any]) -> None:
    tree["match"]["view"]["goldnCrash"]["turn"] += 1
    assert place(tree) == (STEPS, "match.view.goldnCrash.turn")


def test_another_option(tree: dict[str, Any]) -> None:
    tree["options"]["goldnCrash"]["roundLimit"] = 11
    assert place(tree)[1].startswith(("match.view", "events", "draws"))


def test_an_option_out_of_range(tree: dict[str, Any]) -> None:
    tree["options"]["goldnCrash"]["roundLimit"] = 9
    assert place(tree) == (0, "options.goldn_crash.round_limit")


def test_no_options(tree: dict[str, Any]) -> None:
    del tree["options"]
    assert place(tree) == (0, "options")


def test_another_card_set_under_the_same_name(tree: dict[str, Any]) -> None:
    tree["match"]["cardSetDigest"] = "sha256:" + "00" * 32
    assert place(tree) == (0, "match.cardSetDigest")


def test_another_mode(tree: dict[str, Any]) -> None:
    tree["match"]["mode"] = "SOLO"
    assert place(tree) == (0, "match.mode")


def test_a_seat_left_out(tree: dict[str, Any]) -> None:
    del tree["match"]["seats"][1]
    assert place(tree) == (0, "match.seats")


# ---- what cannot be judged


@pytest.mark.parametrize(("field", "value"), [("game", "chess"), ("ruleset", 99), ("cardSet", "no_such_set")])
def test_what_this_release_does_not_know_is_no_difference(tree: dict[str, Any], field: str, value: Any) -> None:
    tree["match"][field] = value
    with pytest.raises(Unusable, match="does not know"):
        verified(tree)


# ---- everything else


FREE = ("match.matchId", "match.createTime", "match.expireTime")
"""What a proof does not prove: how things are called, and for how long the match is kept. A seat's fields come below."""
FREE_OF_A_SEAT = {"displayName", "metadata", "houseBot", "claimed"}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    match value:
        case dict():
            for name, held in value.items():
                yield from leaves(held, (*path, name))
        case list():
            for index, held in enumerate(value):
                yield from leaves(held, (*path, index))
        case _:
            yield path


def other(value: Any, rng: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice([-1, 1])
        case str() if value.endswith("Z") and "T" in value:
            return value[:-1].replace("2027", "2028") + "Z"
        case str() if value.endswith("s") and value[:-1].isdigit():
            return f"{int(value[:-1]) + 1}s"
        case str() if value:
            at = rng.randrange(len(value))
            return value[:at] + ("A" if value[at] != "A" else "B") + value[at + 1 :]
    return "A"


def is_free(path: tuple[Any, ...]) -> bool:
    return ".".join(map(str, path)) in FREE or (path[:2] == ("match", "seats") and path[-1] in FREE_OF_A_SEAT)


def test_no_value_can_be_changed_without_being_found() -> None:
    rng = random.Random(1)
    everywhere = [path for path in leaves(PROOF) if not is_free(path)]
    assert len(everywhere) > 1_000
    chosen = [path for path in everywhere if path[0] != "steps"] + rng.sample([path for path in everywhere if path[0] == "steps"], 150)
    for path in chosen:
        tree = copy.deepcopy(PROOF)
        held = tree
        for name in path[:-1]:
            held = held[name]
        held[path[-1]] = other(held[path[-1]], rng)
        assert json.dumps(tree) != json.dumps(PROOF)
        with pytest.raises((Difference, Unusable)):
            verified(tree)
            pytest.fail(f"not found: {path}")


def test_names_notes_and_the_time_of_the_creation_are_not_proved() -> None:
    tree = copy.deepcopy(PROOF)
    tree["match"]["seats"][0]["displayName"] = "Somebody else"
    assert verified(tree).match.seats[0].display_name == "Somebody else"


def test_the_match_of_these_tests_is_as_they_want_it() -> None:
    assert {entry.cause for entry in MATCH.entries} == {Cause.SET_UP, Cause.PERSON, Cause.BOT, Cause.DEFAULT}
    assert LIBRARY.find(GAME.id).game is GAME
    assert verified(PROOF).match.version == STEPS
