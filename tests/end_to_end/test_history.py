"""The past of a finished match: what it shows at a version is, to the byte, what it showed at that version while it was played."""

from typing import Any

import pytest

from tests.matchmaking import Played, at_random, create
from tests.serving import Caller

LONGEST = "2592000s"


def viewers(match: Played) -> dict[tuple[str, int | None], str]:
    """The credentials of a match, each with the seat that it names: its own, or none."""
    looks: dict[tuple[str, int | None], str] = {("spectator", None): match.spectator, ("creator", None): match.creator}
    if match.credentials[1] == match.credentials.get(2):
        return looks | {("both seats", seat): match.credentials[1] for seat in (0, 1, 2)}
    for seat, credential in match.credentials.items():
        looks |= {(f"seat {seat}", None): credential, (f"seat {seat} as the public", 0): credential}
    return looks


def seen(match: Played, **more: Any) -> dict[tuple[str, int | None], bytes]:
    shown = {}
    for (who, seat), credential in viewers(match).items():
        request = {"match_id": match.match_id} | ({} if seat is None else {"seat": seat}) | more
        answer = match.caller.call("GetMatch", request, credential)
        assert answer.ok, (who, answer)
        shown[who, seat] = answer.raw
    return shown


WANTED = {
    "two seats": {},
    "hot seat": {"hot_seat": True},
    "with deadlines": {"move_timeout": LONGEST, "ttl": "60s"},
    "secret choices": {"game": "monster_mash_up"},
    "an automaton": {"game": "monster_mash_up", "seats": [{}]},
}


@pytest.mark.parametrize("wanted", WANTED.values(), ids=WANTED)
def test_at_every_version_every_viewer_is_shown_what_it_was_shown_then(caller: Caller, wanted: dict[str, Any]) -> None:
    match = create(caller, seed="5" * 64, **wanted)
    choose = at_random(5)
    live = {match.version: seen(match)}
    while match.decision is not None:
        seat = match.decision["seat"]
        named = {"seat": seat} if "hot_seat" in wanted else {}
        match.play(choose({}, match.legal(**named)["legalMoves"])["moveId"], omit_view=True, omit_legal_moves=True, **named)
        live[match.version] = seen(match)
    assert sorted(live) == list(range(1, match.version + 1))
    assert len({shown["spectator", None] for shown in live.values()}) == len(live)
    for version, shown in live.items():
        assert seen(match, at_version=version) == shown, version


def test_it_is_shown_what_it_was_shown_before_a_seat_left(caller: Caller) -> None:
    match = create(caller, seed="6" * 64)
    match.play("draw")
    live = seen(match)
    match.must("ResignSeat", match.credentials[2])
    assert seen(match, at_version=2) == live
    assert seen(match, at_version=3) == seen(match)
    assert match.view(match.spectator, at_version=2)["seats"][1]["left"] is False
    assert match.view(match.spectator)["seats"][1]["left"] is True


def test_steps_that_a_house_bot_made_are_shown_each(caller: Caller) -> None:
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {"house_bot": "keen"}], "seed": "7" * 64})
    match, own, choose = Played(caller, created.body), created.body["seats"][0]["credential"], at_random(7)
    live: dict[int, bytes] = {}
    while (listed := match.must("ListLegalMoves", own)).get("decision"):
        answer = caller.call("GetMatch", {"match_id": match.match_id}, own)
        live[answer.body["match"]["version"]] = answer.raw
        match.must("ApplyMove", own, decision_id=listed["decision"]["decisionId"], move_id=choose({}, listed["legalMoves"])["moveId"])
    last = match.view(own)
    assert len(live) < last["version"]
    for version in range(1, last["version"] + 1):
        answer = caller.call("GetMatch", {"match_id": match.match_id, "at_version": version}, own)
        assert answer.body["match"]["version"] == version
        assert answer.raw == live.get(version, answer.raw)


def test_before_the_deal_there_was_no_view(caller: Caller) -> None:
    match = create(caller, seed="8" * 64)
    match.must("ResignSeat", match.credentials[1])
    shown = match.view(match.credentials[1], at_version=0)
    assert (shown["version"], shown["status"], shown["decisions"]) == (0, "MATCH_STATUS_WAITING", [])
    assert "view" not in shown
    assert "outcome" not in shown


def test_the_view_can_be_left_out(caller: Caller) -> None:
    match = create(caller, seed="9" * 64)
    match.must("ResignSeat", match.credentials[1])
    shown = match.view(match.credentials[1], at_version=1, omit_view=True)
    assert shown["status"] == "MATCH_STATUS_ACTIVE"
    assert "view" not in shown


def test_the_past_of_a_deleted_match_is_gone(caller: Caller) -> None:
    match = create(caller)
    match.must("ResignSeat", match.credentials[1])
    match.must("DeleteMatch", match.creator)
    answer = caller.call("GetMatch", {"match_id": match.match_id, "at_version": 1}, match.spectator)
    assert answer.reason == "MATCH_NOT_FOUND"
