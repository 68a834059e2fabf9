"""A match that somebody watches, as far as this worker knows it."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from service.errors import ApiError
from service.matches.library import Entry
from service.matches.match import Match

if TYPE_CHECKING:
    from service.matches.watching.watch import Watch

Step = tuple[int, Entry]
Failure = Callable[[], ApiError]
"""Makes the error that ends a stream, for each stream anew."""

MOST_STEPS = 64


class Watched:
    """What all who watch a match share. ``match`` and ``steps`` are dropped while nothing happens: idle watchers cost little.

    ``steps`` are the latest ones without a gap up to ``version``; ``expires`` is in milliseconds; ``seats`` are their generations.
    """

    __slots__ = ("again", "commits", "digest", "expires", "failure", "is_over", "is_used", "looking", "match", "match_id", "origin", "reading", "revision",
                 "rung", "seats", "steps", "version", "watches")  # fmt: skip

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.watches: set[Watch] = set()
        self.revision = 0
        self.version = 0
        self.digest = b""
        self.origin = 0, 0
        self.expires = 0
        self.is_over = False
        self.seats: tuple[int, ...] = ()
        self.match: Match | None = None
        self.steps: list[Step] = []
        self.failure: Failure | None = None
        self.looking: asyncio.Task[None] | None = None
        self.again = False
        self.reading: asyncio.Lock | None = None
        self.commits = 0
        self.rung = 0
        self.is_used = False

    def take(self, revision: int, match: Match, steps: list[Step]) -> None:
        """Learn what the match is now, with the steps that led there as far as they are at hand."""
        record = match.record
        self.steps = _joined(self.steps, steps, record.version)
        self.revision = revision
        self.version = record.version
        self.digest = record.digest
        self.origin = record.origin
        self.expires = record.expires
        self.is_over = record.status.is_over
        self.seats = tuple([seat.generation for seat in record.seats])
        self.match = match
        self.is_used = True

    def is_led_on_by(self, match: Match) -> bool:
        """Whether a match can be a later state of this one, as far as can be seen without reading its log."""
        version, digest = match.record.version, match.record.digest
        if match.entries and match.first_version == self.version + 1:
            return match.digest_before == self.digest
        return version > self.version or (version == self.version and digest == self.digest)

    def after(self, version: int) -> list[Step] | None:
        """Return the steps after a version, or None if they are not at hand."""
        missing = self.version - version
        if not 0 < missing <= len(self.steps):
            return None
        self.is_used = True
        return self.steps[-missing:]

    def keep(self, steps: list[Step]) -> None:
        """Keep steps that were read, if they are more than are at hand."""
        if len(steps) > len(self.steps) and steps[-1][0] == self.version:
            self.steps = steps
            self.is_used = True

    def rest(self) -> None:
        """Drop what was not used since the last time."""
        if not self.is_used:
            self.match, self.steps = None, []
        self.is_used = False


def _joined(held: list[Step], steps: list[Step], version: int) -> list[Step]:
    """Put steps behind those at hand, if nothing is missing between them and up to the version; at most MOST_STEPS."""
    last = held[-1][0] if held else 0
    new = [step for step in steps if step[0] > last] if held else steps
    if new and held and new[0][0] != last + 1:
        held = []
    joined = (held + new)[-MOST_STEPS:]
    return joined if joined and joined[-1][0] == version else []
