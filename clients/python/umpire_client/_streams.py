"""Streams that are open: over a grpc channel in this thread, or over a grpc.aio channel in this event loop."""

import asyncio
import queue
from collections.abc import Callable
from typing import Any

import grpc

from umpire_client._server import Server, cut_off
from umpire_client.errors import Unavailable

Metadata = tuple[tuple[str, str], ...]


class BlockingStream:
    """A stream of the synchronous client."""

    def __init__(self, server: Server, stub: Callable[..., Any], request: Any, metadata: Metadata, timeout: float | None) -> None:
        self._server = server
        self._to_send: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._call = stub(iter(self._to_send.get, None) if request is None else request, metadata=metadata, timeout=timeout)

    def read(self) -> Any:
        """Wait for the next message; None is the stream's end."""
        try:
            message = next(self._call, None)
        except grpc.RpcError as failure:
            raise self._server.error_of(failure) from None
        self._server.met = True
        return message

    def write(self, message: Any) -> None:
        """Send a message."""
        self._to_send.put(message)

    def cancel(self) -> None:
        """Give the stream up; gRPC's thread that waits for messages to send ends too."""
        self._to_send.put(None)
        self._call.cancel()


class AsyncStream:
    """A stream of the asynchronous client."""

    def __init__(self, server: Server, stub: Callable[..., Any], request: Any, metadata: Metadata, timeout: float | None) -> None:
        self._server = server
        self._broken = False
        self._call = stub(metadata=metadata, timeout=timeout) if request is None else stub(request, metadata=metadata, timeout=timeout)

    async def read(self) -> Any:
        """Wait for the next message; None is the stream's end."""
        if self._broken:
            raise Unavailable(grpc.StatusCode.UNAVAILABLE, "the connection was lost while a message was being sent")
        try:
            message = await self._call.read()
        except grpc.RpcError as failure:
            raise self._server.error_of(failure) from None
        except asyncio.CancelledError:
            if cut_off_by_close(self._server):
                raise cut_off() from None
            raise
        self._server.met = True
        return None if message is grpc.aio.EOF else message

    async def write(self, message: Any) -> None:
        """Send a message."""
        try:
            await self._call.write(message)
        except asyncio.InvalidStateError:
            pass  # the stream has ended: the next read says how
        except grpc.RpcError:
            self._broken = True  # grpc.aio now calls it an internal error, also when read: but it was the connection

    def cancel(self) -> None:
        """Give the stream up."""
        self._call.cancel()


def cut_off_by_close(server: Server) -> bool:
    """Say of a CancelledError whether the closed client is its cause: closing cancels calls, not the tasks that wait for them."""
    task = asyncio.current_task()
    return server.closed and (task is None or not task.cancelling())
