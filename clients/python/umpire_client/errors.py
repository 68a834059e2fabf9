"""Every way in which a call can fail, as a class: by its reason, or, if no class has that reason, by its status code.

    UmpireError                     any other status code
    ├── InvalidRequest              INVALID_ARGUMENT      INVALID_REQUEST; `field_violations` names every bad field
    ├── Unauthenticated             UNAUTHENTICATED
    │   ├── CredentialMissing                             CREDENTIAL_MISSING
    │   ├── CredentialInvalid                             CREDENTIAL_INVALID
    │   └── ApiKeyInvalid                                 API_KEY_INVALID
    ├── PermissionDenied            PERMISSION_DENIED
    │   ├── WrongMatch                                    WRONG_MATCH
    │   ├── WrongSeat                                     WRONG_SEAT
    │   ├── SpectatorCannotMove                           SPECTATOR_CANNOT_MOVE
    │   ├── CreatorOnly                                   CREATOR_ONLY
    │   └── ApiKeyRequired                                API_KEY_REQUIRED
    ├── NotFound                    NOT_FOUND
    │   ├── MatchNotFound                                 MATCH_NOT_FOUND
    │   │   └── MatchExpired                              MATCH_EXPIRED
    │   ├── GameNotFound                                  GAME_NOT_FOUND
    │   └── CardSetNotFound                               CARD_SET_NOT_FOUND
    ├── AlreadyExists               ALREADY_EXISTS
    │   ├── RequestIdReused                               REQUEST_ID_REUSED
    │   └── SeatClaimed                                   SEAT_CLAIMED
    ├── FailedPrecondition          FAILED_PRECONDITION
    │   ├── IllegalMove                                   ILLEGAL_MOVE; `violation`, `rule`, `field`
    │   ├── NoOpenDecision                                NO_OPEN_DECISION
    │   ├── MatchFinished                                 MATCH_FINISHED
    │   ├── MatchNotStarted                               MATCH_NOT_STARTED
    │   ├── MatchNotFinished                              MATCH_NOT_FINISHED
    │   └── ProofWithheld                                 PROOF_WITHHELD
    ├── Aborted                     ABORTED
    │   └── DecisionClosed                                DECISION_CLOSED; `decision_id`
    ├── OutOfRange                  OUT_OF_RANGE
    │   └── VersionAhead                                  VERSION_AHEAD; `version`
    ├── ResourceExhausted           RESOURCE_EXHAUSTED
    │   ├── TooLarge                                      TOO_LARGE
    │   └── WatcherTooSlow                                WATCHER_TOO_SLOW; `version`; `watch` resumes by itself
    ├── Unavailable                 UNAVAILABLE, CANCELLED    also where nobody answered at all; `applied`, `request_id`, `connected`
    │   ├── StoreUnavailable                              STORE_UNAVAILABLE
    │   ├── ServerDraining                                SERVER_DRAINING
    │   ├── RulesetUnknownHere                            RULESET_UNKNOWN_HERE
    │   └── DeadlineExceeded        DEADLINE_EXCEEDED
    ├── DataLoss                    DATA_LOSS
    │   └── SnapshotUnreadable                            SNAPSHOT_UNREADABLE
    ├── Unimplemented               UNIMPLEMENTED         the server's release has no such call
    └── InternalError               INTERNAL              INTERNAL

ROUTE_NOT_FOUND and METHOD_NOT_ALLOWED are said over HTTP only, and have no class.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import grpc


class FieldViolation(NamedTuple):
    """A bad field of a request: its path in the contract's names (``seats[1].display_name``) and what is wrong with it."""

    field: str
    description: str


class UmpireError(Exception):
    """A call that was refused or not answered.

    ``code`` is a grpc.StatusCode; ``reason`` one of ``umpire.v1.ErrorReason`` without its prefix, "" if the server gave none; ``message`` a sentence;
    ``metadata`` is for programs; ``retry_after`` is in seconds, None if the server named no time. ``applied`` is NO: a refusal changes nothing; but UNKNOWN if
    an earlier attempt of the same call got no answer: that one may have been applied.
    """

    applied = "NO"

    by_code: ClassVar[dict[Any, "type[UmpireError]"]] = {}
    by_reason: ClassVar[dict[str, "type[UmpireError]"]] = {}

    def __init_subclass__(cls, code: Any = None, reason: str = "") -> None:
        if code is not None:
            UmpireError.by_code[code] = cls
        if reason:
            UmpireError.by_reason[reason] = cls

    def __init__(
        self,
        code: Any,
        message: str,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        field_violations: Sequence[FieldViolation] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, message, reason, metadata, field_violations, retry_after)
        self.code = code
        self.message = message
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.field_violations = tuple(field_violations)
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"


class InvalidRequest(UmpireError, code=grpc.StatusCode.INVALID_ARGUMENT, reason="INVALID_REQUEST"):
    """The request is malformed; ``field_violations`` names every bad field."""


class Unauthenticated(UmpireError, code=grpc.StatusCode.UNAUTHENTICATED):
    """Nobody known is calling."""


class CredentialMissing(Unauthenticated, reason="CREDENTIAL_MISSING"):
    """The call needs a credential."""


class CredentialInvalid(Unauthenticated, reason="CREDENTIAL_INVALID"):
    """The credential or invite is forged, expired, revoked or unreadable."""


class ApiKeyInvalid(Unauthenticated, reason="API_KEY_INVALID"):
    """The API key is not one of this server's."""


class PermissionDenied(UmpireError, code=grpc.StatusCode.PERMISSION_DENIED):
    """The caller is known and may not do this."""


class WrongMatch(PermissionDenied, reason="WRONG_MATCH"):
    """The credential is for another match."""


class WrongSeat(PermissionDenied, reason="WRONG_SEAT"):
    """The credential does not hold the seat that the call names."""


class SpectatorCannotMove(PermissionDenied, reason="SPECTATOR_CANNOT_MOVE"):
    """A credential without a seat asks for what only a seat may do."""


class CreatorOnly(PermissionDenied, reason="CREATOR_ONLY"):
    """Only the match's creator may do this."""


class ApiKeyRequired(PermissionDenied, reason="API_KEY_REQUIRED"):
    """The call needs an API key."""


class NotFound(UmpireError, code=grpc.StatusCode.NOT_FOUND):
    """What the call names does not exist."""


class MatchNotFound(NotFound, reason="MATCH_NOT_FOUND"):
    """The match was never created, or is deleted or expired."""


class MatchExpired(MatchNotFound, reason="MATCH_EXPIRED"):
    """The match that was being watched has outlived its time and is gone."""


class GameNotFound(NotFound, reason="GAME_NOT_FOUND"):
    """The server has no such game."""


class CardSetNotFound(NotFound, reason="CARD_SET_NOT_FOUND"):
    """The game has no such card set."""


class AlreadyExists(UmpireError, code=grpc.StatusCode.ALREADY_EXISTS):
    """What the call wants to make exists in another form."""


class RequestIdReused(AlreadyExists, reason="REQUEST_ID_REUSED"):
    """The request_id was used before with another body."""


class SeatClaimed(AlreadyExists, reason="SEAT_CLAIMED"):
    """The invite's seat is taken."""


class FailedPrecondition(UmpireError, code=grpc.StatusCode.FAILED_PRECONDITION):
    """The match is not in a state for this call."""


class IllegalMove(FailedPrecondition, reason="ILLEGAL_MOVE"):
    """A rule of the game forbids the move; ``message`` is fit for a player."""

    @property
    def violation(self) -> str:
        """The game's code for what is wrong, for example "COLUMN_TOO_LONG"."""
        return self.metadata.get("code", "")

    @property
    def rule(self) -> str:
        """The id of the rule, for example "PLAY-2"."""
        return self.metadata.get("rule", "")

    @property
    def field(self) -> str:
        """The field of the move that is to blame; "" if it is none in particular."""
        return self.metadata.get("field", "")


class NoOpenDecision(FailedPrecondition, reason="NO_OPEN_DECISION"):
    """The seat is not asked for anything now."""


class MatchFinished(FailedPrecondition, reason="MATCH_FINISHED"):
    """The match is over."""


class MatchNotStarted(FailedPrecondition, reason="MATCH_NOT_STARTED"):
    """Seats are still open, nothing is dealt."""


class MatchNotFinished(FailedPrecondition, reason="MATCH_NOT_FINISHED"):
    """The match is still being played, and what was asked for would open what is hidden."""


class ProofWithheld(FailedPrecondition, reason="PROOF_WITHHELD"):
    """The match was created without a proof."""


class Aborted(UmpireError, code=grpc.StatusCode.ABORTED):
    """Something else came first: read again."""


class DecisionClosed(Aborted, reason="DECISION_CLOSED"):
    """The decision that the move names is open no more, or never was."""

    @property
    def decision_id(self) -> int | None:
        """The seat's open decision, None if it has none."""
        named = self.metadata.get("decision_id", "")
        return int(named) if named.isdecimal() else None


class OutOfRange(UmpireError, code=grpc.StatusCode.OUT_OF_RANGE):
    """The call asks for what does not exist yet."""


class VersionAhead(OutOfRange, reason="VERSION_AHEAD"):
    """The version asked for lies ahead of the match."""

    @property
    def version(self) -> int:
        """The version of the match."""
        return _version(self)


class ResourceExhausted(UmpireError, code=grpc.StatusCode.RESOURCE_EXHAUSTED):
    """The call asks for more than the server gives."""


class TooLarge(ResourceExhausted, reason="TOO_LARGE"):
    """The request or its answer is larger than the server takes."""


class WatcherTooSlow(ResourceExhausted, reason="WATCHER_TOO_SLOW"):
    """The messages of a stream were not read as fast as they came, and the server cut it off."""

    @property
    def version(self) -> int:
        """The last version that the server has sent."""
        return _version(self)


class Unavailable(UmpireError, code=grpc.StatusCode.UNAVAILABLE):
    """Nobody could answer, also after retries.

    ``applied`` is NO if it is certain that nothing was done, else UNKNOWN: repeat the call with ``request_id`` ("" if it had none) to settle it.
    ``connected`` is False if the client never had a connection: then the address may be wrong. ``code`` is INTERNAL where a proxy has reset the stream because
    it lost the server in the midst of an answer.
    """

    request_id = ""
    applied = "UNKNOWN"
    connected = True


# A worker that stops has no other word for calls that had reached it and not begun. (What the caller itself cancels does not come here.)
UmpireError.by_code[grpc.StatusCode.CANCELLED] = Unavailable


class StoreUnavailable(Unavailable, reason="STORE_UNAVAILABLE"):
    """The server's store does not answer."""


class ServerDraining(Unavailable, reason="SERVER_DRAINING"):
    """The worker is shutting down."""


class RulesetUnknownHere(Unavailable, reason="RULESET_UNKNOWN_HERE"):
    """The worker runs an older release than the match."""


class DeadlineExceeded(Unavailable, code=grpc.StatusCode.DEADLINE_EXCEEDED):
    """The time ran out while the call was under way."""


class DataLoss(UmpireError, code=grpc.StatusCode.DATA_LOSS):
    """Something stored is lost."""


class SnapshotUnreadable(DataLoss, reason="SNAPSHOT_UNREADABLE"):
    """The stored match cannot be read; tell the operator."""


class Unimplemented(UmpireError, code=grpc.StatusCode.UNIMPLEMENTED):
    """The server does not know the call: its release is older than this client."""


class InternalError(UmpireError, code=grpc.StatusCode.INTERNAL, reason="INTERNAL"):
    """A fault of the server; ``metadata["request_id"]`` finds its log line."""


class MatchAbandoned(Exception):
    """A bot's match ended without an outcome: no person is left. No answer of the server, but of ``Bot.play``."""


def _version(error: UmpireError) -> int:
    named = error.metadata.get("version", "")
    return int(named) if named.isdecimal() else 0
