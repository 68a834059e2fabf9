"""Streams, the store's connections and the loop, as they are measured."""

import asyncio
import time
from collections.abc import Callable, Iterator

import grpc
import httpx
import pytest
from redis import Redis

from service.dispatch import _end_of
from service.errors import ApiError, Internal, NotFound, TooSlow, Unauthenticated, Unavailable
from service.private_redis import PrivateRedis
from service.store import Store
from service.telemetry.loop_lag import LoopLag
from service.telemetry.tally import Spread
from tests.matchmaking import Played, create
from tests.service.telemetry import exposed
from tests.serving import GrpcCaller, Serving


@pytest.fixture
def own(redis_server: PrivateRedis, key_prefix: str) -> Iterator[Serving]:
    """A worker that nobody else calls."""
    serving = Serving(redis_server.url, key_prefix=key_prefix).start()
    yield serving
    serving.stop()


def until(serving: Serving, holds: Callable[[exposed.Series], bool]) -> exposed.Series:
    deadline = time.monotonic() + 30
    while not holds(found := exposed.series(serving)):
        assert time.monotonic() < deadline, {key: value for key, value in found.items() if key[0].startswith("umpire_")}
        time.sleep(0.05)
    return found


def ended(found: exposed.Series) -> dict[tuple[str, str], int]:
    return {(dict(labels)["door"], dict(labels)["end"]): int(count) for (name, labels), count in found.items() if name == "umpire_streams_total"}


def watch_by_grpc(caller: GrpcCaller, match: Played, **more: int) -> grpc.Call:
    request = caller.message("WatchMatch", "request")(match_id=match.match_id, **more).SerializeToString()
    return caller.channel.unary_stream(caller.rpc("WatchMatch").path)(request, metadata=(("authorization", f"Bearer {match.spectator}"),), timeout=60)


def test_streams_are_counted_by_their_ends_and_updates_by_their_lag(own: Serving) -> None:
    caller = GrpcCaller(own)
    match = create(caller)
    staying, leaving = watch_by_grpc(caller, match), watch_by_grpc(caller, match)
    next(staying)
    next(leaving)
    leaving.cancel()
    until(own, lambda found: ended(found) == {("grpc", "left"): 1})
    match.play("draw")
    next(staying)
    match.must("ResignSeat", match.credentials[1])
    assert list(staying)
    found = until(own, lambda found: ended(found).get(("grpc", "finished")) == 1)
    assert exposed.value(found, "umpire_updates_sent_total") == 2
    assert exposed.value(found, "umpire_watch_lag_seconds_count") == 2
    late = watch_by_grpc(caller, match, since_version=0)
    assert len(list(late)) == 3
    found = until(own, lambda found: ended(found).get(("grpc", "finished")) == 2)
    assert exposed.value(found, "umpire_updates_sent_total") == 5
    assert exposed.value(found, "umpire_watch_lag_seconds_count") == 2, "what a watcher catches up with did not lag"

    refused = httpx.get(f"{own.http}/v1/matches/{match.match_id}/events:watch", headers={"authorization": "Bearer nothing"})
    assert refused.status_code == 401
    other = create(caller)
    watching = watch_by_grpc(caller, other)
    next(watching)
    other.must("DeleteMatch", other.creator)
    with pytest.raises(grpc.RpcError):
        list(watching)
    until(own, lambda found: ended(found) == {("grpc", "finished"): 2, ("grpc", "left"): 1, ("rest", "refused"): 1, ("grpc", "deleted"): 1})
    caller.close()


@pytest.mark.parametrize(
    ("error", "sent", "end"),
    [
        (None, 0, "finished"),
        (Unavailable("SERVER_DRAINING", "m"), 3, "drained"),
        (Unavailable("SERVER_DRAINING", "m"), 0, "refused"),
        (TooSlow(3), 3, "too_slow"),
        (NotFound("MATCH_EXPIRED", "m"), 1, "expired"),
        (NotFound("MATCH_NOT_FOUND", "m"), 1, "deleted"),
        (NotFound("MATCH_NOT_FOUND", "m"), 0, "refused"),
        (Unauthenticated("CREDENTIAL_INVALID", "m"), 2, "refused"),
        (Internal("r"), 2, "refused"),
    ],
)
def test_how_a_stream_has_ended_is_told_by_its_error(error: ApiError | None, sent: int, end: str) -> None:
    assert _end_of(error, sent) == end


def test_a_worker_tells_its_release_and_looks_at_its_loop(own: Serving) -> None:
    found = until(own, lambda found: exposed.value(found, "umpire_loop_lag_seconds_count") >= 2)
    assert [labels for name, labels in found if name == "umpire_build_info"]
    assert exposed.value(found, "umpire_ready") == 1


async def test_a_loop_that_is_held_up_is_late() -> None:
    spread = Spread((0.01, 0.2))
    lag = LoopLag(spread)
    lag.start()
    await asyncio.sleep(0.05)
    time.sleep(0.6)  # noqa: ASYNC251 - holds the loop up
    await asyncio.sleep(0.05)
    lag.stop()
    assert sum(spread.falls) == 1
    assert spread.falls[2] == 1
    assert spread.total > 0.2


class Observed:
    """Counts connections that were lost."""

    def __init__(self) -> None:
        self.lost = 0

    def observe(self, command: str, seconds: float, outcome: str) -> None:
        pass

    def connection_lost(self) -> None:
        self.lost += 1


async def test_connections_that_break_are_counted_and_those_that_are_closed_are_not(redis_server: PrivateRedis, key_prefix: str) -> None:
    observed = Observed()
    store = Store(redis_server.url, prefix=key_prefix, observer=observed)
    await store.open()
    own_id = await store._servers.run("", "CLIENT", "ID")
    assert observed.lost == 0
    Redis.from_url(redis_server.url).client_kill_filter(_id=str(own_id))
    async with asyncio.timeout(20):
        while not observed.lost:  # noqa: ASYNC110 - it happens in the loop
            await asyncio.sleep(0.01)
    await store.ping()
    assert observed.lost == 1
    await store.close()
    assert observed.lost == 1


async def test_commands_under_way_are_those_that_wait(redis_server: PrivateRedis, key_prefix: str) -> None:
    store = Store(redis_server.url, prefix=key_prefix)
    assert store.waiting == 0
    await store.ping()
    asking = [asyncio.create_task(store.ping()) for _ in range(3)]
    await asyncio.sleep(0)
    assert store.waiting == 3
    await asyncio.gather(*asking)
    assert store.waiting == 0
    await store.close()
