"""Connect's unary protocol: which bodies it takes, and how it writes an error. And how it says to a client that wants a stream that there are none."""

import base64
from typing import Any

import msgspec

from service.errors import ApiError, Code, InvalidRequest
from service.status import details_of

_END_OF_STREAM = 2
_STATUS = {
    Code.INVALID_ARGUMENT: 400,
    Code.NOT_FOUND: 404,
    Code.ALREADY_EXISTS: 409,
    Code.PERMISSION_DENIED: 403,
    Code.RESOURCE_EXHAUSTED: 429,
    Code.FAILED_PRECONDITION: 400,
    Code.ABORTED: 409,
    Code.OUT_OF_RANGE: 400,
    Code.UNIMPLEMENTED: 501,
    Code.INTERNAL: 500,
    Code.UNAVAILABLE: 503,
    Code.DATA_LOSS: 500,
    Code.UNAUTHENTICATED: 401,
}


def is_proto(content_type: str) -> bool:
    """Whether a body is protobuf; else it is JSON.

    Raises:
        InvalidRequest: it is neither.
    """
    match content_type.partition(";")[0].strip().lower():
        case "application/proto":
            return True
        case "application/json":
            return False
    raise InvalidRequest(("content-type", "must be application/json or application/proto"))


def is_stream(content_type: bytes) -> bool:
    """Whether a client speaks Connect's protocol of streams."""
    return content_type.lower().startswith(b"application/connect+")


def stream_error(error: ApiError) -> bytes:
    """Write an error as the end of a stream."""
    content = msgspec.json.encode({"error": error_json(error)})
    return bytes([_END_OF_STREAM]) + len(content).to_bytes(4, "big") + content


def error_json(error: ApiError) -> dict[str, Any]:
    """Write an error as Connect has it: the code's name in small letters, details as packed bytes."""
    details = [{"type": detail.type_url.rpartition("/")[2], "value": base64.b64encode(detail.value).decode().rstrip("=")} for detail in details_of(error)]
    return {"code": error.code.name.lower(), "message": error.message, "details": details}


def http_status(error: ApiError) -> int:
    """Return the HTTP status that Connect gives a code."""
    return _STATUS[error.code]
