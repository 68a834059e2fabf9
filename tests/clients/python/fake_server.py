"""A small gRPC server for the retry laws: it plays at being Umpire, remembers every request, and fails as it is told to.

It is of an older release, which knows no streams, unless ``streams`` says what they bring.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from umpire.v1 import catalog_service_pb2, match_service_pb2
from umpire.v1.match_service_pb2 import ApplyMoveResponse, ClaimSeatResponse, CreateMatchResponse

Behaviour = Callable[["FakeServer", str, Any, Any], Any]


class FakeServer:
    """Answers each rpc; ``script[rpc]`` says what the next calls of an rpc meet first. ``done`` are the things that were done, each once a request_id."""

    def __init__(self, credentials: grpc.ServerCredentials | None = None) -> None:
        self.script: dict[str, deque[Behaviour]] = defaultdict(deque)
        self.requests: dict[str, list[Any]] = defaultdict(list)
        self.metadata: dict[str, dict[str, str]] = {}
        self.answers: dict[str, Any] = {}
        self.streams: dict[str, Behaviour] = {}
        self.done: dict[str, Any] = {}
        self.over = threading.Event()
        self._server = grpc.server(ThreadPoolExecutor(8))
        port = self._server.add_secure_port("127.0.0.1:0", credentials) if credentials else self._server.add_insecure_port("127.0.0.1:0")
        self.address = f"127.0.0.1:{port}"
        for file in (catalog_service_pb2, match_service_pb2):
            for service in file.DESCRIPTOR.services_by_name.values():
                handlers = {method.name: self._handler(method) for method in service.methods}
                self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))
        self._server.start()

    def stop(self) -> None:
        self.over.set()
        self._server.stop(None).wait()

    def answer(self, rpc: str, request: Any) -> Any:
        """Do what a request asks for, once for each request_id."""
        if rpc in self.answers:
            return self.answers[rpc]
        key = getattr(request, "request_id", "")
        if key and key not in self.done:
            self.done[key] = _first_answer(rpc, len(self.done) + 1)
        return self.done[key] if key else None

    def _handler(self, method: Any) -> Any:
        if method.server_streaming:
            return self._streaming_handler(method)
        request_class, response_class = GetMessageClass(method.input_type), GetMessageClass(method.output_type)

        def handle(request: Any, context: Any) -> Any:
            self.requests[method.name].append(request)
            self.metadata[method.name] = dict(context.invocation_metadata())
            behaviour = self.script[method.name].popleft() if self.script[method.name] else None
            answer = behaviour(self, method.name, request, context) if behaviour else self.answer(method.name, request)
            return answer if answer is not None else response_class()

        return grpc.unary_unary_rpc_method_handler(handle, request_class.FromString, lambda out: out if isinstance(out, bytes) else out.SerializeToString())

    def _streaming_handler(self, method: Any) -> Any:
        def handle(request: Any, context: Any) -> Iterator[Any]:
            self.requests[method.name].append(request)
            self.metadata[method.name] = dict(context.invocation_metadata())
            behaviour = self.script[method.name].popleft() if self.script[method.name] else self.streams.get(method.name)
            if behaviour is None:
                context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
            else:
                yield from behaviour(self, method.name, request, context)

        make = grpc.stream_stream_rpc_method_handler if method.client_streaming else grpc.unary_stream_rpc_method_handler
        return make(handle, GetMessageClass(method.input_type).FromString, lambda out: out.SerializeToString())


def _first_answer(rpc: str, number: int) -> Any:
    match rpc:
        case "ApplyMove":
            return ApplyMoveResponse(applied_version=number, version=number)
        case "ClaimSeat":
            return ClaimSeatResponse(seat=2, credential=f"credential-{number}")
        case _:
            return CreateMatchResponse(creator_credential=f"creator-{number}")


def refuse(
    context: Any, code: grpc.StatusCode, reason: str, message: str = "no", domain: str = "umpire", retry_ms: int | None = None, **metadata: str
) -> NoReturn:
    """Abort a call with the details that a server of ours sends."""
    details = [AnyMessage()]
    details[0].Pack(error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata))
    if retry_ms is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(retry_ms)
        details.append(AnyMessage())
        details[1].Pack(retry)
    status = status_pb2.Status(code=code.value[0], message="no", details=details)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(code, "no")


def refused(code: grpc.StatusCode, reason: str, **more: Any) -> Behaviour:
    """Refuse without doing anything."""
    return lambda _server, _rpc, _request, context: refuse(context, code, reason, **more)


def unavailable(reason: str = "STORE_UNAVAILABLE", applied: str = "NO") -> Behaviour:
    """Do nothing, and say that it is to be tried again."""
    return refused(grpc.StatusCode.UNAVAILABLE, reason, retry_ms=10, applied=applied)


def done_and_unknown(server: FakeServer, rpc: str, request: Any, context: Any) -> Any:
    """Do it, and say that nobody knows whether it was done."""
    server.answer(rpc, request)
    refuse(context, grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE", retry_ms=10, applied="UNKNOWN")


def broken(server: FakeServer, _rpc: str, _request: Any, context: Any) -> Any:
    """Fail as a transport does: without details."""
    context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")


def cut_off(_server: FakeServer, _rpc: str, _request: Any, context: Any) -> Any:
    """Leave a call as a worker does that stops before it has begun it."""
    context.abort(grpc.StatusCode.CANCELLED, "CANCELLED")


def done_and_cut_off(server: FakeServer, rpc: str, request: Any, context: Any) -> Any:
    """Do it, and say no more than a worker that stops."""
    server.answer(rpc, request)
    cut_off(server, rpc, request, context)


def done_and_broken(server: FakeServer, rpc: str, request: Any, context: Any) -> Any:
    """Do it, and lose the answer."""
    server.answer(rpc, request)
    broken(server, rpc, request, context)


def silent(server: FakeServer, _rpc: str, _request: Any, _context: Any) -> Any:
    """Never answer."""
    server.over.wait()
