"""A live connection to Redis with the callers that wait on it. Serves ``shared_connection``."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import Any, cast

import hiredis
from redis._parsers.base import BaseParser
from redis.asyncio.connection import AbstractConnection, UnixDomainSocketConnection
from redis.exceptions import AuthenticationError, BusyLoadingError, InvalidResponse, RedisError, ResponseError

from service.redis_place import Address
from service.store.errors import Applied, StoreUnavailable

LOST = (OSError, RedisError, EOFError, RuntimeError, AttributeError)
"""What a connection that dies may raise; the last two come from uvloop's transports and from redis-py on them."""

REFUSALS = (ResponseError, BusyLoadingError, AuthenticationError)
"""What redis-py makes of an error that is a reply. The last two it counts among lost connections, but only their own command failed."""

_HELD_UP_S = 0.1
_INCOMPLETE = object()


class Link(asyncio.Protocol):
    """Writes commands as they come, one batch a turn of the loop, and hands the replies out in order. It is used until it is lost. Times in seconds.

    It takes the transport of a connection that redis-py has opened: a reply then comes straight from the loop to its caller. redis-py's own reading, through
    a stream and a task, costs more than all else of a command.
    """

    def __init__(self, connection: AbstractConnection, answer_timeout: float, when_lost: Callable[[], None] = lambda: None) -> None:
        self.is_lost = False
        self._connection = connection
        self._answer_timeout = answer_timeout
        self._when_lost = when_lost
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[asyncio.Future[Any], float]] = deque()
        self._unsent: list[bytes] = []
        self._unsent_commands = 0
        self._watchdog: asyncio.TimerHandle | None = None
        self._watchdog_is_patient = True
        self._replies = hiredis.Reader(protocolError=InvalidResponse, replyError=BaseParser.parse_error, notEnoughData=_INCOMPLETE)
        self._transport = cast(asyncio.Transport, connection._writer.transport)  # type: ignore[union-attr]  # noqa: SLF001 - None is among LOST
        self._transport.set_protocol(self)

    @property
    def waiting(self) -> int:
        """How many commands wait for their reply."""
        return len(self._waiting)

    @property
    def peer(self) -> str:
        """The server at the other end: ``host:port``, or the path of its socket."""
        connection: Any = self._connection
        return str(connection.path if isinstance(connection, UnixDomainSocketConnection) else Address(connection.host, connection.port))

    def send(self, command: tuple[Any, ...]) -> asyncio.Future[Any]:
        """Send a command; its reply comes later. Commands sent one after the other without waiting arrive so, with nothing in between.

        Who gives up waiting does not disturb the others: the reply is read and dropped.

        Raises:
            StoreUnavailable: NO if it was not sent; the future, UNKNOWN if the reply was lost.
            ResponseError, BusyLoadingError, AuthenticationError: the future; Redis refused it.
        """
        if self.is_lost:
            raise StoreUnavailable("the connection is lost")
        packed = hiredis.pack_command(command)  # redis-py's own takes ten times as long
        reply = self._loop.create_future()
        if not self._unsent:
            self._loop.call_soon(self._send)
        self._unsent.append(packed)
        self._unsent_commands += 1
        self._waiting.append((reply, self._loop.time()))
        if self._watchdog is None:
            self._watchdog = self._loop.call_later(self._answer_timeout, self._watch)
        return reply

    def lose(self, reason: str) -> None:
        """Give the connection up: nobody knows whether what was sent was carried out; what was not sent was not."""
        if self.is_lost:
            return
        self.is_lost = True
        self._when_lost()
        if self._watchdog is not None:
            self._watchdog.cancel()
        sent = len(self._waiting) - self._unsent_commands
        for place, (reply, _) in enumerate(self._waiting):
            if not reply.done():
                reply.set_exception(StoreUnavailable(reason, Applied.UNKNOWN if place < sent else Applied.NO))
        self._waiting.clear()
        self._unsent.clear()
        # Aborted, not closed: closing would still send what lies in our buffer, whenever a frozen Redis wakes up.
        with contextlib.suppress(*LOST):
            self._transport.abort()
        with contextlib.suppress(*LOST):
            self._connection._close()  # type: ignore[no-untyped-call]  # noqa: SLF001 - lets redis-py know; its public way needs a task

    # ---- what the loop calls

    def data_received(self, data: bytes) -> None:
        """Hand out the replies that are whole."""
        waiting = self._waiting
        try:
            self._replies.feed(data)
            while (reply := self._replies.gets(False)) is not _INCOMPLETE:
                if isinstance(reply, hiredis.PushNotification):  # no reply to anybody
                    continue
                if not waiting:
                    self.lose("a reply came that nobody asked for")
                    return
                future, _ = waiting.popleft()
                if future.done():  # its caller has given up
                    continue
                if isinstance(reply, REFUSALS):
                    future.set_exception(reply)
                elif isinstance(reply, Exception):
                    waiting.appendleft((future, 0.0))
                    self.lose(f"the connection broke: {type(reply).__name__}")
                    return
                else:
                    future.set_result(reply)
        except (*LOST, ValueError) as error:  # what came is not Redis' protocol
            self.lose(f"the connection broke: {type(error).__name__}")

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell all who wait."""
        self.lose(f"the connection broke: {type(exc).__name__ if exc else 'closed by Redis'}")

    def _send(self) -> None:
        """Write what has come up in this turn of the loop."""
        if self.is_lost:
            return
        unsent, self._unsent = self._unsent, []
        try:
            self._transport.write(b"".join(unsent))
        except LOST:
            self.lose("the connection broke before sending")
        else:
            self._unsent_commands = 0

    def _watch(self) -> None:
        """Give the connection up when its oldest caller has waited too long."""
        self._watchdog = None
        if not self._waiting:
            return
        left = self._waiting[0][1] + self._answer_timeout - self._loop.time()
        if left < -_HELD_UP_S and self._watchdog_is_patient:
            # This process was held up, not Redis: timers come before sockets, so the replies may lie there unread.
            self._watchdog_is_patient = False
            self._watchdog = self._loop.call_later(_HELD_UP_S, self._watch)
        elif left <= 0:
            self.lose("the store did not answer in time")
        else:
            self._watchdog_is_patient = True
            self._watchdog = self._loop.call_later(left, self._watch)
