"""What goes wrong at start (CodecError) and what goes wrong with a request (Problems)."""

from service.errors import MOST_VIOLATIONS, InvalidRequest

_LONGEST_NAME = 64


class CodecError(Exception):
    """A struct and its message have drifted apart; the message names both and the field. It ends the start."""


class Problems:
    """The bad fields of one request, collected while it is read.

    A request of 64 KiB can hold thousands; only so many are told.
    """

    def __init__(self) -> None:
        self._found: list[tuple[str, str]] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, path: str, text: str) -> None:
        """Add a bad field: its path in the contract's names, and what is wrong with it."""
        if len(self._found) < MOST_VIOLATIONS:
            self._found.append((path, text))

    def error(self, match_id: str = "") -> InvalidRequest:
        """Make the refusal; ``match_id`` is what the request names as its match, "" if that could not be read."""
        error = InvalidRequest(*self._found)
        error.match_id = match_id
        return error


def shown(name: str) -> str:
    """Shorten a name that a caller made up, and mask what no answer can carry, so that it can be named in a refusal."""
    return name[:_LONGEST_NAME].encode("utf-8", "replace").decode() if name else '""'
