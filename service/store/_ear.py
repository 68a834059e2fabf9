"""A live connection to Redis that hears what is published. Serves ``_hearing``."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, cast

import hiredis
from redis._parsers.base import BaseParser
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import InvalidResponse

from service.store._link import LOST

_INCOMPLETE = object()
_SILENCE_S = 5.0


class Ear(asyncio.Protocol):
    """It takes the transport of a connection that redis-py has opened, as ``_link`` does.

    ``take`` is given what is told: its kind, channel and content; ``refused`` is given errors, which do not say what they answer.
    """

    def __init__(self, connection: AbstractConnection, take: Callable[[bytes, bytes, Any], None], refused: Callable[[Exception], None]) -> None:
        self._take = take
        self._refused = refused
        self._loop = asyncio.get_running_loop()
        self._lost = self._loop.create_future()
        self._replies = hiredis.Reader(protocolError=InvalidResponse, replyError=BaseParser.parse_error, notEnoughData=_INCOMPLETE)
        self._transport = cast(asyncio.Transport, connection._writer.transport)  # type: ignore[union-attr]  # noqa: SLF001 - None is among LOST
        self._transport.set_protocol(self)
        self._connection = connection
        self._is_silent = False
        self._asking = self._loop.call_later(_SILENCE_S, self._ask)

    def say(self, *commands: tuple[bytes, ...]) -> None:
        """Send commands."""
        with contextlib.suppress(*LOST):  # then it is lost, which is noticed elsewhere
            self._transport.write(b"".join([hiredis.pack_command(cast(Any, command)) for command in commands]))

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
                    self._refused(reply)
                elif isinstance(reply, list) and len(reply) == 3 and isinstance(reply[1], bytes):  # else a PONG
                    self._take(*reply)
        except (*LOST, ValueError):  # what came is not Redis' protocol
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
        self.say((b"PING",))
        self._asking = self._loop.call_later(_SILENCE_S, self._ask)
