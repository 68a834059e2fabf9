"""Streams that are open: over a grpc channel in this thread, or over a grpc.aio channel in this event loop."""

import asyncio
import queue
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import grpc

from umpire_client._status import error_of

Metadata = tuple[tuple[str, str], ...]


class BlockingStream:
    """A stream of the synchronous client."""

    def __init__(self, stub: Callable[..., Any], request: Any, metadata: Metadata, timeout: float | None) -> None:
        self._to_send: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._call = stub(iter(self._to_send.get, None) if request is None else request, metadata=metadata, timeout=timeout)

    def read(self) -> Any:
        """Wait for the next message; None is the stream's end."""
        try:
            return next(self._call)
        except StopIteration:
            return None
        except grpc.RpcError as failure:
            raise error_of(failure) from None

    def write(self, message: Any) -> None:
        """Send a message."""
        self._to_send.put(message)

    def cancel(self) -> None:
        """Give the stream up; gRPC's thread that waits for messages to send ends too."""
        self._to_send.put(None)
        self._call.cancel()


class AsyncStream:
    """A stream of the asynchronous client."""

    def __init__(self, stub: Callable[..., Any], request: Any, metadata: Metadata, timeout: float | None) -> None:
        self._call = stub(metadata=metadata, timeout=timeout) if request is None else stub(request, metadata=metadata, timeout=timeout)

    async def read(self) -> Any:
        """Wait for the next message; None is the stream's end."""
        try:
            message = await self._call.read()
        except grpc.RpcError as failure:
            raise error_of(failure) from None
        return None if message is grpc.aio.EOF else message

    async def write(self, message: Any) -> None:
        """Send a message."""
        with suppress(grpc.RpcError, asyncio.InvalidStateError):  # the next read says how the stream ended
            await self._call.write(message)

    def cancel(self) -> None:
        """Give the stream up."""
        self._call.cancel()
