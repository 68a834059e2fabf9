"""Watching: each step once and in order, wherever streams break; and over an older server, which has none."""

import random
from typing import Any

import grpc
import pytest

from service.private_redis import PrivateRedis
from tests.clients.python.conftest import Connect
from tests.clients.python.fake_match import BROKEN, FakeMatch
from tests.clients.python.fake_server import Behaviour, FakeServer, refused
from tests.serving import API_KEY, Serving
from umpire.v1.match_pb2 import CAUSE_LEAVE
from umpire.v1.match_service_pb2 import GetMatchResponse, ListEventsResponse, ListLegalMovesResponse
from umpire_client import AsyncClient, Client, MatchExpired, MatchNotFound, RetryPolicy, Unavailable, house_bot, person

GAME = "goldn_crash"
TROUBLES: dict[str, Behaviour] = {
    "broken": BROKEN,
    "draining": refused(grpc.StatusCode.UNAVAILABLE, "SERVER_DRAINING", retry_ms=1),
    "cancelled": refused(grpc.StatusCode.CANCELLED, ""),
    "too slow": refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "WATCHER_TOO_SLOW", retry_ms=1, version="3"),
}
POINTS_OF_A_WATCH = 11


def spectator(connect: Connect, fake: FakeServer, **more: Any) -> Any:
    return connect(fake.address, **more).spectator("m", "c")


def numbers(seen: Any) -> list[int]:
    return [one.version for one in seen]


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("point", range(1, POINTS_OF_A_WATCH))
def test_a_break_anywhere_loses_nothing_and_repeats_nothing(connect: Connect, fake: FakeServer, trouble: str, point: int) -> None:
    match = FakeMatch(breaks={point: TROUBLES[trouble]}).serve(fake)
    seen = list(spectator(connect, fake).watch())
    assert numbers(seen) == list(range(1, match.last + 1))
    assert [seen[0].HasField("match"), *(one.HasField("update") for one in seen[1:])] == [True] * len(seen)
    assert seen[-1].outcome.reason == "DONE"
    assert len(match.opened_since) == 2


@pytest.mark.parametrize("seed", range(5))
def test_many_breaks_lose_nothing_and_repeat_nothing(connect: Connect, fake: FakeServer, seed: int) -> None:
    rng = random.Random(seed)
    match = FakeMatch(last=40, breaks={point: rng.choice(list(TROUBLES.values())) for point in rng.sample(range(1, 80), 25)}).serve(fake)
    assert numbers(spectator(connect, fake).watch(since_version=3)) == list(range(4, match.last + 1))
    assert match.opened_since[0] == 3
    assert len(match.opened_since) > 10


def test_what_is_watched_to_its_end_can_be_watched_again_from_there(connect: Connect, fake: FakeServer) -> None:
    match = FakeMatch().serve(fake)
    assert list(spectator(connect, fake).watch(since_version=match.last)) == []


def test_a_refusal_is_not_resumed(connect: Connect, fake: FakeServer) -> None:
    match = FakeMatch(breaks={4: refused(grpc.StatusCode.NOT_FOUND, "MATCH_EXPIRED")}).serve(fake)
    with pytest.raises(MatchExpired) as caught:
        list(spectator(connect, fake).watch())
    assert isinstance(caught.value, MatchNotFound)
    assert len(match.opened_since) == 1


def test_if_nobody_can_be_found_any_more_it_gives_up(connect: Connect, fake: FakeServer) -> None:
    match = FakeMatch(breaks=dict.fromkeys(range(4, 10_000), BROKEN)).serve(fake)
    with pytest.raises(Unavailable):
        list(spectator(connect, fake, retry=RetryPolicy(deadline=0.3, first_delay=0.01, longest_delay=0.02)).watch())
    assert len(match.opened_since) > 2


def test_an_older_server_is_asked_again_and_again(connect: Connect, fake: FakeServer) -> None:
    versions = iter([1, 1, 4, 4, 5])
    history = {since: ListEventsResponse() for since in (1, 4)}
    for version in (2, 3, 4):
        history[1].updates.add(version=version)
    history[4].updates.add(version=5)

    def match(*_: Any) -> GetMatchResponse:
        answer = GetMatchResponse()
        answer.match.version = next(versions, 5)
        if answer.match.version == 5:
            answer.match.status, answer.match.outcome.reason = 3, "DONE"
        return answer

    fake.script["GetMatch"].extend([match] * 20)
    fake.script["ListEvents"].extend([lambda _server, _rpc, request, _context: history[request.since_version]] * 20)
    seen = list(spectator(connect, fake).watch())
    assert numbers(seen) == [1, 2, 3, 4, 5]
    assert seen[-1].outcome.reason == "DONE"
    assert len(fake.requests["WatchMatch"]) == 1


def test_waiting_reads_a_stream_and_does_not_ask_again_and_again(connect: Connect, fake: FakeServer) -> None:
    FakeMatch(breaks={2: BROKEN}).serve(fake)
    asked = ListLegalMovesResponse(version=3)
    asked.decision.decision_id, asked.decision.seat = 3, 1
    fake.script["ListLegalMoves"].extend([lambda *_: ListLegalMovesResponse(version=1), lambda *_: asked])
    assert connect(fake.address).seat("m", "c", 1).wait() == asked
    assert {rpc: len(requests) for rpc, requests in fake.requests.items()} == {"ListLegalMoves": 2, "WatchMatch": 2}


# ---- against a live service


def test_a_match_is_watched_as_its_history_tells_it(client: Any) -> None:
    created = client.create_match(GAME, [person(), house_bot("random")])
    seat = created.seats[1]
    while (turn := seat.legal_moves()).HasField("decision"):
        seat.apply(turn.legal_moves[0], decision_id=turn.decision.decision_id)
    for watcher in (seat, created.spectator, created.creator):
        seen = list(watcher.watch(since_version=0, with_view=True))
        assert [one.update for one in seen] == list(watcher.events())
        assert seen[-1].view == watcher.get().view
        assert seen[-1].outcome == watcher.get().outcome
        assert not any(one.HasField("view") for one in seen[:-1])


def test_the_first_message_is_the_match_as_it_is(serving: Serving) -> None:
    with Client(serving.grpc, api_key=API_KEY) as client:
        created = client.create_match(GAME, [person(), person()])
        seat = created.seats[1]
        watching = seat.watch(with_view=True)
        assert next(watching).match == seat.get()
        seat.resign()
        last = next(watching)
        assert last.update.cause == CAUSE_LEAVE
        assert last.outcome.reason
        assert list(watching) == []


async def test_a_step_is_seen_as_it_happens(serving: Serving) -> None:
    async with AsyncClient(serving.grpc, api_key=API_KEY) as client:
        created = await client.create_match(GAME, [person(), person()])
        watching = created.spectator.watch()
        match = (await anext(watching)).match
        asked = created.seats[match.decisions[0].seat]
        applied = await asked.apply("draw", decision_id=match.decisions[0].decision_id)
        assert (await anext(watching)).version == applied.applied_version
        await watching.aclose()


def test_a_watcher_sees_everything_once_though_its_worker_is_killed(redis_server: PrivateRedis, key_prefix: str) -> None:
    serving = Serving(redis_server.url, key_prefix=key_prefix).start()
    try:
        with Client(serving.grpc, api_key=API_KEY) as client:
            created = client.create_match(GAME, [person(), person()])
            seen: list[int] = []
            for one in created.spectator.watch(since_version=0):
                seen.append(one.version)
                if one.version in {3, 6, 9}:
                    serving.processes[0].kill()
                    serving.processes[0].wait()
                    serving.processes[0] = serving.start_worker(0)
                if one.version == 12:
                    created.seats[1].resign()
                elif one.update.decisions_opened:
                    seat = created.seats[one.update.decisions_opened[0].seat]
                    seat.apply(seat.legal_moves().legal_moves[0], decision_id=one.version)
            assert seen == [update.version for update in created.spectator.events()]
    finally:
        serving.stop()
