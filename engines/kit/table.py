"""The table: the state in play, its chance, and what has happened at it during one step."""

from collections.abc import Mapping
from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET

from engines.kit.chance import Chance
from engines.kit.structs import Event, State

S = TypeVar("S", bound=State)
E = TypeVar("E", bound=Event)

Seats = tuple[int, ...]


class Emitted(msgspec.Struct, Generic[E], frozen=True, array_like=True):
    """An event with its audience, fixed at the moment when it happened.

    ``seats`` are the seats that see it at all (None: everybody, spectators too); ``private`` maps a field to the seats that see that field.
    """

    event: E
    seats: Seats | None = None
    private: dict[str, Seats] = {}

    def seen_by(self, viewer: int) -> E | None:
        """Return the event as ``viewer`` (a seat, or 0 for a spectator) may see it, or None if it may not."""
        if self.seats is not None and viewer not in self.seats:
            return None
        closed = {field: UNSET for field, seats in self.private.items() if viewer not in seats}
        return msgspec.structs.replace(self.event, **closed) if closed else self.event


class Table(Generic[S]):
    """What an engine works on: ``state`` is changed in place, chance is drawn from ``rng``, events go out through ``emit``."""

    def __init__(self, rng: Chance) -> None:
        self.rng = rng
        self.events: list[Emitted[Event]] = []
        self.state: S

    def emit(self, event: Event, *, seats: Seats | None = None, private: Mapping[str, Seats] | None = None) -> None:
        """Record an event and who may see it: all fields by everybody, unless ``seats`` or ``private`` say otherwise."""
        self.events.append(Emitted(event, seats, dict(private) if private else {}))
