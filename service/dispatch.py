"""The one way from a door to a handler: authenticate, decode, handle, encode; translate errors; log and count. Both doors end here."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import structlog
from msgspec import UNSET, UnsetType

from service.api.context import Call, Context, Handler, Left, Needs, StreamHandler
from service.contract import Rpc
from service.credentials import ApiKeys, Credential, Credentials, Role
from service.errors import ApiError, Forbidden, Internal, InvalidRequest, SnapshotUnreadable, TooSlow, Unauthenticated, Unavailable
from service.messages import Message
from service.outlet import Outlet
from service.store import Corrupt, StoreUnavailable
from service.telemetry.logs import CallLog
from service.telemetry.metrics import Metrics
from service.telemetry.traceparent import trace_id_of

if TYPE_CHECKING:
    from service.telemetry.tracing import CallSpan, Tracing

__all__ = ["Call", "Dispatcher", "handlers_of"]


def handlers_of(rpcs: Mapping[str, Rpc], apis: Mapping[str, Sequence[object]]) -> dict[str, Handler | StreamHandler]:
    """Find the handler of every rpc, by its path; ``apis`` maps a service's full name to the objects with its handlers.

    Raises:
        TypeError: an rpc has no handler, or one that does not say what it needs.
    """
    handlers: dict[str, Handler | StreamHandler] = {}
    for path, rpc in rpcs.items():
        handler = next((getattr(api, rpc.handler_name) for api in apis.get(rpc.service, ()) if hasattr(api, rpc.handler_name)), None)
        if handler is None or not hasattr(handler, "needs"):
            raise TypeError(f"{path} has no handler {rpc.handler_name} that says what it needs")
        handlers[path] = handler
    return handlers


class Dispatcher:
    """Runs calls. ``patience`` is how many seconds a stream's caller may take to make room for a message; ``tracing`` makes spans of calls, if it is wanted."""

    def __init__(
        self,
        handlers: Mapping[str, Handler | StreamHandler],
        credentials: Credentials,
        api_keys: ApiKeys,
        metrics: Metrics,
        patience: float,
        tracing: "Tracing | None",
    ) -> None:
        self._handlers: Mapping[str, Any] = handlers
        self.patience = patience
        self._credentials = credentials
        self._api_keys = api_keys
        self._metrics = metrics
        self._tracing = tracing
        self._draining = False
        self._log = structlog.get_logger("umpire.call")
        self._call_log = CallLog()

    def drain(self) -> None:
        """Refuse all calls that come from now on: this worker is going away."""
        self._draining = True

    async def run(self, rpc: Rpc, call: Call, decode: Callable[[], Message], encode: Callable[[Message], bytes]) -> bytes:
        """Run one call and return the encoded answer.

        Raises:
            ApiError: whatever goes wrong, the unforeseen as Internal.
        """
        started = time.perf_counter()
        observed = self._metrics.started(rpc, call.transport)
        span = None if self._tracing is None else self._tracing.begin(rpc, call)
        context = Context(call)
        error: ApiError | None = None
        try:
            handler = self._handlers[rpc.path]
            self._admit(context, handler.needs)
            answer = await handler(context, self._decode(context, decode))
            return encode(answer)
        except Exception as raised:
            error = self._translate(context, raised)
            raise error from raised
        finally:
            seconds = time.perf_counter() - started
            observed.finished(error, seconds)
            self._report(rpc, context, error, seconds, span)

    async def stream(self, rpc: Rpc, call: Call, request: Callable[[], Any], write: Callable[[Any], Awaitable[None]]) -> None:
        """Run one stream to its end. ``request`` decodes the request, or waits for the caller's next message where it streams; ``write`` sends a message.

        Raises:
            ApiError: whatever ends it but its own end, the unforeseen as Internal.
            Left: ``write`` or ``request`` says so.
        """
        started = time.perf_counter()
        observed = self._metrics.started(rpc, call.transport)
        span = None if self._tracing is None else self._tracing.begin(rpc, call)
        context = Context(call)
        outlet = Outlet(write, self.patience, context)
        error: ApiError | None = None
        is_left = False
        try:
            handler = self._handlers[rpc.path]
            self._admit(context, handler.needs)
            await handler(context, request if rpc.client_streaming else self._decode(context, request), outlet.send)
        except (asyncio.CancelledError, Left):
            is_left = True
            raise
        except Exception as raised:
            error = self._translate(context, raised)
            if isinstance(error, TooSlow):
                self._metrics.cut_off()
            raise error from raised
        finally:
            outlet.close()
            seconds = time.perf_counter() - started
            self._metrics.stream_ended(call.transport, "left" if is_left else _end_of(error, outlet.sent))
            if is_left:
                observed.left(seconds)
            else:
                observed.finished(error, seconds)
            self._report(rpc, context, error, seconds, span, outlet.sent, is_left=is_left)

    def _admit(self, context: Context, needs: Needs) -> None:
        if self._draining:
            raise Unavailable("SERVER_DRAINING", "this worker is shutting down; another answers")
        if needs in (Needs.CREDENTIAL, Needs.CREATOR):
            context.credential = self._credentials.read(context.call.credential)
            context.match_id = context.credential.match_id
            if context.credential.role is Role.INVITE:
                raise Unauthenticated("CREDENTIAL_INVALID", "an invite is no credential; claim the seat with it")
        if needs in (Needs.API_KEY, Needs.CREATOR):
            context.api_key_name = self._api_keys.check(context.call.api_key)

    def _decode(self, context: Context, decode: Callable[[], Message]) -> Message:
        try:
            return decode()
        except InvalidRequest as error:
            # A credential for another match is the first thing to say, also of a request that is malformed besides.
            if _is_for_another_match(context.credential, error.match_id):
                raise Forbidden("WRONG_MATCH", "this credential is for another match") from error
            raise

    def _translate(self, context: Context, raised: Exception) -> ApiError:
        match raised:
            case ApiError():
                return raised
            case StoreUnavailable():
                return Unavailable("STORE_UNAVAILABLE", "the store does not answer", raised.applied.value)
            case Corrupt():
                return SnapshotUnreadable(context.match_id)
            case _:
                self._log.error("a call failed unforeseen", request_id=context.call.request_id, exc_info=raised)
                return Internal(context.call.request_id)

    def _report(
        self,
        rpc: Rpc,
        context: Context,
        error: ApiError | None,
        seconds: float,
        span: "CallSpan | None",
        sent: int | UnsetType = UNSET,
        *,
        is_left: bool = False,
    ) -> None:
        call = context.call
        code, reason = ("CANCELLED" if is_left else "OK", "") if error is None else (error.code.name, error.reason)
        trace_id: str | UnsetType = UNSET
        span_id: str | UnsetType = UNSET
        if span is not None:
            span.end(context, error, code, sent)
            trace_id, span_id = span.trace_id, span.span_id
        elif call.traceparent:
            trace_id = trace_id_of(call.traceparent) or UNSET
        self._call_log.write(
            request_id=call.request_id,
            rpc=rpc.path,
            transport=call.transport,
            game=context.game,
            match=context.match_id,
            code=code,
            reason=reason,
            seconds=seconds,
            sent=sent,
            trace_id=trace_id,
            span_id=span_id,
        )


_ENDS = {"SERVER_DRAINING": "drained", "WATCHER_TOO_SLOW": "too_slow", "MATCH_EXPIRED": "expired", "MATCH_NOT_FOUND": "deleted"}


def _end_of(error: ApiError | None, sent: int) -> str:
    """Say how a stream has ended whose caller was there until then."""
    if error is None:
        return "finished"
    return _ENDS.get(error.reason, "refused") if sent else "refused"


def _is_for_another_match(credential: Credential, match_id: str) -> bool:
    return bool(credential.match_id and match_id) and credential.match_id != match_id
