"""What a match does by itself goes on in commits of a bounded length, seen as they come, and in nobody's way."""

from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from service.messages import Cause, MatchStatus
from service.private_redis import PrivateRedis
from tests.service.matches.workers import Worker, until

MOST_STEPS = 32
"""What the API's design allows in one commit."""


@pytest.fixture
async def worker(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[Worker]:
    made = await Worker(redis_server.url, key_prefix).open()
    yield made
    await made.close()


async def test_a_match_of_house_bots_goes_on_in_bounded_commits_that_are_seen_as_they_come(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    commit = worker.store.commit

    async def weighed(match_id: str, before: int, after: int, version: int, snapshot: bytes, entries: list[bytes], *more: object) -> object:
        lengths.append(len(entries))
        return await commit(match_id, before, after, version, snapshot, entries, *more)

    monkeypatch.setattr(worker.store, "commit", weighed)
    match = await worker.create("random", "random")
    assert match.record.status is MatchStatus.ACTIVE, "the creation does not wait for the end"
    worker.continuing.look_at(match)
    seen = [match.record.version]

    async def is_over() -> bool:
        now = await worker.read(match)  # a call of somebody else, answered meanwhile
        seen.append(now.record.version)
        return now.record.status is MatchStatus.FINISHED

    await until(is_over)
    assert max(lengths) <= MOST_STEPS + 1  # the set-up is a step of the first one
    assert len(lengths) > 2
    assert all(before <= after for before, after in pairwise(seen))
    assert set((await worker.causes(match))[1:]) == {Cause.BOT}
    assert sum(lengths) == seen[-1]
