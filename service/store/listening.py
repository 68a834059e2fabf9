"""Listening for matches that change: one connection to Redis, subscribed to the channels of the buckets that somebody cares about.

What is told is a hint and no more: it may be lost with the connection. So whoever listens is also told when a bucket is heard (again), and looks then.
"""

import asyncio
import contextlib
from collections.abc import Callable
from contextvars import Context
from typing import Any, cast

import hiredis
import structlog
from redis._parsers.base import BaseParser
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import InvalidResponse

from service.store._link import LOST
from service.store.keys import Keys

_log = structlog.get_logger("umpire.store")

_INCOMPLETE = object()
_PAUSES_S = (0.05, 0.2, 0.5, 1.0)
_SILENCE_S = 5.0

Changed = Callable[[str, int], None]
"""Told the id of a match that has changed, and the revision that it has now (0: it is gone)."""
Heard = Callable[[str], None]
"""Told a bucket that is heard from now on."""


class Listening:
    """Subscribes to buckets, for as long as it is kept open; connects anew by itself. Times in seconds."""

    def __init__(
        self, make_connection: Callable[[], AbstractConnection], keys: Keys, *, connect_timeout: float, lost: Callable[[], None] = lambda: None
    ) -> None:
        self._make_connection = make_connection
        self._keys = keys
        self._connect_timeout = connect_timeout
        self._lost = lost
        self._buckets: dict[bytes, str] = {}
        self._ear: _Ear | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
        self._changed: Changed = lambda _match_id, _revision: None
        self._heard: Heard = lambda _bucket: None

    def tell(self, changed: Changed, heard: Heard) -> None:
        """Say who is to be told."""
        self._changed, self._heard = changed, heard

    def listen(self, bucket: str) -> None:
        """Begin to listen to a bucket; ``heard`` tells when it is heard."""
        channel = self._keys.channel(bucket).encode()
        self._buckets[channel] = bucket
        if self._task is None:
            self._task = asyncio.create_task(self._stay_connected(), name="listen to the store", context=Context())
        elif self._ear is not None:
            self._ear.say(b"SUBSCRIBE", channel)

    def ignore(self, bucket: str) -> None:
        """Stop listening to a bucket."""
        channel = self._keys.channel(bucket).encode()
        if self._buckets.pop(channel, None) is not None and self._ear is not None:
            self._ear.say(b"UNSUBSCRIBE", channel)

    async def close(self) -> None:
        """End the connection for good."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _stay_connected(self) -> None:
        failures = 0
        while not self._is_closed:
            try:
                ear = await self._connect()
            except LOST as error:
                if failures == 0:
                    _log.warning("changes of matches are not heard", error=type(error).__name__)
                await asyncio.sleep(_PAUSES_S[min(failures, len(_PAUSES_S) - 1)])
                failures += 1
                continue
            failures = 0
            self._ear = ear
            try:
                if self._is_closed:  # redis-py can connect all the same when it is cancelled
                    return
                if self._buckets:
                    ear.say(b"SUBSCRIBE", *self._buckets)
                await ear.until_lost()
                self._lost()
            finally:
                self._ear = None
                ear.end()

    async def _connect(self) -> "_Ear":
        connection = self._make_connection()
        try:
            async with asyncio.timeout(self._connect_timeout):
                await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
            return _Ear(connection, self._take)
        except BaseException:
            with contextlib.suppress(*LOST):
                await connection.disconnect(nowait=True)
            raise

    def _take(self, kind: bytes, channel: bytes, content: Any) -> None:
        bucket = self._buckets.get(channel)
        if bucket is None:
            return
        if kind == b"subscribe":
            self._heard(bucket)
        elif kind == b"message":
            match_id, _, revision = content.partition(b" ")
            self._changed(match_id.decode("ascii", "replace"), int(revision) if revision.isdigit() else 0)


class _Ear(asyncio.Protocol):
    """A live connection that hears. It takes the transport of a connection that redis-py has opened, as ``_link`` does."""

    def __init__(self, connection: AbstractConnection, take: Callable[[bytes, bytes, Any], None]) -> None:
        self._take = take
        self._loop = asyncio.get_running_loop()
        self._lost = self._loop.create_future()
        self._replies = hiredis.Reader(protocolError=InvalidResponse, replyError=BaseParser.parse_error, notEnoughData=_INCOMPLETE)
        self._transport = cast(asyncio.Transport, connection._writer.transport)  # type: ignore[union-attr]  # noqa: SLF001 - None is among LOST
        self._transport.set_protocol(self)
        self._connection = connection
        self._is_silent = False
        self._asking = self._loop.call_later(_SILENCE_S, self._ask)

    def say(self, *command: bytes) -> None:
        """Send a command."""
        with contextlib.suppress(*LOST):  # then it is lost, which is noticed elsewhere
            self._transport.write(hiredis.pack_command(cast(Any, command)))

    async def until_lost(self) -> None:
        """Wait until the connection is lost."""
        await self._lost

    def end(self) -> None:
        """Give the connection up."""
        self._asking.cancel()
        if not self._lost.done():
            self._lost.set_result(None)
        with contextlib.suppress(*LOST):
            self._transport.abort()
        with contextlib.suppress(*LOST):
            self._connection._close()  # type: ignore[no-untyped-call]  # noqa: SLF001 - as in ``_link``

    # ---- what the loop calls

    def data_received(self, data: bytes) -> None:
        """Hand on what is whole."""
        self._is_silent = False
        try:
            self._replies.feed(data)
            while (reply := self._replies.gets(False)) is not _INCOMPLETE:
                if isinstance(reply, Exception):
                    _log.warning("the store refuses to tell of changes", error=type(reply).__name__)
                elif isinstance(reply, list) and len(reply) == 3 and isinstance(reply[1], bytes):  # else a PONG
                    self._take(*reply)
        except LOST:  # what came is not Redis' protocol
            self.end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake who waits for it."""
        del exc
        self.end()

    def _ask(self) -> None:
        """Find out whether anybody is there: a connection can die without a word."""
        if self._is_silent:
            self.end()
            return
        self._is_silent = True
        self.say(b"PING")
        self._asking = self._loop.call_later(_SILENCE_S, self._ask)
