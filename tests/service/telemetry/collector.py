"""A collector of traces, as small as can be: takes what comes by OTLP over gRPC and keeps it."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Listens on a port of its own."""

    def __init__(self) -> None:
        self._spans: list[Any] = []
        self._lock = threading.Lock()
        self.raw = b""
        self._server = grpc.server(ThreadPoolExecutor(2))
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, self._server)
        self.endpoint = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def Export(self, request: Any, _context: Any) -> Any:  # noqa: N802 - the contract's name
        with self._lock:
            self.raw += request.SerializeToString()
            self._spans += [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()

    def spans(self, wanted: Callable[[Any], bool]) -> list[Any]:
        with self._lock:
            return [span for span in self._spans if wanted(span)]

    def wait_for(self, wanted: Callable[[Any], bool], number: int = 1) -> list[Any]:
        """Wait until so many spans are there."""
        deadline = time.monotonic() + 30
        while len(found := self.spans(wanted)) < number:
            assert time.monotonic() < deadline, [span.name for span in self._spans]
            time.sleep(0.05)
        return found

    def close(self) -> None:
        self._server.stop(0)


def attributes(span: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}
