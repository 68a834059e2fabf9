"""Sends what an application sends in one turn of the loop as one piece; and what a stream wants of its connection.

ASGI hands over the head and the body of an answer one after the other, and uvicorn writes each at once: two system calls, and two packets that each wake
the client up. Gathered, they are one.
"""

import asyncio
import contextlib
import re
import socket
import struct
from collections.abc import Callable
from typing import Any, Protocol, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

CONNECTION = "umpire.connection"
"""Where a request's scope has its Connection."""

_OFFER = re.compile(rb"\r\nupgrade:[ \t]*h2c(?=\r\n|$)", re.IGNORECASE)
_MOST_UNSENT = 16 * 1024
_MOST_ON_THE_WAY = 64 * 1024
_SILENCE_MS = 30_000
_MOST_BESIDE_BODY = 512 * 1024
_PATIENCE_S = 30.0
_AT_ONCE = struct.pack("ii", 1, 0)


class Connection(Protocol):
    """What a stream may want of the connection that it is sent over."""

    def when_gone(self, act: Callable[[], object] | None) -> None:
        """Have this called once the client is gone: an idle stream would not notice. None: nothing any more."""

    def keep_little(self) -> None:
        """Keep little behind a client that does not read, here and in the kernel, and find out soon if it is gone without a word."""

    def hang_up(self) -> None:
        """End it, whatever was not sent yet."""


class WholeAnswers(HttpToolsProtocol):
    """uvicorn's HTTP/1.1, on a transport that gathers; the Connection of its requests.

    What uvicorn would take without end, memory and time, has limits: all of a request that is no body, how long it may come, who says nothing at all, and who
    does not take the answers. A stream has its own patience.
    """

    _gone: Callable[[], object] | None = None
    _beside_body = 0
    _too_late: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's says the same in other words
        super().connection_made(cast(Any, _Gathering(transport, self.loop)))
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn's never keeps the connection
        """Answer who has asked and will not ask again: the connection stays until the answer is out. A stream's client that is gone is gone."""
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body or self._gone is not None:
            self.transport.close()
            return False
        self.cycle.keep_alive = False
        return True

    def data_received(self, data: bytes) -> None:
        """Take no notice of an offer to speak HTTP/2 (Java's client makes it by default): the parser would drop the body of such a request."""
        if (b"h2c" in data or b"H2C" in data) and (self.cycle is None or self.cycle.response_complete):
            head, end, rest = data.partition(b"\r\n\r\n")
            data = _OFFER.sub(b"\r\nx-declined: h2c", head) + end + rest
        self._beside_body += len(data)
        super().data_received(data)
        if self._beside_body > _MOST_BESIDE_BODY and not self.transport.is_closing():
            self._refuse()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._too_late, self._unread):
            if timer is not None:
                timer.cancel()
        if self._gone is not None:
            self._gone()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def timeout_keep_alive_handler(self) -> None:
        """Close, which waits until all is sent: not for ever."""
        if not self.transport.is_closing():
            super().timeout_keep_alive_handler()
            self._wait_for_reader()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        cast(dict[str, Any], self.scope)[CONNECTION] = self

    def on_body(self, body: bytes) -> None:
        self._beside_body -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._beside_body = 0
        super().on_message_complete()

    def when_gone(self, act: Callable[[], object] | None) -> None:
        self._gone = act

    def keep_little(self) -> None:
        self.transport.set_write_buffer_limits(high=_MOST_UNSENT)
        line = self.transport.get_extra_info("socket")
        with contextlib.suppress(OSError, AttributeError):  # not every socket is TCP's, and not every system's TCP has all of it
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MOST_ON_THE_WAY)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _SILENCE_MS)

    def hang_up(self) -> None:
        self.transport.abort()

    def _refuse(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.send_400_response("The head of a request is too large.")
        else:  # an answer is under way, or the request of this head
            self.transport.abort()

    def _wait_for_reader(self) -> None:
        if self._unread is None:
            self._unread = self.loop.call_later(_PATIENCE_S, self._give_up_reader)

    def _give_up_reader(self) -> None:
        self._unread = None
        if self._gone is not None:
            return
        line = self.transport.get_extra_info("socket")
        with contextlib.suppress(OSError, AttributeError):  # the kernel too lets go of what it holds, instead of offering it on
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.transport.abort()

    def _watch(self) -> None:
        """Give a request that is not whole yet its time. Most are whole at once and cost nothing here."""
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            if self._too_late is None:
                self._too_late = self.loop.call_later(_PATIENCE_S, self.transport.abort)
        elif self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None


class _Gathering:
    """A transport that writes once a turn of the loop; in all else the one that it wraps."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        parts, self._parts = self._parts, []
        if parts and not self._transport.is_closing():
            self._transport.write(b"".join(parts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
