"""Workers of two releases over one store, as during a rolling upgrade: nothing that the newer one wrote gets lost."""

from typing import Any

import msgspec
import pytest
from redis import Redis

from service.errors import Unavailable
from service.matches.match import Match
from service.matches.record import FORMAT, Snapshot
from service.private_redis import PrivateRedis
from service.store import store as store_module
from service.store.keys import Keys, bucket_of
from tests.service.matches.workers import Start, Worker, until

ADDED_SINCE_THE_FIRST_FORMAT = 3


class Stored:
    """A match's snapshot as it lies in the store, field by field."""

    def __init__(self, url: str, prefix: str, match: Match) -> None:
        self._redis = Redis.from_url(url)
        self._key = Keys(prefix).match(match.record.match_id)

    def read(self) -> list[Any]:
        fields: list[Any] = msgspec.msgpack.decode(self._redis.hget(self._key, "s"))
        return fields

    def write(self, fields: list[Any]) -> None:
        self._redis.hset(self._key, mapping={"s": msgspec.msgpack.encode(fields)})


async def a_match(start: Start, redis_server: PrivateRedis, key_prefix: str) -> tuple[Worker, Match, Stored]:
    """Give a match, how it is stored, and a worker that has not seen it yet."""
    match = await (await start()).create()
    return await start(), match, Stored(redis_server.url, key_prefix, match)


async def test_what_a_newer_release_has_added_is_left_alone_by_whoever_would_lose_it(start: Start, redis_server: PrivateRedis, key_prefix: str) -> None:
    worker, match, stored = await a_match(start, redis_server, key_prefix)
    newer = [FORMAT + 1, *stored.read()[1:], "a field of tomorrow"]
    stored.write(newer)
    for doing in (worker.read(match), worker.apply(match)):
        with pytest.raises(Unavailable) as refused:
            await doing
        assert refused.value.reason == "RULESET_UNKNOWN_HERE"
    assert stored.read() == newer


async def test_what_the_first_release_wrote_is_played_on_and_written_as_today(start: Start, redis_server: PrivateRedis, key_prefix: str) -> None:
    worker, match, stored = await a_match(start, redis_server, key_prefix)
    match.record.nonce = 0  # its credentials name none
    stored.write([1, *stored.read()[1:-ADDED_SINCE_THE_FIRST_FORMAT]])
    verdict = await worker.apply(match)
    written = stored.read()
    assert (written[0], len(written)) == (FORMAT, len(Snapshot.__struct_fields__))
    assert (await worker.read(match)).record.version == verdict.applied_version == 2


async def test_a_due_match_that_an_older_worker_does_not_know_is_taken_on_by_a_newer_one(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_PATIENCE_MS", 1_000)
    older = await start(sweeps=True)

    def host(snapshot: Snapshot) -> Any:
        raise Unavailable("RULESET_UNKNOWN_HERE", "a newer release wrote this match")

    older.library.host = host  # type: ignore[method-assign]
    newer = await start()
    match = await newer.create(move_timeout_ms=200)
    bucket = older.store._keys.sweeper(bucket_of(match.record.match_id))

    async def is_taken() -> bool:
        return await older.store._servers.client.get(bucket) is not None

    await until(is_taken)  # the older one has the bucket
    newer.sweeping.start()

    async def has_moved() -> bool:
        return (await newer.read(match)).record.version >= 2

    await until(has_moved, seconds=40)
