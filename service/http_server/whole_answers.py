"""Sends what an application sends in one turn of the loop as one piece.

ASGI hands over the head and the body of an answer one after the other, and uvicorn writes each at once: two system calls, and two packets that each wake
the client up. Gathered, they are one.
"""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class WholeAnswers(HttpToolsProtocol):
    """uvicorn's HTTP/1.1, on a transport that gathers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's says the same in other words
        super().connection_made(cast(Any, _Gathering(transport, self.loop)))


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
        if self._parts:
            parts, self._parts = self._parts, []
            self._transport.write(b"".join(parts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
