"""An ApiError as google.rpc.Status with its details: the one place where their form is decided, for every door."""

import math
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import error_details_pb2, status_pb2

from service.codec.times import duration_text
from service.errors import ApiError

DOMAIN = "umpire"
_TYPE = "type.googleapis.com/google.rpc."


def status_of(error: ApiError) -> status_pb2.Status:
    """Make the protobuf form, which gRPC and Connect carry."""
    return status_pb2.Status(code=error.code.number, message=error.message, details=details_of(error))


def details_of(error: ApiError) -> list[AnyMessage]:
    """Make the details: ErrorInfo, then BadRequest and RetryInfo if there is something to say."""
    messages: list[Any] = [error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)]
    if error.field_violations:
        violations = [error_details_pb2.BadRequest.FieldViolation(field=one.field, description=one.description) for one in error.field_violations]
        messages.append(error_details_pb2.BadRequest(field_violations=violations))
    if error.retry_after_ms is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(error.retry_after_ms)
        messages.append(retry)
    packed = [AnyMessage() for _ in messages]
    for carrier, message in zip(packed, messages, strict=True):
        carrier.Pack(message)
    return packed


def status_json(error: ApiError) -> dict[str, Any]:
    """Make the proto3 JSON form, which REST carries."""
    details: list[dict[str, Any]] = [{"@type": f"{_TYPE}ErrorInfo", "reason": error.reason, "domain": DOMAIN, "metadata": error.metadata}]
    if error.field_violations:
        violations = [{"field": one.field, "description": one.description} for one in error.field_violations]
        details.append({"@type": f"{_TYPE}BadRequest", "fieldViolations": violations})
    if error.retry_after_ms is not None:
        details.append({"@type": f"{_TYPE}RetryInfo", "retryDelay": duration_text(error.retry_after_ms)})
    return {"code": error.code.number, "message": error.message, "details": details}


def retry_after_s(error: ApiError) -> int | None:
    """Return what the header Retry-After says, in whole seconds."""
    return None if error.retry_after_ms is None else math.ceil(error.retry_after_ms / 1000)
