"""What Envoy says by itself, in the form in which the workers refuse a call: google.rpc.Status, for REST, for Connect and for gRPC.

Whether a move was applied is not known here: a client repeats the call with the same ``request_id``.
"""

import base64
import json
from dataclasses import dataclass
from typing import Any

_TYPE = "type.googleapis.com/google.rpc."
_LIMIT = 64 * 1024


@dataclass(frozen=True)
class Reply:
    """One kind of answer: ``status`` of HTTP in which Envoy makes it, canonical code and its name, reason and domain of the ErrorInfo."""

    status: int
    code: int
    name: str
    reason: str
    message: str
    metadata: tuple[tuple[str, str], ...] = ()
    domain: str = "envoy"
    retry_after_s: int = 0


REPLIES = (
    Reply(408, 4, "deadline_exceeded", "REQUEST_TOO_SLOW", "the request did not come in time"),
    # The limit is the workers', and so is this answer, to the letter.
    Reply(413, 8, "resource_exhausted", "TOO_LARGE", f"a request has at most {_LIMIT} bytes", (("limit", str(_LIMIT)),), "umpire"),
    Reply(429, 8, "resource_exhausted", "RATE_LIMITED", "too many requests; try again later", retry_after_s=1),
    Reply(503, 14, "unavailable", "WORKER_UNAVAILABLE", "no worker could answer; try again", (("applied", "UNKNOWN"),), retry_after_s=1),
    # To gRPC clients too this is "try again": their own deadline is not over.
    Reply(504, 14, "unavailable", "WORKER_TOO_SLOW", "the worker did not answer in time; try again", (("applied", "UNKNOWN"),), retry_after_s=1),
)


def mappers() -> list[dict[str, Any]]:
    """Write the mappers of Envoy's ``local_reply_config``: the first that fits is taken, so gRPC comes before Connect, and REST last."""
    return [make(reply) for make in (_grpc, _connect, _rest) for reply in REPLIES]


def _grpc(reply: Reply) -> dict[str, Any]:
    details = base64.b64encode(_status(reply)).decode().rstrip("=")
    headers = [_header("grpc-status", str(reply.code)), _header("grpc-status-details-bin", details)]
    return {"filter": _when(reply, _GRPC), "headers_to_add": headers, "body_format_override": _text(reply.message)}


def _connect(reply: Reply) -> dict[str, Any]:
    details = [{"type": url.rpartition("/")[2], "value": base64.b64encode(value).decode().rstrip("=")} for url, value in _details(reply)]
    body = {"code": reply.name, "message": reply.message, "details": details}
    return _json(reply, _when(reply, _CONNECT), body)


def _rest(reply: Reply) -> dict[str, Any]:
    details: list[dict[str, Any]] = [{"@type": f"{_TYPE}ErrorInfo", "reason": reply.reason, "domain": reply.domain, "metadata": dict(reply.metadata)}]
    if reply.retry_after_s:
        details.append({"@type": f"{_TYPE}RetryInfo", "retryDelay": f"{reply.retry_after_s}s"})
    return _json(reply, _when(reply), {"code": reply.code, "message": reply.message, "details": details})


_GRPC = {"name": "content-type", "string_match": {"prefix": "application/grpc"}}
_CONNECT = {"name": ":path", "string_match": {"prefix": "/umpire.v1."}}


def _when(reply: Reply, header: dict[str, Any] | None = None) -> dict[str, Any]:
    # The value of a status filter can be changed at run time, under a key that it must have.
    status = {"status_code_filter": {"comparison": {"op": "EQ", "value": {"default_value": reply.status, "runtime_key": f"umpire.reply_{reply.status}"}}}}
    return {"and_filter": {"filters": [status, {"header_filter": {"header": header}}]}} if header else status


def _json(reply: Reply, when: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    headers = [_header("cache-control", "no-store")] + ([_header("retry-after", str(reply.retry_after_s))] if reply.retry_after_s else [])
    return {"filter": when, "headers_to_add": headers, "body_format_override": {**_text(json.dumps(body)), "content_type": "application/json"}}


def _text(text: str) -> dict[str, Any]:
    return {"text_format_source": {"inline_string": text}}


def _header(name: str, value: str) -> dict[str, Any]:
    return {"header": {"key": name, "value": value}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}


# ---- protobuf by hand: this runs where no library need be


def _status(reply: Reply) -> bytes:
    packed = b"".join(_field(3, _field(1, url.encode()) + _field(2, value)) for url, value in _details(reply))
    return b"\x08" + _varint(reply.code) + _field(2, reply.message.encode()) + packed


def _details(reply: Reply) -> list[tuple[str, bytes]]:
    pairs = b"".join(_field(3, _field(1, key.encode()) + _field(2, value.encode())) for key, value in reply.metadata)
    found = [(f"{_TYPE}ErrorInfo", _field(1, reply.reason.encode()) + _field(2, reply.domain.encode()) + pairs)]
    if reply.retry_after_s:
        found.append((f"{_TYPE}RetryInfo", _field(1, b"\x08" + _varint(reply.retry_after_s))))
    return found


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + _varint(number >> 7)
