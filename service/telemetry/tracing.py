"""Traces: a span a call, with the rules' and the store's share in it, sent by OTLP. Needs the extra ``tracing``; imported only where that is wanted.

Spans tell what a log line tells: the rpc, the game, the kind of decision, the code and reason. Never a move, a credential, or anything else of what a call
holds.
"""

import asyncio
import logging
import threading
import time
from contextvars import ContextVar, Token

from msgspec import UnsetType
from opentelemetry.context import Context as TraceContext
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from service.api.context import Call, Context
from service.contract import Rpc
from service.errors import ApiError, Code
from service.telemetry.metrics import release

_EXPORT_TIMEOUT_S = 5
_LAST_EXPORT_S = 3.0
_FAULTS = {Code.INTERNAL, Code.UNAVAILABLE, Code.DATA_LOSS, Code.UNIMPLEMENTED}
"""What is the server's fault, by OpenTelemetry's reading; all else is an answer."""

_COMMANDS = {
    "load": "HMGET",
    "revision": "HGET",
    "commit": "EVALSHA",
    "due": "EVALSHA",
    "workers": "EVALSHA",
    "settle": "SET",
    "forget_due": "EVALSHA",
    "entries": "XRANGE",
    "delete": "DEL",
    "tell": "SPUBLISH",
    "time": "TIME",
    "ping": "PING",
}
"""Redis' own names of the store's commands."""

_propagator = TraceContextTextMapPropagator()
for _name in ("opentelemetry.trace.span", "opentelemetry.trace.propagation.tracecontext"):
    logging.getLogger(_name).setLevel(logging.ERROR)  # they repeat, as warnings, what a caller has sent
_current: "ContextVar[CallSpan | None]" = ContextVar("the span of the call under way", default=None)


class Tracing:
    """Makes spans and sends them, from a thread of its own; what cannot be sent is dropped. ``ratio`` is the share of calls whose caller does not say."""

    def __init__(self, endpoint: str, ratio: float, index: int) -> None:
        resource = Resource.create({"service.name": "umpire", "service.version": release(), "service.instance.id": str(index)})
        self._provider = TracerProvider(resource=resource, sampler=ParentBased(TraceIdRatioBased(ratio)), shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=endpoint, insecure=endpoint.startswith("http://"), timeout=_EXPORT_TIMEOUT_S)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("umpire", release())

    def begin(self, rpc: Rpc, call: Call) -> "CallSpan":
        """Begin the span of a call; it goes on the trace that its caller has begun."""
        parent = TraceContext()
        if call.traceparent:
            parent = _propagator.extract({"traceparent": call.traceparent, "tracestate": call.tracestate}, context=parent)
        return CallSpan(self._tracer, rpc, call, parent)

    async def close(self) -> None:
        """Send what is left, for a moment: a collector that is away must not keep a worker from stopping."""
        sending = threading.Thread(target=self._provider.shutdown, name="last spans", daemon=True)
        sending.start()
        deadline = time.monotonic() + _LAST_EXPORT_S
        while sending.is_alive() and time.monotonic() < deadline:  # noqa: ASYNC110 - a thread that may never end
            await asyncio.sleep(0.02)


class CallSpan:
    """The span of a call under way. What happens in the call's own tasks while it lasts becomes its children."""

    def __init__(self, tracer: Tracer, rpc: Rpc, call: Call, parent: TraceContext) -> None:
        self._tracer = tracer
        self._transport = call.transport
        name, attributes = _begun(rpc, call.transport)
        self._span = tracer.start_span(name, parent, SpanKind.SERVER, attributes)
        self._as_parent = set_span_in_context(self._span, TraceContext())
        self._token: Token[CallSpan | None] = _current.set(self)
        self._kind = ""
        context = self._span.get_span_context()
        self.trace_id, self.span_id = f"{context.trace_id:032x}", f"{context.span_id:016x}"

    @property
    def is_open(self) -> bool:
        """Whether children are wanted: it is sampled, and has not ended."""
        return self._span.is_recording()

    def end(self, context: Context, error: ApiError | None, code: str, sent: int | UnsetType) -> None:
        """End the span with what became of the call."""
        _current.reset(self._token)
        if not self.is_open:
            return
        span = self._span
        told = {"umpire.game": context.game, "umpire.match_id": context.match_id, "umpire.decision.kind": self._kind}
        span.set_attributes({key: value for key, value in told.items() if value})
        span.set_attribute("rpc.response.status_code", code.lower() if self._transport == "connect" else code)
        if not isinstance(sent, UnsetType):
            span.set_attribute("umpire.stream.sent", sent)
        if self._transport == "rest" and code != "CANCELLED":
            span.set_attribute("http.response.status_code", 200 if error is None or (not isinstance(sent, UnsetType) and sent > 0) else error.http_status)
        if error is not None:
            span.set_attributes({"umpire.refusal.reason": error.reason, "error.type": error.code.name})
            if error.code in _FAULTS:
                span.set_status(Status(StatusCode.ERROR, error.reason))
        span.end()

    def rules(self, game: str, step: str, seconds: float, kind: str) -> None:
        """Add a span for what the rules have just done. The first kind of decision that is answered is the call's."""
        attributes = {"umpire.game": game, "umpire.engine.step": step} | ({"umpire.decision.kind": kind} if kind else {})
        if step == "apply" and not self._kind:
            self._kind = kind
        self._child(f"engine {step}", SpanKind.INTERNAL, seconds, attributes)

    def store(self, command: str, seconds: float, outcome: str) -> None:
        """Add a span for a command of the store that has just ended."""
        operation = _COMMANDS.get(command, command)
        attributes = {"db.system.name": "redis", "db.operation.name": operation, "umpire.store.command": command, "umpire.store.outcome": outcome}
        if outcome in {"unavailable", "corrupt"}:
            attributes["error.type"] = outcome
        self._child(operation, SpanKind.CLIENT, seconds, attributes, is_fault="error.type" in attributes)

    def _child(self, name: str, kind: SpanKind, seconds: float, attributes: dict[str, str], *, is_fault: bool = False) -> None:
        now = time.time_ns()
        child = self._tracer.start_span(name, self._as_parent, kind, attributes, start_time=now - int(seconds * 1e9))
        if is_fault:
            child.set_status(Status(StatusCode.ERROR))
        child.end(now)


def current_span() -> CallSpan | None:
    """Return the span of the call under way, if it is to have children."""
    span = _current.get()
    return span if span is not None and span.is_open else None


def _begun(rpc: Rpc, transport: str) -> tuple[str, dict[str, str]]:
    """Name a span and say what is known of it from the start, by OpenTelemetry's conventions."""
    method = rpc.path[1:]
    if transport == "rest" and rpc.http is not None:
        http = {"http.request.method": rpc.http.method, "http.route": rpc.http.template, "url.scheme": "http"}
        return f"{rpc.http.method} {rpc.http.template}", {"rpc.method": method, **http}
    if transport == "connect":
        return method, {"rpc.system.name": "connectrpc", "rpc.method": method, "http.request.method": "POST", "http.route": rpc.path}
    return method, {"rpc.system.name": "grpc", "rpc.method": method}
