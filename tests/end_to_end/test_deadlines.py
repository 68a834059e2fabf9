"""Deadlines and leaving, over every transport."""

from datetime import datetime, timedelta

from tests.matchmaking import create
from tests.serving import Caller


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_deadline_is_shown_with_every_decision(caller: Caller) -> None:
    match = create(caller, move_timeout="30s")
    seen = match.view(match.asked)
    assert seen["moveTimeout"] == "30s"
    assert at(seen["decisions"][0]["deadline"]) == at(seen["updateTime"]) + timedelta(seconds=30)
    listed = match.legal()["decision"]["deadline"]
    played = match.play("draw")
    opened = played["updates"][-1]["decisionsOpened"][0]
    assert played["decision"]["deadline"] == opened["deadline"] >= listed
    assert match.must("ListEvents", match.spectator)["updates"][-1]["decisionsOpened"][0] == opened


def test_without_a_time_for_moves_there_is_no_deadline(caller: Caller) -> None:
    match = create(caller)
    seen = match.view(match.asked)
    assert "moveTimeout" not in seen
    assert "deadline" not in seen["decisions"][0]


def test_house_bots_have_no_deadline(caller: Caller) -> None:
    match = create(caller, seats=[{}, {"house_bot": "random"}], move_timeout="5s")
    opened = [one for update in match.must("ListEvents", match.spectator)["updates"] for one in update["decisionsOpened"]]
    assert {"deadline" in one for one in opened if one["seat"] == 1} == {True}
    assert not any("deadline" in one for one in opened if one["seat"] == 2)


def test_who_leaves_gives_the_match_to_the_other_and_can_say_so_twice(caller: Caller) -> None:
    match = create(caller)
    left = match.must("ResignSeat", match.credentials[1])["match"]
    assert left["status"] == "MATCH_STATUS_FINISHED"
    assert (left["outcome"]["winners"], left["outcome"]["reason"]) == ([2], "RESIGNATION")
    assert [seat["left"] for seat in left["seats"]] == [True, False]
    assert match.must("ResignSeat", match.credentials[1])["match"] == left
    last = match.must("ListEvents", match.spectator)["updates"][-1]
    assert (last["cause"], last["seat"]) == ("CAUSE_LEAVE", 1)
    assert last["events"][0] == {"match": {"left": {"seat": 1}}}
