"""Performing steps: over a grpc channel in this thread, or over a grpc.aio channel in this event loop."""

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

import grpc

from umpire_client._rpcs import Rpc
from umpire_client._server import Server, cut_off
from umpire_client._steps import Await, Open, Pause, Read, Send, Step, Steps, Write
from umpire_client._streams import AsyncStream, BlockingStream, cut_off_by_close
from umpire_client.errors import UmpireError

T = TypeVar("T")

_OPTIONS = (
    ("grpc.primary_user_agent", "umpire-client"),
    # gRPC waits up to two minutes before it tries a lost server again; the calls' own retries should find it as soon as it is back.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # Notices a connection that died silently while a call waits. Rare enough for a server's usual guard against too many pings.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
)
Tls = bool | Any
"""True: TLS with the system's roots; False: none; or grpc.ChannelCredentials."""


def _open(module: Any, address: str, tls: Tls) -> Any:
    if tls is False:
        return module.insecure_channel(address, options=_OPTIONS)
    return module.secure_channel(address, grpc.ssl_channel_credentials() if tls is True else tls, options=_OPTIONS)


class _Stubs:
    """The callables of a channel, made when first used."""

    def __init__(self, channel: Any) -> None:
        self.channel = channel
        self._made: dict[str, Callable[..., Any]] = {}

    def __getitem__(self, rpc: Rpc[Any, Any]) -> Callable[..., Any]:
        if rpc.path not in self._made:
            make = {"neither": self.channel.unary_unary, "server": self.channel.unary_stream, "both": self.channel.stream_stream}[rpc.streams]
            self._made[rpc.path] = make(rpc.path, rpc.request.SerializeToString, rpc.response.FromString)
        return self._made[rpc.path]


class Channel:
    """Performs steps in the calling thread; may be shared by threads."""

    def __init__(self, address: str, tls: Tls) -> None:
        self._server = Server(address)
        self._stubs = _Stubs(_open(grpc, self._server.address, tls))

    def run(self, steps: Steps[T]) -> T:
        """Perform all steps; returns what they return."""
        result: Any = None
        error: UmpireError | None = None
        while True:
            try:
                step = steps.send(result) if error is None else steps.throw(error)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            result, error = None, None
            try:
                result = self._perform(step)
            except UmpireError as failure:
                error = failure

    def close(self) -> None:
        """Close the connection; calls under way fail."""
        self._server.closed = True
        self._stubs.channel.close()

    def _perform(self, step: Step) -> Any:
        match step:
            case Send(rpc, request, metadata, timeout):
                self._server.check_open()
                try:
                    response = self._stubs[rpc](request, metadata=metadata, timeout=timeout)
                except grpc.RpcError as failure:
                    raise self._server.error_of(failure) from None
                self._server.met = True
                return response
            case Open(rpc, request, metadata, timeout):
                self._server.check_open()
                return BlockingStream(self._server, self._stubs[rpc], request, metadata, timeout)
            case Read(stream):
                return cast(BlockingStream, stream).read()
            case Write(stream, message):
                return cast(BlockingStream, stream).write(message)
            case Pause(seconds):
                return time.sleep(seconds)
            case Await(awaitable):
                if inspect.iscoroutine(awaitable):
                    awaitable.close()
                raise TypeError("a coroutine can be awaited by AsyncClient only")


class AsyncChannel:
    """Performs steps in the running event loop, which must be the same for all calls."""

    def __init__(self, address: str, tls: Tls) -> None:
        # A grpc.aio channel belongs to the loop in which it is made: it is made with the first call, so that the client can be made anywhere.
        self._server = Server(address)
        self._tls = tls
        self._stubs: _Stubs | None = None

    async def run(self, steps: Steps[T]) -> T:
        """Perform all steps; returns what they return."""
        result: Any = None
        error: UmpireError | None = None
        while True:
            try:
                step = steps.send(result) if error is None else steps.throw(error)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            result, error = None, None
            try:
                result = await self._perform(step)
            except UmpireError as failure:
                error = failure

    async def close(self) -> None:
        """Close the connection; calls under way fail."""
        self._server.closed = True
        if self._stubs is not None:
            await self._stubs.channel.close()

    async def _perform(self, step: Step) -> Any:
        match step:
            case Send(rpc, request, metadata, timeout):
                self._server.check_open()
                try:
                    response = await self._opened()[rpc](request, metadata=metadata, timeout=timeout)
                except grpc.RpcError as failure:
                    raise self._server.error_of(failure) from None
                except asyncio.CancelledError:
                    if cut_off_by_close(self._server):
                        raise cut_off() from None
                    raise
                self._server.met = True
                return response
            case Open(rpc, request, metadata, timeout):
                self._server.check_open()
                return AsyncStream(self._server, self._opened()[rpc], request, metadata, timeout)
            case Read(stream):
                return await cast(AsyncStream, stream).read()
            case Write(stream, message):
                return await cast(AsyncStream, stream).write(message)
            case Pause(seconds):
                return await asyncio.sleep(seconds)
            case Await(awaitable):
                return await awaitable

    def _opened(self) -> _Stubs:
        if self._stubs is None:
            self._stubs = _Stubs(_open(grpc.aio, self._server.address, self._tls))
        return self._stubs
