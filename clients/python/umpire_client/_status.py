"""From what gRPC raises to an UmpireError."""

from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

from umpire.v1.match_service_pb2 import PlayRefusal
from umpire_client.errors import FieldViolation, UmpireError, Unavailable

_DOMAIN = "umpire"
_CODES = {code.value[0]: code for code in grpc.StatusCode}
# What gRPC says if it found no connection to send the call over. Should its words change, such a call counts as UNKNOWN, which is safe.
_NEVER_SENT = ("failed to connect to all addresses", "DNS resolution failed", "errors resolving ")


def error_of(failure: Any) -> UmpireError:
    """Make the error for a grpc.RpcError, of the class of its reason or else of its code."""
    code, message = failure.code(), failure.details() or ""
    info, bad, retry = _details(failure.trailing_metadata() or ())
    reason = info.reason if info.domain == _DOMAIN else ""
    kind = UmpireError.by_reason.get(reason) or (Unavailable if _broken_off(failure, reason) else UmpireError.by_code.get(code, UmpireError))
    violations = [FieldViolation(one.field, one.description) for one in bad.field_violations]
    retry_after = retry.retry_delay.ToMilliseconds() / 1000 if retry.HasField("retry_delay") else None
    error = kind(code, message, reason, info.metadata, violations, retry_after)
    if isinstance(error, Unavailable):
        error.applied = _applied(error)
    return error


def refusal_of(refusal: PlayRefusal) -> UmpireError:
    """Make the error for a refusal on a stream: the one that ApplyMove would have raised."""
    code = _CODES.get(refusal.code, grpc.StatusCode.UNKNOWN)
    kind = UmpireError.by_reason.get(refusal.reason) or UmpireError.by_code.get(code, UmpireError)
    violation = refusal.violation
    named = {"code": violation.code, "rule": violation.rule, "field": violation.field} if refusal.HasField("violation") else {}
    return kind(code, refusal.message, refusal.reason, {name: value for name, value in named.items() if value})


def _details(trailers: Any) -> tuple[error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo]:
    found = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    for key, value in trailers:
        if key == "grpc-status-details-bin":
            for detail in status_pb2.Status.FromString(value).details:
                _ = any(detail.Unpack(one) for one in found)
    return found


def never_sent(error: UmpireError) -> bool:
    """Say whether there was no connection to send the call over."""
    return error.code is grpc.StatusCode.UNAVAILABLE and not error.reason and error.message.startswith(_NEVER_SENT)


def _broken_off(failure: Any, reason: str) -> bool:
    """Say whether a proxy lost the server in the midst of an answer: it can but reset the stream then, and gRPC calls that INTERNAL. The server's own has a
    reason.
    """
    return failure.code() is grpc.StatusCode.INTERNAL and not reason and "RST_STREAM" in (failure.details() or "")


def _applied(error: Unavailable) -> str:
    return "NO" if never_sent(error) or error.metadata.get("applied") == "NO" else "UNKNOWN"
