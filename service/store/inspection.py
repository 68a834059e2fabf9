"""What a match takes up in Redis, for operators. Only reads."""

import asyncio
from typing import Any, NamedTuple

from redis.asyncio import Redis
from redis.exceptions import NoPermissionError, ResponseError
from redis.maint_notifications import MaintNotificationsConfig

from service.store._link import LOST
from service.store.errors import StoreUnavailable
from service.store.keys import Keys

_TIMEOUT_S = 5.0


class StoredKey(NamedTuple):
    """A key of a match: its type as Redis names it, its size in memory in bytes (None: not to be had), its time to live in ms (None: for ever)."""

    name: str
    type: str
    size: int | None
    ttl_ms: int | None


async def inspect_keys(url: str, prefix: str, match_id: str) -> list[StoredKey]:
    """List the keys of a match that exist.

    Raises:
        StoreUnavailable: Redis does not answer, or refuses.
    """
    keys = Keys(prefix)
    client = Redis.from_url(url, retry=None, maint_notifications_config=MaintNotificationsConfig(enabled=False))
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            found = [await _inspect(client, name) for name in (keys.match(match_id), keys.log(match_id), keys.scratch(match_id))]
    except LOST as error:
        raise StoreUnavailable(f"the store does not answer: {type(error).__name__}") from error
    finally:
        await client.aclose()
    return [key for key in found if key.type != "none"]


async def _inspect(client: Any, name: str) -> StoredKey:
    kind = (await client.type(name)).decode()
    ttl = await client.pttl(name)
    try:
        size = await client.memory_usage(name, samples=0)
    except (NoPermissionError, ResponseError):  # some managed services know no MEMORY
        size = None
    return StoredKey(name, kind, size, ttl if ttl >= 0 else None)
