"""The retry laws, against a server that fails as it is told to: what cannot do harm is repeated, the rest is not, and nothing is done twice."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest

from tests.clients.python.conftest import Connect
from tests.clients.python.fake_server import (
    Behaviour,
    FakeServer,
    broken,
    cut_off,
    done_and_broken,
    done_and_cut_off,
    done_and_unknown,
    refused,
    silent,
    unavailable,
)
from umpire_client import DeadlineExceeded, DecisionClosed, RetryPolicy, StoreUnavailable, UmpireError, Unavailable, person

BRIEF = RetryPolicy(deadline=0.5, first_delay=0.01, longest_delay=0.02)

CALLS: dict[str, Callable[[Any], Any]] = {
    "ListGames": lambda client: client.list_games(),
    "GetGame": lambda client: client.get_game("chess"),
    "ListRules": lambda client: client.list_rules("chess"),
    "GetCardSet": lambda client: client.cards("chess", "wood"),
    "CreateMatch": lambda client: client.create_match("chess", [person(), person()]),
    "ClaimSeat": lambda client: client.claim_seat("m", "an invite"),
    "GetMatch": lambda client: client.seat("m", "c").get(),
    "ListLegalMoves": lambda client: client.seat("m", "c").legal_moves(),
    "ApplyMove": lambda client: client.seat("m", "c").apply("draw", decision_id=1),
    "ListEvents": lambda client: list(client.spectator("m", "c").events()),
    "ResignSeat": lambda client: client.seat("m", "c").resign(),
    "GetProof": lambda client: client.creator("m", "c").proof(),
    "RenewInvite": lambda client: client.creator("m", "c").renew_invite(2),
    "DeleteMatch": lambda client: client.creator("m", "c").delete(),
}
RETRIED = {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
REPEATABLE = ["CreateMatch", "ClaimSeat", "ApplyMove"]

every_call = pytest.mark.parametrize("rpc", CALLS)
every_repeatable_call = pytest.mark.parametrize("rpc", REPEATABLE)


def always(fake: FakeServer, rpc: str, behaviour: Behaviour) -> None:
    fake.script[rpc].extend([behaviour] * 1000)


@every_call
@pytest.mark.parametrize(
    "trouble", [unavailable(), unavailable("SERVER_DRAINING"), unavailable("RULESET_UNKNOWN_HERE"), unavailable("NEW_TROUBLE"), broken, cut_off]
)
def test_every_call_is_repeated_while_nobody_can_answer(connect: Connect, fake: FakeServer, rpc: str, trouble: Behaviour) -> None:
    fake.script[rpc].extend([trouble, trouble])
    CALLS[rpc](connect(fake.address))
    assert len(fake.requests[rpc]) == 3


@every_call
def test_no_other_failure_is_repeated(connect: Connect, fake: FakeServer, rpc: str) -> None:
    client = connect(fake.address)
    for tries, code in enumerate(set(grpc.StatusCode) - RETRIED, 1):
        fake.script[rpc].append(refused(code, "SOMETHING_ELSE", retry_ms=10))
        with pytest.raises(UmpireError) as caught:
            CALLS[rpc](client)
        assert caught.value.code is code
        assert len(fake.requests[rpc]) == tries


@every_repeatable_call
@pytest.mark.parametrize("lost", [done_and_unknown, done_and_broken, done_and_cut_off])
def test_what_was_done_with_a_lost_answer_is_not_done_twice(connect: Connect, fake: FakeServer, rpc: str, lost: Behaviour) -> None:
    fake.script[rpc].extend([unavailable(), lost, lost])
    CALLS[rpc](connect(fake.address))
    assert len(fake.requests[rpc]) == 4
    assert len(fake.done) == 1


@every_repeatable_call
def test_all_tries_of_a_call_are_the_same_request_and_two_calls_are_not(connect: Connect, fake: FakeServer, rpc: str) -> None:
    fake.script[rpc].extend([broken, unavailable()])
    client = connect(fake.address)
    CALLS[rpc](client)
    CALLS[rpc](client)
    *tries, other = fake.requests[rpc]
    assert len(tries) == 3
    assert all(one == tries[0] for one in tries)
    assert tries[0].request_id
    assert other.request_id not in {"", tries[0].request_id}


def test_the_answer_of_a_repeated_move_is_that_of_the_first_try(connect: Connect, fake: FakeServer) -> None:
    fake.script["ApplyMove"].append(done_and_broken)
    seat = connect(fake.address).seat("m", "c")
    assert seat.apply("draw", decision_id=1).applied_version == 1
    assert seat.apply("draw", decision_id=2).applied_version == 2


def test_a_request_id_of_the_callers_own_is_kept(connect: Connect, fake: FakeServer) -> None:
    client = connect(fake.address)
    client.seat("m", "c").apply("draw", decision_id=1, request_id="mine")
    client.create_match("chess", [person()], request_id="my match")
    client.claim_seat("m", "an invite", request_id="my claim")
    assert [fake.requests[rpc][0].request_id for rpc in ("ApplyMove", "CreateMatch", "ClaimSeat")] == ["mine", "my match", "my claim"]


@every_repeatable_call
def test_when_time_runs_out_it_is_said_that_nothing_was_done(connect: Connect, fake: FakeServer, rpc: str) -> None:
    always(fake, rpc, unavailable())
    with pytest.raises(StoreUnavailable) as caught:
        CALLS[rpc](connect(fake.address, retry=BRIEF))
    assert caught.value.applied == "NO"
    assert caught.value.request_id == fake.requests[rpc][0].request_id
    assert not fake.done


@every_repeatable_call
@pytest.mark.parametrize("lost", [done_and_unknown, done_and_broken, broken, cut_off])
def test_one_try_with_an_unknown_end_makes_the_end_unknown(connect: Connect, fake: FakeServer, rpc: str, lost: Behaviour) -> None:
    fake.script[rpc].append(lost)
    always(fake, rpc, unavailable())
    with pytest.raises(Unavailable) as caught:
        CALLS[rpc](connect(fake.address, retry=BRIEF))
    assert caught.value.applied == "UNKNOWN"


@pytest.mark.parametrize(("lost", "applied"), [(done_and_broken, "UNKNOWN"), (unavailable(), "NO")])
def test_a_refusal_after_a_lost_answer_does_not_say_that_nothing_was_done(connect: Connect, fake: FakeServer, lost: Behaviour, applied: str) -> None:
    fake.script["ApplyMove"].extend([lost, refused(grpc.StatusCode.ABORTED, "DECISION_CLOSED")])
    with pytest.raises(DecisionClosed) as caught:
        connect(fake.address).seat("m", "c").apply("draw", decision_id=1)
    assert caught.value.applied == applied


def test_the_request_id_of_the_error_settles_the_move_later(connect: Connect, fake: FakeServer) -> None:
    fake.script["ApplyMove"].append(done_and_unknown)
    always(fake, "ApplyMove", unavailable())
    seat = connect(fake.address, retry=BRIEF).seat("m", "c")
    with pytest.raises(Unavailable) as caught:
        seat.apply("draw", decision_id=1)
    fake.script["ApplyMove"].clear()
    seat.apply("draw", decision_id=1, request_id=caught.value.request_id)
    assert len(fake.done) == 1


def test_a_server_that_never_answers_is_given_up(connect: Connect, fake: FakeServer) -> None:
    for rpc in ("ApplyMove", "GetMatch"):
        fake.script[rpc].append(silent)
        with pytest.raises(DeadlineExceeded) as caught:
            CALLS[rpc](connect(fake.address, retry=BRIEF))
        assert caught.value.applied == ("UNKNOWN" if rpc == "ApplyMove" else "NO")
        assert len(fake.requests[rpc]) == 1


def test_where_nobody_listens_nothing_was_done(connect: Connect, fake: FakeServer) -> None:
    fake.stop()
    with pytest.raises(Unavailable) as caught:
        CALLS["ApplyMove"](connect(fake.address, retry=BRIEF))
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE
    assert caught.value.applied == "NO"


def test_a_call_that_a_stopping_worker_cut_off_is_unavailable_and_unknown(connect: Connect, fake: FakeServer) -> None:
    fake.script["ApplyMove"].append(cut_off)
    with pytest.raises(Unavailable) as caught:
        CALLS["ApplyMove"](connect(fake.address, retry=RetryPolicy(deadline=20, first_delay=60, longest_delay=60)))
    assert (caught.value.code, caught.value.reason, caught.value.applied) == (grpc.StatusCode.CANCELLED, "", "UNKNOWN")
    assert caught.value.request_id == fake.requests["ApplyMove"][0].request_id


def test_a_match_that_an_earlier_try_has_deleted_is_deleted(connect: Connect, fake: FakeServer) -> None:
    gone = refused(grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND")
    fake.script["DeleteMatch"].extend([broken, gone])
    CALLS["DeleteMatch"](connect(fake.address))
    fake.script["DeleteMatch"].extend([unavailable(), gone])
    with pytest.raises(UmpireError, match="MATCH_NOT_FOUND"):
        CALLS["DeleteMatch"](connect(fake.address))


def test_waits_grow_differ_and_are_never_shorter_than_the_server_asks() -> None:
    policy = RetryPolicy(first_delay=0.1, longest_delay=2.0)
    drawn = [[policy.delay(retries, None) for _ in range(100)] for retries in range(2000)]
    assert all(0.05 <= delay <= 0.1 for delay in drawn[0])
    assert all(0.4 <= delay <= 0.8 for delay in drawn[3])
    assert all(1.0 <= delay <= 2.0 for delays in drawn[5:] for delay in delays)
    assert len(set(drawn[0])) > 1
    assert all(policy.delay(0, 3.0) >= 3.0 for _ in range(100))


def test_the_api_key_goes_only_where_it_is_needed(connect: Connect, fake: FakeServer) -> None:
    client = connect(fake.address, api_key="secret")
    for call in CALLS.values():
        call(client)
    keyed = {rpc for rpc, metadata in fake.metadata.items() if metadata.get("x-api-key") == "secret"}
    assert keyed == {"CreateMatch", "RenewInvite", "DeleteMatch"}
    assert {rpc for rpc, metadata in fake.metadata.items() if metadata.get("authorization") == "Bearer c"} == CALLS.keys() - {
        "ListGames", "GetGame", "ListRules", "GetCardSet", "CreateMatch", "ClaimSeat",
    }  # fmt: skip
