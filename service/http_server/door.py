"""The HTTP door: a raw ASGI app that serves REST and Connect from the contract."""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from service.contract import Rpc
from service.credentials import bearer
from service.dispatch import Call, Dispatcher
from service.errors import ApiError, InvalidRequest, MethodNotAllowed, NoStream, NotFound, TooLarge, Unauthenticated
from service.http_server.connect import error_json, http_status, is_proto, is_stream, stream_error
from service.http_server.event_stream import EventStream, resumed
from service.http_server.router import BAD_ESCAPE, Route, Router
from service.http_server.whole_answers import CONNECTION
from service.messages import Message
from service.request_ids import request_id
from service.status import retry_after_s, status_json

_LIMIT = 64 * 1024
_JSON = b"application/json"
_PLAIN = b"identity"

Headers = list[tuple[bytes, bytes]]


class _Gone(Exception):
    """The client went away before its request was whole."""


class HttpDoor:
    """Serves the contract over HTTP. ``allowed_origins`` are those whose pages may call from a browser besides the door's own."""

    def __init__(self, rpcs: Mapping[str, Rpc], dispatcher: Dispatcher, *, allowed_origins: Collection[str] = ()) -> None:
        self._router = Router(rpcs.values())
        self._dispatcher = dispatcher
        self._origins = {origin.encode() for origin in allowed_origins}

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await _live(receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        call_id = request_id(headers.get(b"x-request-id", b"").decode("latin-1"))
        extra: Headers = [(b"x-request-id", call_id.encode()), *self._cors(headers.get(b"origin"))]
        route: Route | None = None
        try:
            if scope["method"] == "OPTIONS":
                await self._preflight(scope, headers, extra, send)
                return
            route = self._router.find(scope["method"], scope["raw_path"])
            body = await _read_body(headers, receive)
            if route.rpc.is_stream:
                await self._stream(route, scope, headers, body, call_id, extra, send)
                return
            answer, content_type = await self._run(route, scope, headers, body, call_id)
        except _Gone:
            return
        except NoStream as error:
            content_type = headers.get(b"content-type", b"")
            if is_stream(content_type):
                await _send(send, 200, stream_error(error), content_type, extra)
                return
            await _refuse(send, error, extra, is_connect=True)
            return
        except ApiError as error:
            await _refuse(send, error, extra, is_connect=route is not None and route.is_connect)
            return
        await _send(send, 200, answer, content_type, extra, with_body=scope["method"] != "HEAD")

    async def _run(self, route: Route, scope: dict[str, Any], headers: dict[bytes, bytes], body: bytes, call_id: str) -> tuple[bytes, bytes]:
        rpc = route.rpc
        content_type = headers.get(b"content-type", b"").decode("latin-1")
        call = _call(headers, call_id, "connect" if route.is_connect else "rest")
        if route.is_connect:
            if is_proto(content_type):
                return await self._dispatcher.run(rpc, call, lambda: rpc.request.from_bytes(body), rpc.response.to_bytes), b"application/proto"
            return await self._dispatcher.run(rpc, call, lambda: rpc.request.from_json(body), rpc.response.to_json), _JSON

        def decode() -> Message:
            has_body = rpc.http is not None and rpc.http.has_body
            _require_json(content_type, body, has_body=has_body, from_a_page=b"origin" in headers)
            return rpc.request.from_parts(body, route.fields, _query(scope["query_string"]), takes_query=not has_body)

        return await self._dispatcher.run(rpc, call, decode, rpc.response.to_json), _JSON

    async def _stream(self, route: Route, scope: dict[str, Any], headers: dict[bytes, bytes], body: bytes, call_id: str, extra: Headers, send: Any) -> None:
        rpc, http = route.rpc, route.rpc.http
        if route.is_connect or http is None:
            raise NoStream(rpc.method, "gRPC" if http is None else f"gRPC, or {http.method} {http.template} for server-sent events")

        def decode() -> Message:
            _require_json("", body, has_body=False, from_a_page=False)
            return rpc.request.from_parts(body, route.fields, resumed(_query(scope["query_string"]), headers.get(b"last-event-id", b"")))

        connection = scope.get(CONNECTION)
        events = EventStream(send, rpc.response.to_json, extra, connection)
        call = _call(headers, call_id, "rest")
        await events.carry(lambda: self._dispatcher.stream(rpc, call, decode, events.write), connection, self._dispatcher.patience)

    def _cors(self, origin: bytes | None) -> Headers:
        if not self._origins:
            return []
        allowed: Headers = [(b"access-control-allow-origin", origin)] if origin in self._origins else []
        if allowed:
            allowed.append((b"access-control-expose-headers", b"x-request-id, retry-after, www-authenticate"))
        return [*allowed, (b"vary", b"origin")]

    async def _preflight(self, scope: dict[str, Any], headers: dict[bytes, bytes], extra: Headers, send: Any) -> None:
        methods = self._router.methods_at(scope["raw_path"])
        if not methods:
            raise NotFound("ROUTE_NOT_FOUND", "there is nothing at this path", {"path": scope["raw_path"].decode("ascii", "replace")[:256]})
        if b"access-control-request-method" not in headers:
            raise MethodNotAllowed("OPTIONS", methods)
        allowed: Headers = [
            (b"access-control-allow-methods", methods.encode()),
            (
                b"access-control-allow-headers",
                b"authorization, content-type, x-api-key, x-request-id, connect-protocol-version, connect-timeout-ms, last-event-id, traceparent, tracestate",
            ),
            (b"access-control-max-age", b"600"),
        ]
        await _send(send, 204, b"", _JSON, [*extra, *(allowed if headers.get(b"origin") in self._origins else [])])


async def _live(receive: Any, send: Any) -> None:
    """Acknowledge the server's own start and stop, for servers that ask."""
    for event in ("lifespan.startup", "lifespan.shutdown"):
        if (await receive())["type"] != event:
            return
        await send({"type": f"{event}.complete"})


def _call(headers: dict[bytes, bytes], call_id: str, transport: str) -> Call:
    credential, api_key = bearer(headers.get(b"authorization", b"").decode("latin-1")), headers.get(b"x-api-key", b"").decode("latin-1")
    traceparent = headers.get(b"traceparent")
    if traceparent is None:
        return Call(credential, api_key, call_id, transport)
    return Call(credential, api_key, call_id, transport, traceparent.decode("latin-1"), headers.get(b"tracestate", b"").decode("latin-1"))


def _query(text: bytes) -> list[tuple[str, str]]:
    if not text:
        return []
    malformed = InvalidRequest(("", "the query is not well formed"))
    if BAD_ESCAPE.search(text):  # parse_qsl would let it stand as it is
        raise malformed
    try:
        return parse_qsl(text.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError:
        raise malformed from None


def _require_json(content_type: str, body: bytes, *, has_body: bool, from_a_page: bool) -> None:
    if body and not has_body:
        raise InvalidRequest(("", "this call takes no body"))
    # `curl -d` calls everything a form, and is meant to work. A page must say JSON: a browser then asks first (CORS) whether it may send it.
    accepted = {"application/json"} if from_a_page else {"", "application/json", "application/x-www-form-urlencoded"}
    if body and content_type.partition(";")[0].strip().lower() not in accepted:
        raise InvalidRequest(("content-type", "must be application/json"))


async def _read_body(headers: dict[bytes, bytes], receive: Any) -> bytes:
    if headers.get(b"content-encoding", _PLAIN).lower() != _PLAIN:
        raise InvalidRequest(("content-encoding", "must be absent: a body is not compressed"))
    declared = headers.get(b"content-length", b"0")
    if declared.isdigit() and int(declared) > _LIMIT:
        raise TooLarge(_LIMIT)
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        part = message.get("body", b"")
        size += len(part)
        if size > _LIMIT:
            raise TooLarge(_LIMIT)
        parts.append(part)
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


async def _refuse(send: Any, error: ApiError, extra: Headers, *, is_connect: bool) -> None:
    headers = list(extra)
    retry = retry_after_s(error)
    if retry is not None:
        headers.append((b"retry-after", str(retry).encode()))
    if isinstance(error, Unauthenticated):
        headers.append((b"www-authenticate", b"Bearer"))
    if isinstance(error, MethodNotAllowed):
        headers.append((b"allow", error.metadata["allow"].encode()))
    if isinstance(error, TooLarge):
        headers.append((b"connection", b"close"))  # the rest of the body is not read
    body = msgspec.json.encode(error_json(error) if is_connect else status_json(error))
    await _send(send, http_status(error) if is_connect else error.http_status, body, _JSON, headers)


async def _send(send: Any, status: int, body: bytes, content_type: bytes, extra: Headers, *, with_body: bool = True) -> None:
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        *extra,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body if with_body else b""})
