"""Workers of two releases over one store, as during a rolling upgrade: nothing that the newer one wrote gets lost."""

from typing import Any

import msgspec
import pytest
from redis import Redis

from service.errors import Unavailable
from service.matches.match import Match
from service.matches.record import FORMAT, Snapshot
from service.private_redis import PrivateRedis
from service.store.keys import Keys
from tests.service.matches.workers import Start, Worker

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
