"""What a match takes up in Redis, for operators. Only reads."""

import asyncio
from typing import Any, NamedTuple

from redis.exceptions import NoPermissionError, ResponseError

from service.store._link import LOST
from service.store._node import Limits
from service.store.errors import StoreUnavailable
from service.store.keys import Keys, bucket_of
from service.store.servers import Servers, servers_at

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
    keys, bucket = Keys(prefix), bucket_of(match_id)
    servers = servers_at(url, keys, Limits(_TIMEOUT_S, _TIMEOUT_S))
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            found = [await _inspect(servers, bucket, name) for name in (keys.match(match_id), keys.log(match_id), keys.scratch(match_id))]
    except LOST as error:
        raise StoreUnavailable(f"the store does not answer: {type(error).__name__}") from error
    finally:
        await servers.close()
    return [key for key in found if key.type != "none"]


async def _inspect(servers: Servers, bucket: str, name: str) -> StoredKey:
    async def ask(*command: Any) -> Any:
        return await servers.read(bucket, *command)

    kind = (await ask("TYPE", name)).decode()
    ttl = await ask("PTTL", name)
    try:
        size = await ask("MEMORY USAGE", name, "SAMPLES", 0)
    except (NoPermissionError, ResponseError):  # some managed services know no MEMORY
        size = None
    return StoredKey(name, kind, size, ttl if ttl >= 0 else None)
