"""What a client is told, the same for both doors. What a step says is kept as it came and put into one form only when two of them are compared."""

from typing import Any, NamedTuple

from google.protobuf import json_format

from umpire.v1 import match_pb2

Content = match_pb2.Update | dict[str, Any]


class Step(NamedTuple):
    """One step of a match, as some viewer was told it. ``opened`` and ``closed`` are pairs of decision and seat."""

    version: int
    cause: str
    seat: int
    opened: tuple[tuple[int, int], ...]
    closed: tuple[tuple[int, int], ...]
    content: Content

    @property
    def outline(self) -> tuple[Any, ...]:
        """What is the same for all viewers."""
        return self.version, self.cause, self.seat, self.opened, self.closed

    def says_the_same(self, other: "Step") -> bool:
        """Compare with what the same viewer was told elsewhere."""
        if type(self.content) is type(other.content):
            return self.content == other.content
        return _message(self.content) == _message(other.content)


class Asked(NamedTuple):
    """What a seat is asked at a version: the decision (0: nothing) and the moves that may answer it."""

    version: int
    decision_id: int
    moves: tuple[str, ...]
    illegal: tuple[tuple[str, str], ...] = ()
    """Moves that are not legal, each with the code of its violation."""


class Ruling(NamedTuple):
    """The answer to a move: the version that it made, its steps, and what the seat is asked next. ``ending`` is "" while the match goes on."""

    applied_version: int
    steps: tuple[Step, ...]
    asked: Asked
    ending: str


class Created(NamedTuple):
    """A new match and the credentials to it."""

    match_id: str
    mode: str
    seats: dict[int, str]
    spectator: str
    creator: str


class Told(NamedTuple):
    """A message of a stream: the version that it brings the watcher to, and the step, the match's state or neither. ``ending`` comes with the last step."""

    version: int
    step: Step | None
    ending: str


class Page(NamedTuple):
    """A page of the history; ``following`` is where the next begins, 0 after the last."""

    steps: tuple[Step, ...]
    version: int
    following: int


class Refused(Exception):
    """The service refused a call, or it could not be reached: ``reason`` as in ErrorInfo, else what happened to the connection."""

    def __init__(self, reason: str, code: str, detail: str = "", violation: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code
        self.detail = detail
        self.violation = violation
        self.may_pass = code in {"UNAVAILABLE", "CANCELLED"} or reason == "WATCHER_TOO_SLOW"
        """A client tries again by itself, with the same request_id, or from the version that it saw last."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Refused, (self.reason, self.code, self.detail, self.violation)


def ending_of(status: str, reason: str) -> str:
    """Name how a match ended: the reason of its outcome; "" while it goes on."""
    return reason or ("ABANDONED" if status == "MATCH_STATUS_ABANDONED" else "")


def _message(content: Content) -> match_pb2.Update:
    if isinstance(content, match_pb2.Update):
        return content
    return json_format.ParseDict(content, match_pb2.Update(), ignore_unknown_fields=True)
