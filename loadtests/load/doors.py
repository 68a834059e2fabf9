"""The calls that a user makes, whichever door they go through. A door performs; retries and measuring are its caller's matter."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from loadtests.load.seen import Asked, Created, Page, Ruling, Told


class GameLine(NamedTuple):
    """A game as the catalog lists it: its modes as (mode, fewest seats, most seats), and its house bots."""

    game: str
    modes: tuple[tuple[str, int, int], ...]
    house_bots: tuple[str, ...]


class NewMatch(NamedTuple):
    """What a match is created with: each seat's house bot, "" for a person."""

    game: str
    seats: tuple[str, ...]
    ttl_s: int


class Stream(Protocol):
    """A stream that is open."""

    def __iter__(self) -> Iterator[Told]: ...
    def cancel(self) -> None:
        """Give it up, from wherever."""


class Door(Protocol):
    """One way to the service. Every method raises Refused."""

    name: str

    def list_games(self) -> Sequence[GameLine]: ...
    def create(self, wanted: NewMatch, request_id: str) -> Created: ...
    def legal_moves(self, match_id: str, credential: str, *, illegal: bool = False) -> Asked: ...
    def apply(self, match_id: str, credential: str, decision_id: int, move_id: str, request_id: str) -> Ruling: ...
    def read(self, match_id: str, credential: str) -> tuple[int, str]:
        """Return the match's version and ending."""

    def events(self, match_id: str, credential: str, since: int) -> Page: ...
    def watch(self, match_id: str, credential: str, since: int) -> Stream: ...
    def close(self) -> None: ...
