"""A decision is answered once, however many ask, over however many workers."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.private_redis import PrivateRedis
from tests.matchmaking import Played, create
from tests.serving import Answer, Caller, GrpcCaller, RestCaller, Serving


@pytest.fixture(scope="module")
def two_workers(redis_server: PrivateRedis) -> Iterator[list[Serving]]:
    """Two workers on ports of their own, over one store: a test decides which of them it calls."""
    running = [Serving(redis_server.url).start() for _ in range(2)]
    yield running
    for serving in running:
        serving.stop()


@pytest.fixture(params=[GrpcCaller, RestCaller], ids=["grpc", "rest"])
def pair(request: pytest.FixtureRequest, two_workers: list[Serving]) -> Iterator[list[Caller]]:
    callers = [request.param(serving) for serving in two_workers]
    yield callers
    for caller in callers:
        caller.close()


def at_once(requests: list[tuple[Caller, dict[str, Any], str]]) -> list[Answer]:
    with ThreadPoolExecutor(max_workers=len(requests)) as pool:
        return list(pool.map(lambda request: request[0].call("ApplyMove", request[1], request[2]), requests))


def a_move(match: Played, **more: Any) -> dict[str, Any]:
    assert match.decision is not None
    return {"match_id": match.match_id, "decision_id": match.decision["decisionId"], "move_id": "draw"} | more


def test_of_64_clients_that_answer_one_decision_exactly_one_succeeds(pair: list[Caller]) -> None:
    match = create(pair[0])
    asked = match.asked
    answers = at_once([(pair[index % 2], a_move(match), asked) for index in range(64)])
    assert sorted({answer.code for answer in answers}) == ["ABORTED", "OK"]
    assert sum(answer.ok for answer in answers) == 1
    assert {answer.reason for answer in answers if not answer.ok} == {"DECISION_CLOSED"}
    assert match.view(asked)["version"] == 2


def test_ten_equal_requests_at_once_are_applied_once_and_answered_alike(pair: list[Caller]) -> None:
    match = create(pair[0])
    asked = match.asked
    answers = at_once([(pair[index % 2], a_move(match, request_id="same"), asked) for index in range(10)])
    assert [answer.code for answer in answers] == ["OK"] * 10
    assert all(answer.body == answers[0].body for answer in answers)
    assert match.view(asked)["version"] == 2


def test_a_repeated_request_answers_with_its_own_steps_and_the_match_as_of_now(pair: list[Caller]) -> None:
    match = create(pair[0])
    request, asked = a_move(match, request_id="first"), match.asked
    first = match.play("draw", request_id="first")
    match.play("draw")
    again = pair[1].call("ApplyMove", request, asked)
    assert again.ok
    assert again.body["appliedVersion"] == first["appliedVersion"] == 2
    assert again.body["updates"] == first["updates"]
    assert again.body["version"] == 3
    assert "decision" not in again.body


def test_the_same_id_with_another_body_is_refused(pair: list[Caller]) -> None:
    match = create(pair[0])
    request, asked = a_move(match, request_id="first"), match.asked
    match.play("draw", request_id="first")
    for other in ({"decision_id": 7}, {"move_id": "pass_turn"}):
        refused = pair[1].call("ApplyMove", request | other, asked)
        assert refused.reason == "REQUEST_ID_REUSED"
    typed = {key: value for key, value in request.items() if key != "move_id"} | {"move": {"goldn_crash": {"draw": {}}}}
    assert pair[1].call("ApplyMove", typed, asked).ok, "the same move, typed, is the same body"


def test_another_seat_cannot_fetch_the_answer_to_a_request(pair: list[Caller]) -> None:
    match = create(pair[0])
    assert match.decision is not None
    asked_seat = match.decision["seat"]
    request = a_move(match, request_id="first")
    match.play("draw", request_id="first")
    other = pair[1].call("ApplyMove", request, match.credentials[3 - asked_seat])
    assert other.reason == "NO_OPEN_DECISION"
    assert not other.body
    named = pair[1].call("ApplyMove", request | {"seat": asked_seat}, match.credentials[3 - asked_seat])
    assert named.reason == "WRONG_SEAT"


def test_a_refusal_is_not_remembered(pair: list[Caller]) -> None:
    match = create(pair[0])
    assert match.apply("pass_turn", request_id="id").reason == "ILLEGAL_MOVE"
    assert match.apply("draw", request_id="id").ok


def test_alternating_workers_never_show_an_old_state(pair: list[Caller]) -> None:
    match = create(pair[0])
    for turn in range(40):
        match.caller = pair[turn % 2]
        played = match.play("draw")
        other = pair[1 - turn % 2]
        if match.decision is None:
            break
        for caller in (other, pair[turn % 2]):
            seen = caller.call("GetMatch", {"match_id": match.match_id}, match.spectator)
            assert seen.body["match"]["version"] == played["version"]
            listed = caller.call("ListLegalMoves", {"match_id": match.match_id}, match.asked)
            assert listed.body["version"] == played["version"]
            assert listed.body["decision"]["decisionId"] == match.decision["decisionId"]


def test_a_creation_that_is_repeated_finds_its_match(pair: list[Caller]) -> None:
    request = {"game": "goldn_crash", "seats": [{}, {"house_bot": "random"}], "request_id": f"creation-{pair[0].transport}"}
    with ThreadPoolExecutor(max_workers=10) as pool:
        answers = list(pool.map(lambda index: pair[index % 2].call("CreateMatch", request), range(10)))
    assert all(answer.ok for answer in answers)
    assert len({answer.body["match"]["matchId"] for answer in answers}) == 1
    assert len({answer.body["seats"][0]["credential"] for answer in answers}) == 1
    refused = pair[1].call("CreateMatch", request | {"invite": True})
    assert (refused.reason, refused.metadata) == ("REQUEST_ID_REUSED", {"request_id": request["request_id"]})
    without = {key: value for key, value in request.items() if key != "request_id"}
    assert pair[0].call("CreateMatch", without).body["match"]["matchId"] != answers[0].body["match"]["matchId"]
