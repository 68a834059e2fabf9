"""The hub of a worker, on a real Redis: who is woken when, what is read for it, and what it costs to wait."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from engines.kit import play
from engines.kit.notation import write_move
from service.credentials import Credential, Role
from service.errors import ApiError, NotFound, Unauthenticated, Unavailable, VersionAhead
from service.matches.match import Match
from service.matches.seats import renew_invite
from service.matches.watching import Hub, Watch
from service.private_redis import PrivateRedis
from service.store import bucket_of
from tests.service.matches.workers import Worker, credential, until

NEVER = 10_000.0


class Deaf:
    """Notices that never come, as if a subscription were gone behind its owner's back."""

    def tell(self, changed: Any, heard: Any) -> None:
        pass

    def listen(self, bucket: str) -> None:
        pass

    def ignore(self, bucket: str) -> None:
        pass


class Watchers:
    """Counts who watches."""

    number = 0

    def watchers_are(self, number: int) -> None:
        self.number = number


class Place:
    """A worker with a hub; counts what it reads of the store."""

    def __init__(self, url: str, prefix: str, *, heartbeat: float = NEVER, notices: Any = None) -> None:
        self.worker = Worker(url, prefix)
        self.watchers = Watchers()
        self.hub = Hub(self.worker.repository, notices or self.worker.store.listening, self.watchers, heartbeat=heartbeat)
        self.read: list[str] = []
        for name in ("load", "revision", "entries"):
            self._count(name)

    async def open(self) -> "Place":
        await self.worker.open()
        self.hub.start()
        return self

    async def close(self) -> None:
        await self.hub.close()
        await self.worker.close()

    async def watch(self, match: Match, since: int | None = 0, seat: int = 0) -> Watch:
        watch, _ = await self.hub.watch(match.record.match_id, credential(match, seat) if seat else spectator(match), seat, since)
        return watch

    def _count(self, name: str) -> None:
        really = getattr(self.worker.store, name)

        async def counted(*arguments: Any) -> Any:
            self.read.append(name)
            return await really(*arguments)

        setattr(self.worker.store, name, counted)


def spectator(match: Match) -> Credential:
    return Credential(match.record.match_id, Role.SPECTATOR, {}, match.record.origin, 2**40)


async def versions(watch: Watch, up_to: int, seconds: float = 20) -> list[int]:
    """Watch up to a version; returns the versions in the order in which they came."""
    seen: list[int] = []
    async with asyncio.timeout(seconds):
        while not seen or seen[-1] < up_to:
            watch.check()
            steps = await watch.steps()
            seen += [version for version, _ in steps]
            if not steps:
                await watch.wait()
    return seen


async def end_of(watch: Watch, seconds: float = 20) -> ApiError:
    """Wait for what ends a watch."""
    async with asyncio.timeout(seconds):
        while True:
            try:
                watch.check()
            except ApiError as error:
                return error
            await watch.wait()


async def until_heard(redis_url: str, prefix: str, match: Match, times: int = 1) -> None:
    """Wait until so many connections are subscribed to a match's bucket."""
    channel = f"{prefix}{{{bucket_of(match.record.match_id)}}}:steps"
    async with Redis.from_url(redis_url) as redis:

        async def are_heard() -> bool:
            return (await redis.execute_command("PUBSUB", "SHARDNUMSUB", channel))[1] == times

        await until(are_heard)


@pytest.fixture
async def places(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[list[Place]]:
    made = [await Place(redis_server.url, key_prefix).open() for _ in range(2)]
    yield made
    for place in made:
        await place.close()


async def test_a_step_made_here_reaches_all_who_watch_here_and_nothing_is_read_for_it(places: list[Place], redis_server: PrivateRedis, key_prefix: str) -> None:
    here, _ = places
    match = await here.worker.create()
    watches = [await here.watch(match) for _ in range(30)]
    assert [await versions(watch, 1) for watch in watches] == [[1]] * 30
    await until_heard(redis_server.url, key_prefix, match)
    await asyncio.sleep(0.2)
    here.read.clear()
    for _ in range(5):
        match = (await here.worker.apply(match)).match
    assert [await versions(watch, 6) for watch in watches] == [[2, 3, 4, 5, 6]] * 30
    await asyncio.sleep(0.2)  # its own notices have come by now
    assert here.read == []


async def test_a_step_made_elsewhere_is_read_once_for_all_who_watch_here(places: list[Place], redis_server: PrivateRedis, key_prefix: str) -> None:
    here, elsewhere = places
    match = await here.worker.create()
    watches = [await here.watch(match, 1) for _ in range(30)]
    await until_heard(redis_server.url, key_prefix, match)
    await asyncio.sleep(0.2)
    here.read.clear()
    await elsewhere.worker.apply(match)
    assert [await versions(watch, 2) for watch in watches] == [[2]] * 30
    assert sorted(here.read) == ["entries", "load", "revision"]


async def test_those_who_resume_at_once_share_the_reading_of_what_they_missed(places: list[Place]) -> None:
    here, elsewhere = places
    match = await elsewhere.worker.create()
    for _ in range(9):
        match = (await elsewhere.worker.apply(match)).match
    watches = [await here.watch(match, 3) for _ in range(20)]
    assert await asyncio.gather(*(versions(watch, 10) for watch in watches)) == [list(range(4, 11))] * 20
    assert here.read.count("entries") == 1


async def test_every_step_comes_once_and_in_order_while_two_workers_race(places: list[Place]) -> None:
    match = await places[0].worker.create()
    watches = [await place.watch(match, since) for place in places for since in (0, 1, None)]
    watching = [asyncio.create_task(versions(watch, 41)) for watch in watches]
    rng = random.Random(3)
    now = match
    for _ in range(40):
        racing = [place.worker.apply(now, request_id=f"{rng.random()}") for place in rng.sample(places, 2)]
        await asyncio.gather(*racing, return_exceptions=True)
        now = await places[0].worker.read(match)
    assert now.record.version == 41
    seen = await asyncio.gather(*watching)
    assert seen == [list(range(first, 42)) for first in (1, 2, 2)] * 2


async def test_a_notice_that_is_lost_is_made_up_for_by_the_heartbeat(redis_server: PrivateRedis, key_prefix: str) -> None:
    deaf = await Place(redis_server.url, key_prefix, heartbeat=0.4, notices=Deaf()).open()
    elsewhere = await Place(redis_server.url, key_prefix).open()
    match = await elsewhere.worker.create()
    watch = await deaf.watch(match)
    assert await versions(watch, 1) == [1]
    for _ in range(3):
        match = (await elsewhere.worker.apply(match)).match
    assert await versions(watch, 4) == [2, 3, 4]
    await deaf.close()
    await elsewhere.close()


async def test_a_subscription_that_is_cut_off_comes_back_and_what_was_missed_is_looked_for(
    places: list[Place], redis_server: PrivateRedis, key_prefix: str
) -> None:
    here, elsewhere = places
    match = await here.worker.create()
    watch = await here.watch(match, 1)
    async with Redis.from_url(redis_server.url) as redis:
        for version in range(2, 8):
            await until_heard(redis_server.url, key_prefix, match)
            await redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
            match = (await elsewhere.worker.apply(match)).match  # told to nobody, or just so
            assert await versions(watch, version) == [version]


async def test_only_buckets_that_are_watched_are_listened_to(places: list[Place], redis_server: PrivateRedis, key_prefix: str) -> None:
    here, _ = places
    match = await here.worker.create()
    first, second = await here.watch(match), await here.watch(match)
    await until_heard(redis_server.url, key_prefix, match)
    assert here.watchers.number == 2
    here.hub.leave(first)
    assert here.watchers.number == 1
    here.hub.leave(second)
    assert here.watchers.number == 0
    await until_heard(redis_server.url, key_prefix, match, times=0)


@pytest.mark.parametrize("by", [0, 1])
async def test_deleting_a_match_here_or_elsewhere_ends_its_watches(places: list[Place], redis_server: PrivateRedis, key_prefix: str, by: int) -> None:
    match = await places[0].worker.create()
    watch, other = await places[0].watch(match), await places[0].watch(match, 1)
    await until_heard(redis_server.url, key_prefix, match)
    await places[by].worker.repository.delete(match.record.match_id)
    for one in (watch, other):
        error = await end_of(one)
        assert isinstance(error, NotFound)
        assert error.reason == "MATCH_NOT_FOUND"
    with pytest.raises(NotFound):
        await places[0].watch(match)
    assert places[0].watchers.number == 2, "who was refused does not watch"


@pytest.mark.parametrize("reading", ["match", "steps"])
async def test_who_reads_on_after_a_match_has_had_its_time_hears_so_too(redis_server: PrivateRedis, key_prefix: str, reading: str) -> None:
    here = await Place(redis_server.url, key_prefix, notices=Deaf()).open()
    match = await here.worker.create()
    watch, other = await here.watch(match, 0), await here.watch(match, 0)
    watched = watch.watched
    watched.match, watched.steps, watched.expires = None, [], match.record.created
    async with Redis.from_url(redis_server.url) as redis:
        await redis.delete(*[key async for key in redis.scan_iter(f"*{match.record.match_id}*")])
    with pytest.raises(NotFound) as ended:
        await getattr(watch, reading)()
    assert ended.value.reason == "MATCH_EXPIRED"
    assert (await end_of(other)).reason == "MATCH_EXPIRED", "what one has found out, all are told"
    await here.close()


@pytest.mark.parametrize("by", [0, 1])
async def test_a_seat_given_anew_ends_the_watches_of_that_seat_alone(places: list[Place], redis_server: PrivateRedis, key_prefix: str, by: int) -> None:
    here, creator = places[0], Credential
    match = await here.worker.create()
    record = match.record
    mine, others, public = await here.watch(match, 1, seat=1), await here.watch(match, 1, seat=2), await here.watch(match, 1)
    await until_heard(redis_server.url, key_prefix, match)
    await renew_invite(places[by].worker.repository, creator(record.match_id, Role.CREATOR, {}, record.origin, 2**40), record.match_id, 1)
    error = await end_of(mine)
    assert isinstance(error, Unauthenticated)
    assert error.reason == "CREDENTIAL_INVALID"
    await places[by].worker.apply(await here.worker.read(match))
    assert await versions(others, 3) == await versions(public, 3) == [2, 3], "that it was taken over is a step, which all others see once"


async def test_draining_ends_all_watches_and_lets_nobody_begin(places: list[Place]) -> None:
    here, _ = places
    match = await here.worker.create()
    watches = [await here.watch(match) for _ in range(3)]

    async def watch_on(watch: Watch) -> str:
        error = await end_of(watch)
        here.hub.leave(watch)
        return error.reason

    watching = [asyncio.create_task(watch_on(watch)) for watch in watches]
    await here.hub.drain()
    assert here.watchers.number == 0
    assert await asyncio.gather(*watching) == ["SERVER_DRAINING"] * 3
    with pytest.raises(Unavailable):
        await here.watch(match)


async def test_a_version_ahead_is_refused_and_leaves_nobody_behind(places: list[Place]) -> None:
    match = await places[0].worker.create()
    with pytest.raises(VersionAhead):
        await places[0].watch(match, 2)
    assert places[0].watchers.number == 0


async def test_nothing_is_kept_behind_a_watcher_that_does_not_read(places: list[Place]) -> None:
    here, _ = places
    match = await here.worker.create()
    slow, rng = await here.watch(match, 0), random.Random(7)
    while match.record.decisions:
        match = (await here.worker.apply(match, a_legal_move(match, rng))).match
        assert len(slow.watched.steps) <= 64
    assert match.record.version > 64
    assert await versions(slow, match.record.version) == list(range(1, match.record.version + 1))
    assert slow.is_over


async def test_what_is_known_of_a_match_is_dropped_while_nothing_happens(redis_server: PrivateRedis, key_prefix: str) -> None:
    place = await Place(redis_server.url, key_prefix, heartbeat=0.4).open()
    match = await place.worker.create()
    watch = await place.watch(match)
    await versions(watch, 1)
    match = (await place.worker.apply(match)).match
    await versions(watch, 2)

    async def is_dropped() -> bool:
        return watch.watched.match is None and watch.watched.steps == []

    await until(is_dropped)
    await place.worker.apply(match)
    assert await versions(watch, 3) == [3]
    await place.close()


def a_legal_move(match: Match, rng: random.Random) -> str:
    return write_move(rng.choice(play.legal_answers(match.engine, match.state, match.record.decisions[0].seat)))
