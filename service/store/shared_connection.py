"""One connection to a Redis node, shared by all callers of a worker and pipelined.

Built on redis-py's own Connection, which keeps addresses, TLS, ACL, handshake and parsing its business. A call of its ordinary client costs two to three
times the CPU, for a check-out of a connection and a task switch that a pipelined connection does not need.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

from redis.asyncio.connection import AbstractConnection

from service.store._link import LOST, Link
from service.store.errors import StoreUnavailable

_LATELY_S = 1.0


class SharedConnection:
    """Runs commands over one connection, made on demand and made anew when it is lost. Times in seconds.

    Every call ends within ``connect_timeout`` + ``answer_timeout``; ``lost`` is told of each connection that breaks. It knows one node.
    """

    def __init__(
        self, make_connection: Callable[[], AbstractConnection], *, answer_timeout: float, connect_timeout: float, lost: Callable[[], None] = lambda: None
    ) -> None:
        self._make_connection = make_connection
        self._answer_timeout = answer_timeout
        self._connect_timeout = connect_timeout
        self._lost = lost
        self._link: Link | None = None
        self._connecting: asyncio.Task[Link] | None = None
        self._is_closed = False
        self._failed_at = -_LATELY_S

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection, as far as is known."""
        return self._link is not None and not self._link.is_lost

    @property
    def has_failed_lately(self) -> bool:
        """Whether there is no connection and the last attempt at one failed within the last second."""
        return not self.is_connected and time.monotonic() - self._failed_at < _LATELY_S

    @property
    def waiting(self) -> int:
        """How many commands wait for their reply."""
        return 0 if self._link is None else self._link.waiting

    @property
    def peer(self) -> str:
        """The server that answers here: ``host:port``, or the path of its socket; "" before there was a connection."""
        return "" if self._link is None else self._link.peer

    async def run(self, *command: Any) -> Any:
        """Send one command and return its reply.

        Raises:
            StoreUnavailable: NO if it was never sent, UNKNOWN if the reply was lost.
            ResponseError, BusyLoadingError, AuthenticationError: Redis refused it.
        """
        link = self._link
        if link is None or link.is_lost:
            link = await self._connect()
        return await link.send(command)

    async def run_together(self, *commands: tuple[Any, ...]) -> list[Any]:
        """Send commands with nothing in between and return their replies, an error in place of a reply.

        Raises:
            StoreUnavailable: NO: none was sent.
        """
        link = self._link
        if link is None or link.is_lost:
            link = await self._connect()
        return await asyncio.gather(*[link.send(command) for command in commands], return_exceptions=True)

    def renew(self) -> None:
        """Give the connection up: the next call makes a new one, perhaps to another place."""
        if self._link is not None:
            self._link.lose("the store has moved")

    async def close(self) -> None:
        """End the connection for good; whoever waits gets StoreUnavailable."""
        self._is_closed = True
        if self._connecting is not None:
            self._connecting.cancel()
        if self._link is not None:
            self._link.lose("the store is closed")

    async def _connect(self) -> Link:
        if self._is_closed:
            raise StoreUnavailable("the store is closed")
        # Whoever comes first connects for all; a caller that gives up does not stop it.
        connecting = self._connecting
        if connecting is None:
            connecting = self._connecting = asyncio.create_task(self._open(), name="connect to the store")
            connecting.add_done_callback(self._end_connecting)
        await asyncio.wait([connecting])
        if connecting.cancelled():
            raise StoreUnavailable("the store is closed")
        error = connecting.exception()
        if error is None:
            return connecting.result()
        if isinstance(error, LOST):
            raise StoreUnavailable(f"cannot connect to the store: {type(error).__name__}") from error
        raise error

    async def _open(self) -> Link:
        connection = self._make_connection()
        try:
            async with asyncio.timeout(self._connect_timeout):
                await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
        except BaseException:
            self._failed_at = time.monotonic()
            with contextlib.suppress(*LOST):
                await connection.disconnect(nowait=True)
            raise
        self._link = Link(connection, self._answer_timeout, self._tell_lost)
        return self._link

    def _tell_lost(self) -> None:
        if not self._is_closed:
            self._lost()

    def _end_connecting(self, task: asyncio.Task[Link]) -> None:
        self._connecting = None
        if not task.cancelled():
            task.exception()  # all who waited may have given up: nothing to complain about
