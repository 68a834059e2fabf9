"""What is stored of a match: its snapshot, and one log entry a step.

Both are MessagePack arrays; fields are added at the end only, with defaults. A release that adds one to the snapshot raises ``FORMAT``: it reads what all
before it wrote, and a worker of an earlier release leaves alone what it would write back without the field.
"""

from typing import Any, Generic, TypeVar

import msgspec

from engines.kit.chance import Draw
from engines.kit.structs import Event, Outcome
from engines.kit.table import Emitted
from service.messages import Cause, Controller, MatchStatus, SeedSource

FORMAT = 2

_AFTER_A_DEADLINE_MS = 24 * 3600 * 1000


class LastRequest(msgspec.Struct, frozen=True, array_like=True):
    """A seat's last applied request that had an id: what it was, and the versions that its commit made."""

    request_id: str
    body: bytes
    applied_version: int
    last_version: int


class SeatRecord(msgspec.Struct, array_like=True):
    """A seat. ``generation`` is raised by a renewed invite and so revokes what was given out before."""

    controller: Controller
    house_bot: str
    display_name: str
    metadata: str
    claimed: bool
    left: bool = False
    generation: int = 0
    client_seed: str = ""
    claim_request: str = ""
    last_request: LastRequest | None = None


class OpenDecision(msgspec.Struct, frozen=True, array_like=True):
    """A seat's open decision by its id, the version that opened it; what it asks is in the state. ``deadline`` in milliseconds, 0: none."""

    seat: int
    decision_id: int
    deadline: int = 0


class StandingDecision(OpenDecision, frozen=True, array_like=True):
    """An open decision as the snapshot has it: ``opened`` is since when, in milliseconds; 0: an earlier release opened it and did not say."""

    opened: int = 0


class Snapshot(msgspec.Struct, array_like=True):
    """A match between two steps: everything. Times and ttl in milliseconds; ``options`` and ``state`` are the game's own, still encoded.

    ``nonce`` is drawn when a match is created, and tells it from one that is made again under its id, even at the same time; 0: an earlier release made it.
    """

    format: int
    match_id: str
    game: str
    mode: str
    ruleset: int
    card_set: str
    card_set_digest: str
    version: int
    status: MatchStatus
    seats: list[SeatRecord]
    decisions: list[StandingDecision]
    outcome: Outcome | None
    seed: bytes
    seed_source: SeedSource
    created: int
    updated: int
    ttl: int
    create_request: bytes
    hot_seat: bool
    digest: bytes
    options: msgspec.Raw
    state: msgspec.Raw
    move_timeout: int = 0
    without_proof: bool = False
    nonce: int = 0

    @property
    def origin(self) -> tuple[int, int]:
        """What this match shares with no other, not even with one that had its id before."""
        return self.created, self.nonce

    @property
    def lifetime(self) -> int:
        """How long the match is kept after its last step, in milliseconds: longer than it was made for, if a decision is still open then."""
        latest = max((held.deadline for held in self.decisions), default=0)
        return max(self.ttl, latest + _AFTER_A_DEADLINE_MS - self.updated) if latest else self.ttl

    @property
    def expires(self) -> int:
        """When the match is removed if nothing more happens, in milliseconds."""
        return self.updated + self.lifetime


def nothing_dealt() -> dict[str, Any]:
    """Give the fields of a Snapshot that are the same for every match before its deal."""
    return {"version": 0, "status": MatchStatus.WAITING, "decisions": [], "outcome": None, "digest": b"", "state": msgspec.Raw(msgspec.msgpack.encode(None))}


E = TypeVar("E", bound=Event)
M = TypeVar("M")
Q = TypeVar("Q")


class Opened(msgspec.Struct, Generic[Q], frozen=True, array_like=True):
    """A decision that a step opened; its id is the step's version."""

    seat: int
    as_seat: int
    kind: str
    question: Q
    deadline: int = 0


class LogEntry(msgspec.Struct, Generic[E, M, Q], frozen=True, array_like=True):
    """One step: enough to rebuild the match, and to show anyone's history. ``seat`` is whose step it was (0: nobody's), ``time`` in milliseconds."""

    cause: Cause
    seat: int
    time: int
    move: M | None
    draws: tuple[Draw, ...]
    events: tuple[Emitted[E], ...]
    opened: tuple[Opened[Q], ...]
    closed: tuple[OpenDecision, ...]
