"""Shape checks that the contract's types do not make: lengths, ranges, and which characters. Each names its field."""

import string
from collections.abc import Iterable

from msgspec import UNSET

from engines.kit.structs import Move
from service.errors import InvalidRequest
from service.messages import ApplyMoveRequest, PlayMove

_PRINTABLE = frozenset(string.ascii_letters + string.digits + string.punctuation)
_LONGEST_ID = 64
_LONGEST_NAME = 64
_LONGEST_NOTE = 1_024
_SHORTEST_TTL_MS = 60_000
_LONGEST_TTL_MS = 30 * 24 * 3600 * 1000
_SHORTEST_MOVE_MS = 5_000
_LARGEST_PAGE = 500

Problem = tuple[str, str]


def refuse(*problems: Problem | None) -> None:
    """Refuse a request that has any of these problems.

    Raises:
        InvalidRequest: naming all of them.
    """
    found = [problem for problem in problems if problem is not None]
    if found:
        raise InvalidRequest(*found)


def identifier(field: str, value: str) -> Problem | None:
    """Check a caller's own id or seed: up to 64 printable ASCII characters, no spaces; may be empty."""
    good = len(value) <= _LONGEST_ID and _PRINTABLE.issuperset(value)
    return None if good else (field, f"has at most {_LONGEST_ID} printable ASCII characters and no spaces")


def given_move(asked: ApplyMoveRequest | PlayMove) -> Move | str:
    """Return the move that a request gives, typed or as text.

    Raises:
        InvalidRequest: it gives none or both, or its request_id is no id.
    """
    given = [move for move in (asked.move, asked.move_id) if move is not None and move is not UNSET]
    refuse(
        unless(len(given) == 1, "move", "exactly one of move and move_id is required"),
        identifier("request_id", asked.request_id),
    )
    return given[0]


def name(field: str, value: str) -> Problem | None:
    """Check a display name: up to 64 characters, none of them a control character."""
    good = len(value) <= _LONGEST_NAME and value.isprintable()
    return None if good else (field, f"has at most {_LONGEST_NAME} printable characters")


def note(field: str, value: str) -> Problem | None:
    """Check a note: up to 1,024 characters."""
    return None if len(value) <= _LONGEST_NOTE else (field, f"has at most {_LONGEST_NOTE} characters")


def ttl(field: str, milliseconds: int | None) -> Problem | None:
    """Check a time to live."""
    good = milliseconds is None or _SHORTEST_TTL_MS <= milliseconds <= _LONGEST_TTL_MS
    return None if good else (field, "must be one minute to 30 days")


def move_timeout(field: str, milliseconds: int | None) -> Problem | None:
    """Check how long a decision may take."""
    good = milliseconds is None or _SHORTEST_MOVE_MS <= milliseconds <= _LONGEST_TTL_MS
    return None if good else (field, "must be 5 seconds to 30 days")


def page_size(field: str, value: int) -> Problem | None:
    """Check the size of a page; 0 asks for the default."""
    return None if 0 <= value <= _LARGEST_PAGE else (field, f"must be 1 to {_LARGEST_PAGE}, or 0 for the default")


def not_negative(field: str, value: int) -> Problem | None:
    """Check a version."""
    return None if value >= 0 else (field, "must not be negative")


def required(field: str, value: object) -> Problem | None:
    """Check that a string or list is not empty."""
    return None if value else (field, "is required")


def unless(condition: object, field: str, description: str) -> Problem | None:
    """Name a problem unless a condition holds."""
    return None if condition else (field, description)


def first(problems: Iterable[Problem | None]) -> Problem | None:
    """Return the first problem there is."""
    return next((problem for problem in problems if problem is not None), None)
