"""A stream over HTTP: server-sent events. ``id`` is the version, ``data`` the message as JSON; a heartbeat is a comment."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from service.errors import ApiError, InvalidRequest
from service.http_server.whole_answers import Connection
from service.messages import WatchMatchResponse
from service.status import status_json

_SINCE = "since_version"
_HEADERS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # what stands in between shall pass on at once what comes
    (b"x-content-type-options", b"nosniff"),
)
_HEARTBEAT = b": heartbeat\n\n"


class EventStream:
    """Writes one stream. Nothing is sent before the first message: until then a refusal is an ordinary answer."""

    def __init__(self, send: Any, to_json: Callable[[Any], bytes], extra: list[tuple[bytes, bytes]], connection: Connection | None) -> None:
        self.is_begun = False
        self._send = send
        self._to_json = to_json
        self._extra = extra
        self._connection = connection

    async def carry(self, stream: Callable[[], Awaitable[None]], connection: Connection | None, patience: float) -> None:
        """Run a stream that writes here, until it ends or its client is gone; say what has ended it. A client that makes no room for that either within
        ``patience`` (seconds) is hung up on.

        Raises:
            ApiError: it was refused before anything was sent.
        """
        task = asyncio.current_task()
        is_gone = False

        def leave() -> None:
            nonlocal is_gone
            is_gone = True
            if task is not None:
                task.cancel()

        if connection is not None:
            connection.when_gone(leave)
        try:
            await stream()
            await self._body(b"", more=False)
        except ApiError as error:
            if not self.is_begun:
                raise
            await self._fail(error, patience)
        except asyncio.CancelledError:
            if not is_gone:
                raise
        finally:
            if connection is not None:
                connection.when_gone(None)

    async def write(self, message: WatchMatchResponse) -> None:
        """Write a message, once there is room for it."""
        if not self.is_begun:
            self.is_begun = True
            if self._connection is not None:
                self._connection.keep_little()
            await self._send({"type": "http.response.start", "status": 200, "headers": [*_HEADERS, *self._extra]})
        if message.match is None and message.update is None:
            await self._body(_HEARTBEAT)
        else:
            await self._body(b"id: %d\ndata: %b\n\n" % (message.version, self._to_json(message)))
        await asyncio.sleep(0)  # what is written leaves before more is made

    async def _fail(self, error: ApiError, patience: float) -> None:
        try:
            async with asyncio.timeout(patience):
                await self._body(b"event: error\ndata: %b\n\n" % msgspec.json.encode(status_json(error)), more=False)
        except TimeoutError:
            if self._connection is not None:
                self._connection.hang_up()

    async def _body(self, body: bytes, *, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": more})


def resumed(query: list[tuple[str, str]], last_event_id: bytes) -> list[tuple[str, str]]:
    """Let the header Last-Event-ID, which a browser sends by itself when it connects again, stand for the version that the query began with.

    Raises:
        InvalidRequest: it is no version of ours.
    """
    if not last_event_id:
        return query
    if not last_event_id.isdigit():
        raise InvalidRequest(("last-event-id", "must be a version"))
    return [(name, value) for name, value in query if name not in {_SINCE, "sinceVersion"}] + [(_SINCE, last_event_id.decode())]
