"""One connection to a Redis node, shared by all callers of a worker and pipelined: each writes its command at once, one reader hands the replies out in order.

Built on redis-py's own Connection, which keeps addresses, TLS, ACL, handshake and parsing its business. A call of its ordinary client costs two to three
times the CPU, for a check-out of a connection and a task switch that a pipelined connection does not need.
"""

import asyncio
import contextlib
from collections import deque
from typing import Any

from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.exceptions import RedisError, ResponseError

from service.store.errors import Applied, StoreUnavailable

LOST = (OSError, RedisError, asyncio.IncompleteReadError, EOFError, RuntimeError, AttributeError)
"""What a connection that dies may raise; the last two come from uvloop's transports."""


class SharedConnection:
    """Runs commands over one connection, made on demand and made anew when it is lost. Times in seconds."""

    def __init__(self, pool: ConnectionPool, *, answer_timeout: float, connect_timeout: float) -> None:
        self._pool = pool
        self._answer_timeout = answer_timeout
        self._connect_timeout = connect_timeout
        self._link: _Link | None = None
        self._connecting: asyncio.Task[_Link] | None = None

    async def run(self, *command: Any) -> Any:
        """Send one command and return its reply.

        Raises:
            ResponseError: Redis refused it.
            StoreUnavailable: NO if it was never sent, UNKNOWN if the reply was lost.
        """
        link = self._link
        if link is None or link.is_lost:
            link = await self._connect()
        return await link.run(command)

    async def close(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
        if self._link is not None:
            self._link.lose("the connection is closed")

    async def _connect(self) -> "_Link":
        # Whoever comes first connects for all; a caller that gives up does not stop it.
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.create_task(self._open(), name="connect to the store")
        try:
            return await asyncio.shield(self._connecting)
        except LOST as error:
            raise StoreUnavailable(f"cannot connect: {type(error).__name__}") from error
        except TimeoutError as error:
            raise StoreUnavailable("cannot connect in time") from error

    async def _open(self) -> "_Link":
        connection: AbstractConnection = self._pool.make_connection()  # type: ignore[no-untyped-call]  # redis-py's
        try:
            async with asyncio.timeout(self._connect_timeout):
                await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
        except BaseException:
            with contextlib.suppress(*LOST):
                await connection.disconnect(nowait=True)
            raise
        self._link = _Link(connection, self._answer_timeout)
        return self._link


class _Link:
    """A live connection with the callers that wait on it, oldest first."""

    def __init__(self, connection: AbstractConnection, answer_timeout: float) -> None:
        self.is_lost = False
        self._connection = connection
        self._answer_timeout = answer_timeout
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[asyncio.Future[Any], float]] = deque()
        self._unsent: list[bytes] = []
        self._unsent_commands = 0
        self._reader = self._loop.create_task(self._read(), name="read from the store")
        self._watchdog: asyncio.TimerHandle | None = None

    async def run(self, command: tuple[Any, ...]) -> Any:
        packed = self._connection.pack_command(*command)
        reply = self._loop.create_future()
        if not self._unsent:
            self._loop.call_soon(self._send)
        self._unsent += packed
        self._unsent_commands += 1
        self._waiting.append((reply, self._loop.time()))
        if self._watchdog is None:
            self._watchdog = self._loop.call_later(self._answer_timeout, self._watch)
        return await reply

    def lose(self, reason: str) -> None:
        """Give the connection up: nobody knows whether what was sent was carried out; what was not sent was not."""
        if self.is_lost:
            return
        self.is_lost = True
        if self._watchdog is not None:
            self._watchdog.cancel()
        self._reader.cancel()
        sent = len(self._waiting) - self._unsent_commands
        for place, (reply, _) in enumerate(self._waiting):
            if not reply.done():
                reply.set_exception(StoreUnavailable(reason, Applied.UNKNOWN if place < sent else Applied.NO))
        self._waiting.clear()
        self._loop.create_task(self._disconnect())

    def _send(self) -> None:
        """Write what has come up in this turn of the loop."""
        unsent, self._unsent = self._unsent, []
        writer = self._connection._writer  # noqa: SLF001 - redis-py's own send would wait for the socket, one caller after the other
        if self.is_lost or writer is None:
            self.lose("the connection is lost")
            return
        self._unsent_commands = 0
        try:
            writer.write(b"".join(unsent))
        except LOST:
            self.lose("the connection broke while sending")

    async def _read(self) -> None:
        try:
            while True:
                reply = await self._read_one()
                waiting, _ = self._waiting.popleft()
                if waiting.done():  # its caller has given up
                    continue
                if isinstance(reply, Exception):
                    waiting.set_exception(reply)
                else:
                    waiting.set_result(reply)
        except LOST as error:
            self.lose(f"the connection broke: {type(error).__name__}")

    async def _read_one(self) -> Any:
        try:
            return await self._connection.read_response(disable_decoding=True, timeout=None, disconnect_on_error=False)
        except ResponseError as refused:
            return refused

    def _watch(self) -> None:
        """Give the connection up when its oldest caller has waited too long."""
        self._watchdog = None
        if not self._waiting:
            return
        left = self._waiting[0][1] + self._answer_timeout - self._loop.time()
        if left <= 0:
            self.lose("the store did not answer in time")
        else:
            self._watchdog = self._loop.call_later(left, self._watch)

    async def _disconnect(self) -> None:
        with contextlib.suppress(*LOST):
            await self._connection.disconnect(nowait=True)
