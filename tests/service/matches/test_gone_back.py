"""A store that has lost its last moments, as after a fail-over: a match goes back some steps, consistently, and nobody's memory brings them back."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from engines.kit.digest import chain
from engines.kit.notation import write_move
from service.errors import NotFound, SnapshotUnreadable, Unavailable, VersionAhead
from service.matches.library import encode
from service.matches.match import Match
from service.matches.watching import Watch
from service.messages import Cause
from service.private_redis import PrivateRedis
from service.store import bucket_of
from tests.service.matches.test_watching import Place, end_of, versions
from tests.service.matches.workers import Start, Worker


class Past:
    """What lies in the store of a match, to be put back as if nothing had come after it."""

    def __init__(self, worker: Worker, match: Match) -> None:
        keys, match_id = worker.store._keys, match.record.match_id
        self._client: Any = worker.store._servers.client
        self._keys = keys.match(match_id), keys.log(match_id)
        self._kept: list[bytes] = []

    async def keep(self) -> "Past":
        self._kept = [await self._client.dump(key) for key in self._keys]
        return self

    async def comes_back(self) -> None:
        for key, kept in zip(self._keys, self._kept, strict=True):
            await self._client.restore(key, 60_000, kept, replace=True)


def moves_of(match: Match) -> list[str]:
    return [write_move(move) for move in match.legal_moves(match.record.decisions[0].seat)]


async def check(worker: Worker, match: Match) -> list[Cause]:
    """What a worker shows is what the log says."""
    now = await worker.read(match)
    entries = [entry for _, entry in await worker.repository.entries(now, 0, 1_000)]
    digest = b""
    for entry in entries:
        digest = chain(digest, encode(entry))
    assert now.record.digest == digest
    return [entry.cause for entry in entries]


@pytest.mark.parametrize("lost", [1, 3])
async def test_a_step_in_the_place_of_a_lost_one_is_what_all_workers_know(start: Start, lost: int) -> None:
    one, other = await start(), await start()
    match = await one.create()
    past = await Past(one, match).keep()
    ahead = match
    for _ in range(lost):
        ahead = (await one.apply(ahead)).match
    await past.comes_back()
    for _ in range(lost):  # other steps, as many
        match = await other.read(match)
        await other.apply(match, moves_of(match)[-1])
    for worker in (one, other):
        await check(worker, match)
    now = await one.read(match)
    await one.apply(now)
    for worker in (one, other):
        assert len(await check(worker, match)) == lost + 2


async def test_who_remembers_a_lost_step_makes_another_in_its_place(start: Start) -> None:
    worker = await start()
    match = await worker.create()
    past = await Past(worker, match).keep()
    await worker.apply(match)
    await past.comes_back()
    await worker.apply(match, moves_of(match)[-1])
    await check(worker, match)
    await worker.apply(await worker.read(match))
    assert await check(worker, match) == [Cause.SET_UP, Cause.PERSON, Cause.PERSON]


async def test_a_log_that_has_gone_back_while_it_was_read_is_no_broken_log(start: Start) -> None:
    worker = await start()
    match = await worker.create()
    past = await Past(worker, match).keep()
    ahead = (await worker.apply(match)).match
    await past.comes_back()
    with pytest.raises(Unavailable) as refused:
        await worker.repository.entries(ahead, 0, 100)
    assert refused.value.reason == "STORE_UNAVAILABLE"
    client, keys = worker.store._servers.client, worker.store._keys
    await client.xtrim(keys.log(match.record.match_id), maxlen=0)
    with pytest.raises(SnapshotUnreadable):
        await worker.repository.entries(match, 0, 100)
    await worker.repository.delete(match.record.match_id)
    with pytest.raises(NotFound):
        await worker.repository.entries(match, 0, 100)


# ---- those who watch


@pytest.fixture
async def place(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[Place]:
    made = await Place(redis_server.url, key_prefix).open()
    yield made
    await made.close()


async def watched_to(place: Place, match: Match, steps: int) -> tuple[Watch, Past]:
    """Watch a match in which so many steps happen, the last of which is then lost."""
    watch = await place.watch(match)
    for _ in range(steps - 1):
        match = (await place.worker.apply(match)).match
    past = await Past(place.worker, match).keep()
    await place.worker.apply(match)
    await versions(watch, steps + 1)
    await past.comes_back()
    return watch, past


async def test_who_has_seen_a_step_that_is_lost_is_told_by_a_break(place: Place) -> None:
    match = await place.worker.create()
    watch, _ = await watched_to(place, match, 2)
    place.hub._heard(bucket_of(match.record.match_id))  # as when the connection to the successor stands
    end = await end_of(watch)
    assert isinstance(end, Unavailable)
    assert end.reason == "STORE_UNAVAILABLE"
    with pytest.raises(VersionAhead):
        await place.watch(match, since=3)
    assert await versions(await place.watch(match, since=0), 2) == [1, 2]


@pytest.mark.parametrize("by_itself", [True, False], ids=["its own worker", "another worker"])
@pytest.mark.parametrize("steps", [1, 2])
async def test_steps_in_the_place_of_lost_ones_are_not_put_behind_them(start: Start, place: Place, steps: int, by_itself: bool) -> None:
    match = await place.worker.create()
    watch, _ = await watched_to(place, match, 2)
    mover = place.worker if by_itself else await start()
    for _ in range(steps):
        now = await mover.read(match)
        await mover.apply(now, moves_of(now)[-1])
    place.hub._heard(bucket_of(match.record.match_id))
    assert isinstance(await end_of(watch), Unavailable)
    again = await place.watch(match, since=0)
    assert await versions(again, 2 + steps) == [*range(1, 3 + steps)]
    ((_, entry),) = await place.worker.repository.entries(await place.worker.read(match), 2, 1)
    assert write_move(entry.move) != "draw"
