"""Listening for changes: it ends when it is told to, whatever it was just doing."""

import asyncio

import pytest

from service.private_redis import PrivateRedis
from service.store import Store, new_match_id


@pytest.mark.parametrize("turns", range(25))
async def test_it_can_be_closed_at_any_moment(redis_server: PrivateRedis, key_prefix: str, turns: int) -> None:
    store = Store(redis_server.url, prefix=key_prefix)
    await store.open()
    store.listening.listen("000")
    for _ in range(turns):
        await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await store.close()


@pytest.mark.parametrize("servers", ["redis_server", "redis_cluster"])
async def test_it_tells_when_a_bucket_is_heard_and_what_has_changed_in_it(servers: str, key_prefix: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(servers).url
    here, elsewhere = Store(url, prefix=key_prefix), Store(url, prefix=key_prefix)
    await here.open()
    told: asyncio.Queue[object] = asyncio.Queue()
    here.listening.tell(lambda *change: told.put_nowait(change), told.put_nowait)
    match_id = new_match_id()
    other = next(one for one in iter(new_match_id, None) if one[:3] != match_id[:3])
    here.listening.listen(match_id[:3])
    async with asyncio.timeout(10):
        assert await told.get() == match_id[:3]
        for one in (other, match_id):
            await elsewhere.commit(one, 0, 7, 0, b"snapshot", [b"entry"], 60_000)
        assert await told.get() == (match_id, 7)
        await elsewhere.delete(match_id)
        assert await told.get() == (match_id, 0)
    await here.close()
    await elsewhere.close()
