"""Sends what an application sends in one turn of the loop as one piece.

ASGI hands over the head and the body of an answer one after the other, and uvicorn writes each at once: two system calls, and two packets that each wake
the client up. Gathered, they are one.
"""

import asyncio
import re
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_OFFER = re.compile(rb"\r\nupgrade:[ \t]*h2c(?=\r\n|$)", re.IGNORECASE)


class WholeAnswers(HttpToolsProtocol):
    """uvicorn's HTTP/1.1, on a transport that gathers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's says the same in other words
        super().connection_made(cast(Any, _Gathering(transport, self.loop)))

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn's never keeps the connection
        """Answer who has asked and will not ask again: the connection stays until the answer is out."""
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            self.transport.close()
            return False
        self.cycle.keep_alive = False
        return True

    def data_received(self, data: bytes) -> None:
        """Take no notice of an offer to speak HTTP/2 (Java's client makes it by default): the parser would drop the body of such a request."""
        if (b"h2c" in data or b"H2C" in data) and (self.cycle is None or self.cycle.response_complete):
            head, end, rest = data.partition(b"\r\n\r\n")
            data = _OFFER.sub(b"\r\nx-declined: h2c", head) + end + rest
        super().data_received(data)


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
