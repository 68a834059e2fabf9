"""A Redis server as a worker uses it: what it connects with, and the server's clock. Serves ``servers``."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError
from redis.maint_notifications import MaintNotificationsConfig

from service.store._clock import StoreClock
from service.store._durable import Durability, Durable
from service.store._link import LOST, REFUSALS
from service.store.errors import StoreUnavailable, refusal
from service.store.shared_connection import SharedConnection

_MOST_CONNECTIONS = 16


class Limits(NamedTuple):
    """How long to wait, in seconds, and what a commit waits for."""

    answer: float
    connect: float
    durability: Durability = Durability.NONE

    @property
    def total(self) -> float:
        return self.answer + self.connect


class Node:
    """A server: ``run`` is for what is short and frequent, ``read`` for answers that may be long. ``shown`` names it in logs."""

    def __init__(self, options: Mapping[str, Any], limits: Limits, shown: str = "", lost: Callable[[], None] = lambda: None) -> None:
        self.shown = shown
        self.used_at = time.monotonic()
        self._limits = limits
        self._pool = BlockingConnectionPool(
            **{**options, "max_connections": _MOST_CONNECTIONS},
            timeout=limits.answer,
            socket_timeout=limits.answer,
            socket_connect_timeout=limits.connect,
            retry=None,
            maint_notifications_config=MaintNotificationsConfig(enabled=False),  # one round trip less a connection; nobody here listens to them
        )
        self.client: Any = Redis.from_pool(self._pool)
        self.shared = SharedConnection(self.make_connection, answer_timeout=limits.answer, connect_timeout=limits.connect, lost=lost)
        self._durable: Durable | None = None
        if limits.durability is not Durability.NONE:
            another = SharedConnection(self.make_connection, answer_timeout=limits.answer, connect_timeout=limits.connect, lost=lost)
            self._durable = Durable(another, limits.durability, limits.answer)
        self.clock = StoreClock(self._time)

    @property
    def waiting(self) -> int:
        """How many short commands were sent and are not answered."""
        return self.shared.waiting + (self._durable.waiting if self._durable is not None else 0)

    def make_connection(self) -> AbstractConnection:
        """Make a connection that is not open yet."""
        made: AbstractConnection = self._pool.make_connection()  # type: ignore[no-untyped-call]  # redis-py's
        return made

    async def ping(self) -> None:
        """Ask whether it answers. One whose disk takes nothing refuses even this, and still answers all that reads: it is there.

        Raises: as ``SharedConnection.run``.
        """
        try:
            await self.shared.run("PING")
        except ResponseError as error:
            if refusal(error) != "MISCONF":
                raise

    async def commit(self, command: tuple[Any, ...], *, is_asking: bool = False) -> Any:
        """Send a command that is acknowledged when what it wrote is as durable as it shall be; see ``Durable.run``."""
        if self._durable is not None:
            return await (self._durable.run(("ASKING",), command) if is_asking else self._durable.run(command))
        return await (self.run_asking(*command) if is_asking else self.shared.run(*command))

    async def run_asking(self, *command: Any) -> Any:
        """Send a command about a slot that this server is just being given; see ``SharedConnection.run``."""
        _, reply = await self.shared.run_together(("ASKING",), command)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def read(self, command: tuple[Any, ...], *, is_asking: bool = False) -> Any:
        """Send a command that only reads, beside all others.

        Raises:
            StoreUnavailable: no answer came.
            ResponseError, BusyLoadingError, AuthenticationError: Redis refused it.
        """
        try:
            # One limit for all: a free connection of the pool, connecting, the handshake, the answer.
            async with asyncio.timeout(self._limits.answer):
                if not is_asking:
                    return await self.client.execute_command(*command)
                async with self.client.pipeline(transaction=False) as both:
                    both.execute_command("ASKING")
                    both.execute_command(*command)
                    return (await both.execute())[-1]
        except REFUSALS:
            raise
        except LOST as error:
            raise StoreUnavailable(f"the store does not answer: {type(error).__name__}") from error

    def renew(self) -> None:
        """Give the connections up: the next call makes new ones, perhaps to another server."""
        self.shared.renew()
        if self._durable is not None:
            self._durable.renew()

    async def close(self) -> None:
        """End all connections; whoever still waits gets StoreUnavailable."""
        await self.clock.close()
        await self.shared.close()
        if self._durable is not None:
            await self._durable.close()
        with contextlib.suppress(*LOST):
            await self.client.aclose()
            await self._pool.disconnect()

    async def _time(self) -> Any:
        try:
            return await self.shared.run("TIME")
        except REFUSALS as error:
            raise StoreUnavailable(f"the store refused: {refusal(error)}") from error
