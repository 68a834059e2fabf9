"""Every way in which a call can be refused.

    ApiError
    ├── InvalidRequest          INVALID_ARGUMENT     INVALID_REQUEST, with one entry a bad field
    ├── Unauthenticated         UNAUTHENTICATED      CREDENTIAL_MISSING, CREDENTIAL_INVALID, API_KEY_INVALID
    ├── Forbidden               PERMISSION_DENIED    WRONG_MATCH, WRONG_SEAT, SPECTATOR_CANNOT_MOVE, CREATOR_ONLY, API_KEY_REQUIRED
    ├── NotFound                NOT_FOUND            MATCH_NOT_FOUND, MATCH_EXPIRED, GAME_NOT_FOUND, CARD_SET_NOT_FOUND, ROUTE_NOT_FOUND
    ├── AlreadyExists           ALREADY_EXISTS       REQUEST_ID_REUSED, SEAT_CLAIMED
    ├── FailedPrecondition      FAILED_PRECONDITION  NO_OPEN_DECISION, MATCH_FINISHED, MATCH_NOT_STARTED
    │   │                                            MATCH_NOT_FINISHED, PROOF_WITHHELD
    │   └── IllegalMove                              ILLEGAL_MOVE
    ├── DecisionClosed          ABORTED              DECISION_CLOSED
    ├── VersionAhead            OUT_OF_RANGE         VERSION_AHEAD
    ├── TooLarge                RESOURCE_EXHAUSTED   TOO_LARGE
    ├── TooSlow                 RESOURCE_EXHAUSTED   WATCHER_TOO_SLOW
    ├── MethodNotAllowed        UNIMPLEMENTED        METHOD_NOT_ALLOWED
    │   └── NoStream                                 likewise: the door has no streams
    ├── Unavailable             UNAVAILABLE          STORE_UNAVAILABLE, SERVER_DRAINING, RULESET_UNKNOWN_HERE; says what is known of the move
    ├── SnapshotUnreadable      DATA_LOSS            SNAPSHOT_UNREADABLE
    └── Internal                INTERNAL             INTERNAL: anything unforeseen

The reasons are ``umpire.v1.ErrorReason`` without its prefix; a test holds the two lists equal. Each door has one place that writes an ApiError in its own form.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple


class Code(Enum):
    """The canonical status codes in use: gRPC's number, and the HTTP status of the canonical table."""

    INVALID_ARGUMENT = 3, 400
    NOT_FOUND = 5, 404
    ALREADY_EXISTS = 6, 409
    PERMISSION_DENIED = 7, 403
    RESOURCE_EXHAUSTED = 8, 429
    FAILED_PRECONDITION = 9, 400
    ABORTED = 10, 409
    OUT_OF_RANGE = 11, 400
    UNIMPLEMENTED = 12, 501
    INTERNAL = 13, 500
    UNAVAILABLE = 14, 503
    DATA_LOSS = 15, 500
    UNAUTHENTICATED = 16, 401

    @property
    def number(self) -> int:
        return self.value[0]

    @property
    def http_status(self) -> int:
        return self.value[1]


# gRPC carries an error in its trailers, which a client takes up to some 8 KB of: what a caller has sent comes back cut.
_LONGEST_MESSAGE = 512
_LONGEST_TEXT = 160
MOST_VIOLATIONS = 20


def _bounded(text: str, longest: int) -> str:
    """Cut a text, and take out what UTF-8 cannot carry."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return cut.encode("utf-8", "replace").decode()


class FieldViolation(NamedTuple):
    """A bad field of a request: its path in the contract's names (``seats[1].display_name``) and what is wrong with it."""

    field: str
    description: str


class ApiError(Exception):
    """A refused call: ``code``, ``reason``, ``message`` for the caller, ``metadata`` for programs, and what BadRequest and RetryInfo need."""

    code: Code
    reason: str
    http_status: int

    def __init__(
        self,
        reason: str,
        message: str,
        metadata: Mapping[str, str] | None = None,
        *,
        field_violations: Sequence[FieldViolation] = (),
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = _bounded(message, _LONGEST_MESSAGE)
        self.metadata = {key: _bounded(value, _LONGEST_TEXT) for key, value in (metadata or {}).items()}
        self.field_violations = tuple(
            FieldViolation(_bounded(one.field, _LONGEST_TEXT), _bounded(one.description, _LONGEST_TEXT)) for one in field_violations[:MOST_VIOLATIONS]
        )
        self.retry_after_ms = retry_after_ms
        self.http_status = self.code.http_status


class InvalidRequest(ApiError):
    """The request is malformed; every bad field is named. ``match_id`` is what the request names as its match, as far as it could be read."""

    code = Code.INVALID_ARGUMENT
    match_id = ""

    def __init__(self, *violations: tuple[str, str]) -> None:
        named = [FieldViolation(*violation) for violation in violations]
        message = "; ".join(f"{field}: {text}" if field else text for field, text in named)
        super().__init__("INVALID_REQUEST", message, field_violations=named)


class Unauthenticated(ApiError):
    """Nobody known is calling."""

    code = Code.UNAUTHENTICATED


class Forbidden(ApiError):
    """The caller is known and may not do this."""

    code = Code.PERMISSION_DENIED


class NotFound(ApiError):
    """What the call names does not exist."""

    code = Code.NOT_FOUND


class AlreadyExists(ApiError):
    """What the call wants to make exists in another form."""

    code = Code.ALREADY_EXISTS


class FailedPrecondition(ApiError):
    """The match is not in a state for this call."""

    code = Code.FAILED_PRECONDITION


class IllegalMove(FailedPrecondition):
    """A rule of the game forbids the move."""

    def __init__(self, code: str, rule: str, message: str, field: str = "") -> None:
        metadata = {"code": code, "rule": rule} | ({"field": field} if field else {})
        super().__init__("ILLEGAL_MOVE", message, metadata)


class DecisionClosed(ApiError):
    """The decision that the move names is not open (any more); ``current`` is the seat's open one, if any."""

    code = Code.ABORTED

    def __init__(self, current: int | None) -> None:
        metadata = {} if current is None else {"decision_id": str(current)}
        super().__init__("DECISION_CLOSED", "this decision is not open; read the match again", metadata)


class VersionAhead(ApiError):
    """The version asked for lies ahead of the match."""

    code = Code.OUT_OF_RANGE

    def __init__(self, version: int) -> None:
        super().__init__("VERSION_AHEAD", f"the match is at version {version}", {"version": str(version)})


class TooLarge(ApiError):
    """The request is larger than the server takes; ``limit`` in bytes."""

    code = Code.RESOURCE_EXHAUSTED

    def __init__(self, limit: int) -> None:
        super().__init__("TOO_LARGE", f"a request has at most {limit} bytes", {"limit": str(limit)})
        self.http_status = 413  # the canonical 429 would invite a retry


class TooSlow(ApiError):
    """The caller of a stream does not read; ``version`` is the last that it was sent."""

    code = Code.RESOURCE_EXHAUSTED

    def __init__(self, version: int) -> None:
        super().__init__("WATCHER_TOO_SLOW", "you did not read; resume after the last version that came", {"version": str(version)}, retry_after_ms=1_000)


class MethodNotAllowed(ApiError):
    """The path exists, with other methods; ``allow`` as in the header of that name."""

    code = Code.UNIMPLEMENTED

    def __init__(self, method: str, allow: str) -> None:
        super().__init__("METHOD_NOT_ALLOWED", f"{method} is not possible here, only {allow}", {"method": method, "allow": allow})
        self.http_status = 405


class NoStream(MethodNotAllowed):
    """The rpc is a stream, and this door has none for it; ``elsewhere`` says where it is to be had."""

    def __init__(self, name: str, elsewhere: str) -> None:
        super().__init__("POST", "")
        self.message = f"{name} is a stream, which Connect does not serve here: use {elsewhere}"


class Unavailable(ApiError):
    """Try again: ``applied`` is NO (nothing was done) or UNKNOWN (repeat with the same request_id to settle it)."""

    code = Code.UNAVAILABLE

    def __init__(self, reason: str, message: str, applied: str = "NO", **metadata: str) -> None:
        super().__init__(reason, message, {"applied": applied} | metadata, retry_after_ms=1_000)


class SnapshotUnreadable(ApiError):
    """The stored match cannot be read; never guessed around."""

    code = Code.DATA_LOSS

    def __init__(self, match_id: str) -> None:
        super().__init__("SNAPSHOT_UNREADABLE", "the stored match cannot be read", {"match_id": match_id})


class Internal(ApiError):
    """Anything unforeseen; tells the caller a request id and nothing else."""

    code = Code.INTERNAL

    def __init__(self, request_id: str) -> None:
        super().__init__("INTERNAL", "internal error", {"request_id": request_id})
