"""A base class for bots: they choose, the rest is done for them."""

import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, overload

from umpire.v1.game_pb2 import View
from umpire.v1.match_pb2 import Decision, LegalMove, Outcome, Update
from umpire_client._match import Choice

if TYPE_CHECKING:
    from umpire_client.aio import AsyncSeat
    from umpire_client.client import Seat


@dataclass(frozen=True, slots=True)
class Position:
    """What a bot knows when it has to choose. All of it is true at ``version``.

    ``seat`` is the bot's own number; ``decision`` what it is asked; ``legal_moves`` at least one, in the rules' fixed order; ``view`` what it sees, with one
    member a game (empty if the bot says ``needs_view = False``); ``updates`` all steps since it last chose, oldest first, or since the deal if it has not
    chosen yet in this run; ``rng`` the bot's own generator.
    """

    match_id: str
    seat: int
    version: int
    decision: Decision
    legal_moves: Sequence[LegalMove]
    view: View
    updates: Sequence[Update]
    rng: random.Random

    @property
    def deadline(self) -> datetime | None:
        """When the game's default move is made if the bot has not answered, by the server's clock, in UTC; None: it may take its time."""
        return self.decision.deadline.ToDatetime(tzinfo=UTC) if self.decision.HasField("deadline") else None


class Bot(ABC):
    """Plays a seat of a match to the end. To write one, write ``choose``.

    With the same ``seed`` and in the same positions, what it draws from ``position.rng`` is the same; without one it is random. One bot can play many matches,
    also at the same time, as long as it keeps nothing of them in itself.
    """

    needs_view = True
    """False: positions come with an empty view, which saves sending it."""

    answers_single_moves = False
    """True: where only one move is legal it is made at once, and ``choose`` is not asked."""

    def __init__(self, seed: int | str | None = None) -> None:
        self.seed = seed

    @abstractmethod
    def choose(self, position: Position) -> Choice | Awaitable[Choice]:
        """Choose a move: one of ``position.legal_moves``, its move_id, or a typed ``Move``. May be ``async def`` in a bot that plays an AsyncSeat.

        A move that is not legal ends ``play`` with IllegalMove.
        """

    @overload
    def play(self, seat: "Seat") -> Outcome: ...
    @overload
    def play(self, seat: "AsyncSeat") -> Coroutine[Any, Any, Outcome]: ...
    def play(self, seat: "Seat | AsyncSeat") -> Outcome | Coroutine[Any, Any, Outcome]:
        """Play from where the match stands to its end, waiting for the others; await it with an AsyncSeat. Returns the outcome.

        If it is interrupted, a new call plays on.

        Raises:
            MatchAbandoned: nobody is left to play on.
            UmpireError: as the calls do; DecisionClosed is dealt with.
        """
        return seat.play(self)
