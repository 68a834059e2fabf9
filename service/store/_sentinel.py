"""Connections to the master that sentinels name, wherever it is at the moment. Serves ``servers``."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from redis.asyncio.connection import Connection, SSLConnection
from redis.asyncio.sentinel import Sentinel
from redis.exceptions import RedisError

from service.redis_place import Address, Place
from service.store._node import Limits
from service.store._race import first_answer

_HEAD_START_S = 0.1
_FAILURES = (RedisError, OSError)

FindMaster = Callable[[], Awaitable[tuple[str, int]]]


class _Whereabouts:
    """Where the master was when somebody last asked; ``moved`` is told when it is elsewhere."""

    def __init__(self, find_master: FindMaster, moved: Callable[[], None]) -> None:
        self._find_master = find_master
        self._moved = moved
        self.known: tuple[str, int] | None = None

    async def find(self) -> tuple[str, int]:
        """Ask where it is."""
        before = self.known
        found = self.known = await self._find_master()
        if before not in {None, found}:
            self._moved()
        return found


class _Following(Connection):
    """Asks where the master is each time that it connects, and leaves one that another connection has found to be the master no more."""

    def __init__(self, *, whereabouts: _Whereabouts, **options: Any) -> None:
        self._whereabouts = whereabouts
        super().__init__(**options)

    async def connect(self) -> None:  # also called each time that it is taken from a pool
        if self.is_connected and (self.host, self.port) != self._whereabouts.known:
            await self.disconnect(nowait=True)
        if not self.is_connected:
            self.host, self.port = await self._whereabouts.find()
        await super().connect()  # type: ignore[no-untyped-call]  # redis-py's


class _FollowingWithTls(_Following, SSLConnection):
    """The same with TLS."""


def following(place: Place, limits: Limits, moved: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Make the options of connections that follow the master; ``moved`` is told when it is found elsewhere than before."""
    is_encrypted = issubclass(place.options.get("connection_class", Connection), SSLConnection)
    options = {**place.sentinel_options, "retry": None, "socket_timeout": limits.connect, "socket_connect_timeout": limits.connect, "ssl": is_encrypted}

    async def ask(sentinel: Address) -> tuple[str, int]:
        # redis-py's search takes several sentinels, but asks one after the other: one that is away would take all the time there is.
        asked = Sentinel([sentinel], sentinel_kwargs=options)  # type: ignore[no-untyped-call]  # redis-py's
        try:
            host, port = await asked.discover_master(place.service)
        finally:
            await asked.aclose()
        return str(host), int(port)

    async def find_master() -> tuple[str, int]:
        return await first_answer([partial(ask, sentinel) for sentinel in place.addresses], _FAILURES, head_start=_HEAD_START_S)

    return {**place.options, "connection_class": _FollowingWithTls if is_encrypted else _Following, "whereabouts": _Whereabouts(find_master, moved)}
