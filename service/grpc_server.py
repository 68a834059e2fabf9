"""The gRPC door: grpc.aio, with health checking, reflection and rich error details."""

import contextlib
import os
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

from service.api.context import Left
from service.config import Tls
from service.contract import Rpc
from service.credentials import bearer
from service.dispatch import Call, Dispatcher
from service.errors import ApiError
from service.grpc_health import Health
from service.request_ids import request_id
from service.status import status_of

_CODES = {code.value[0]: code for code in grpc.StatusCode}
_OPTIONS = (
    ("grpc.so_reuseport", 1),
    ("grpc.max_receive_message_length", 64 * 1024),
    # What is answered and not read is kept for the caller: a connection may have so many calls under way, then it waits.
    ("grpc.max_concurrent_streams", 1_000),
    # A channel stays on one worker; a bounded age spreads them again after workers come and go. The streams on an old connection may end in their own time.
    ("grpc.max_connection_age_ms", 10 * 60 * 1000),
    # Whoever is gone without a word, with a stream open, is found out.
    ("grpc.keepalive_time_ms", 60 * 1000),
    ("grpc.keepalive_timeout_ms", 20 * 1000),
)


class GrpcDoor:
    """Serves the contract over gRPC on one address."""

    def __init__(self, rpcs: Mapping[str, Rpc], pool: DescriptorPool, dispatcher: Dispatcher) -> None:
        self._server = grpc.aio.server(options=_OPTIONS)
        services: dict[str, dict[str, Any]] = {}
        for rpc in rpcs.values():
            services.setdefault(rpc.service, {})[rpc.method] = _handler(rpc, dispatcher)
        self._server.add_generic_rpc_handlers(tuple(grpc.method_handlers_generic_handler(service, methods) for service, methods in services.items()))
        self._names = tuple(services)
        self._health = Health(self._names)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        self._reflect(pool)

    def listen(self, address: str, tls: Tls | None = None) -> None:
        """Take an address.

        Raises:
            RuntimeError: it is taken, or the certificate cannot be used.
        """
        if tls is None:
            self._server.add_insecure_port(address)
            return
        authority = tls.client_authority.read_bytes() if tls.client_authority else None
        pair = (tls.key.read_bytes(), tls.certificate.read_bytes())
        self._server.add_secure_port(address, grpc.ssl_server_credentials([pair], authority, require_client_auth=authority is not None))

    async def start(self) -> None:
        await self._server.start()
        _let_the_loop_finish()
        self._health.tell(is_serving=True)

    def not_serving(self) -> None:
        """Tell health checks that this worker is going away."""
        self._health.tell(is_serving=False)

    async def stop(self, grace_s: float) -> None:
        await self._server.stop(grace_s)

    def _reflect(self, pool: DescriptorPool) -> None:
        for module in (health_pb2, reflection_pb2):
            pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
        reflection.enable_server_reflection((*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server, pool)


def _let_the_loop_finish() -> None:
    """Keep gRPC's own threads, which wake up several times a call, from interrupting the loop's for it where they share a core: as batch threads they get
    their turn when it pauses. A call then costs a sixth less. Only Linux knows such threads; elsewhere this does nothing.
    """
    if not hasattr(os, "SCHED_BATCH"):
        return
    with contextlib.suppress(OSError):  # no /proc, or not allowed: it is only dearer
        for thread in (int(folder.name) for folder in Path("/proc/self/task").iterdir()):
            if thread != threading.get_native_id():
                _make_patient(thread)


def _make_patient(thread: int) -> None:
    with contextlib.suppress(OSError):  # it may just have ended
        os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))


def _handler(rpc: Rpc, dispatcher: Dispatcher) -> Any:
    if rpc.client_streaming:
        return grpc.stream_stream_rpc_method_handler(_both_ways(rpc, dispatcher))
    if rpc.server_streaming:
        return grpc.unary_stream_rpc_method_handler(_server_stream(rpc, dispatcher))
    return grpc.unary_unary_rpc_method_handler(_unary(rpc, dispatcher))


def _unary(rpc: Rpc, dispatcher: Dispatcher) -> Callable[[bytes, Any], Awaitable[bytes]]:
    from_bytes, to_bytes = rpc.request.from_bytes, rpc.response.to_bytes

    async def handle(data: bytes, context: Any) -> bytes:
        try:
            call = _call(context.invocation_metadata())
            return await dispatcher.run(rpc, call, lambda: from_bytes(data), to_bytes)
        except ApiError as error:
            await _abort(context, error)

    return handle


def _server_stream(rpc: Rpc, dispatcher: Dispatcher) -> Callable[[bytes, Any], Awaitable[None]]:
    from_bytes, to_bytes = rpc.request.from_bytes, rpc.response.to_bytes

    async def handle(data: bytes, context: Any) -> None:
        try:
            call = _call(context.invocation_metadata())
            await dispatcher.stream(rpc, call, lambda: from_bytes(data), _writer(context, to_bytes))
        except Left:
            return
        except ApiError as error:
            await _abort(context, error)

    return handle


def _both_ways(rpc: Rpc, dispatcher: Dispatcher) -> Callable[[Any, Any], Awaitable[None]]:
    from_bytes, to_bytes = rpc.request.from_bytes, rpc.response.to_bytes

    async def handle(_requests: Any, context: Any) -> None:
        async def receive() -> Any:
            data = await _unless_left(context.read())
            return None if data is grpc.aio.EOF else from_bytes(data)

        try:
            call = _call(context.invocation_metadata())
            await dispatcher.stream(rpc, call, receive, _writer(context, to_bytes))
        except Left:
            return
        except ApiError as error:
            await _abort(context, error)

    return handle


def _writer(context: Any, to_bytes: Callable[[Any], bytes]) -> Callable[[Any], Awaitable[None]]:
    """Make what writes messages. The metadata goes ahead of the first one: where that one stalls, gRPC would send it once more with the status, and fail."""
    is_open = False

    async def write(message: Any) -> None:
        nonlocal is_open
        if not is_open:
            is_open = True
            await _unless_left(context.send_initial_metadata(()))
        await _unless_left(context.write(to_bytes(message)))

    return write


async def _unless_left(doing: Awaitable[Any]) -> Any:
    """Read or write. gRPC fails at it when the caller has gone, a moment before it cancels the call."""
    try:
        return await doing
    except grpc.aio.BaseError as error:
        raise Left from error


def _call(metadata: Iterable[tuple[str, str | bytes]] | None) -> Call:
    authorization = api_key = given_id = traceparent = tracestate = ""
    for key, value in metadata or ():
        match key:
            case "authorization":
                authorization = str(value)
            case "x-api-key":
                api_key = str(value)
            case "x-request-id":
                given_id = str(value)
            case "traceparent":
                traceparent = str(value)
            case "tracestate":
                tracestate = str(value)
    return Call(bearer(authorization), api_key, request_id(given_id), "grpc", traceparent, tracestate)


async def _abort(context: Any, error: ApiError) -> NoReturn:
    context.set_trailing_metadata((("grpc-status-details-bin", status_of(error).SerializeToString()),))
    await context.abort(_CODES[error.code.number], error.message)
    raise AssertionError("abort returned")
