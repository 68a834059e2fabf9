"""The full truth: zones, and the stack of pending steps."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engines.kit.structs import Choice, Options, Outcome, Question, State, Step

COLUMNS = (1, 2, 3)


class BombStrength(Choice):
    """What a bombing counts in the attacker's column (BOMB-1)."""

    ALL_CARDS = "ALL_CARDS"
    BOMB_CARDS = "BOMB_CARDS"


class GoldnCrashOptions(Options, frozen=True):
    """The options; see RULES.md."""

    bomb_strength: Annotated[BombStrength, Meta(description="what a bombing counts in the attacker's column")] = BombStrength.ALL_CARDS
    pile_minimum: Annotated[int, Meta(ge=1, le=2, description="how many cards Observe and Loot need in the pile that they look at")] = 1
    seat_1_crew: Annotated[str, Meta(description="the crew of seat 1; seat 2 gets the other")] | UnsetType = UNSET
    first_seat: Annotated[int, Meta(ge=0, le=2, description="who takes the first turn; 0 leaves it to chance")] = 0
    round_limit: Annotated[int, Meta(ge=10, le=500, description="after how many rounds the match ends; a round is a turn of each seat")] = 100


# ---- pending work


class TurnStep(Step, tag="turn"):
    """A turn: asks ACTION while actions are left, else ends."""

    actions_left: int


class ArrivalStep(Step, tag="arrival"):
    """A card has come to a column: its guest, then its clearing (GUEST-1, CLEAR-1, CLEAR-2)."""

    column: int


class SecureStep(Step, tag="secure"):
    """Secure applies ``times`` times more, from beside ``column`` (SEC-1)."""

    column: int
    times: int


class CallBackStep(Step, tag="call_back"):
    """Call Back waits for its column (CALL-1)."""


class ManoeuvreStep(Step, tag="manoeuvre"):
    """Manoeuvre waits for its columns (MAN-1)."""


class ObserveStep(Step, tag="observe"):
    """The cards looked at wait for their places (OBS-2)."""


AnyStep = TurnStep | ArrivalStep | SecureStep | CallBackStep | ManoeuvreStep | ObserveStep


# ---- what is asked


class ActionQuestion(Question, frozen=True, tag="action"):
    """Which action to take; ``actions_left`` with this one."""

    actions_left: int


class SecureQuestion(Question, frozen=True, tag="secure"):
    """From which column beside ``column`` to secure; ``times`` with this one."""

    column: int
    times: int


class CallBackQuestion(Question, frozen=True, tag="call_back"):
    """Which column gives its last card back."""


class ManoeuvreQuestion(Question, frozen=True, tag="manoeuvre"):
    """Which card to move where."""


class ObserveQuestion(Question, frozen=True, tag="observe"):
    """Where to put one of the ``count`` cards looked at."""

    count: int


QUESTIONS: tuple[type[Question], ...] = (ActionQuestion, SecureQuestion, CallBackQuestion, ManoeuvreQuestion, ObserveQuestion)


# ---- zones


class Zeppelin(msgspec.Struct, array_like=True):
    """A zeppelin: ``seen`` if its owner has looked at its robustness, ``withstood`` the greatest strength that it has held out."""

    robustness: int
    destroyed: bool = False
    seen: bool = False
    withstood: int = 0


class SeatState(msgspec.Struct, array_like=True):
    """A seat's cards, as ids of the card set.

    ``deck`` ends with its top card; ``deck_seen`` says of each place whether its owner has put that card there (OBS-3). The hand is in two parts:
    ``hidden``, and ``shown``, what came in for all to see. ``observed`` are the cards being looked at, top first. ``discard`` and ``treasure`` end with
    their top card; columns with their last. A guest is "" where there is none.
    """

    crew: str
    deck: list[str]
    deck_seen: list[bool]
    hidden: list[str]
    shown: list[str]
    observed: list[str]
    discard: list[str]
    treasure: list[str]
    columns: list[list[str]]
    zeppelins: list[Zeppelin]
    guests: list[str]

    def draw(self) -> str:
        """Take the top card of the deck."""
        self.deck_seen.pop()
        return self.deck.pop()

    def holds(self, card: str) -> bool:
        """Whether the hand has such a card."""
        return card in self.shown or card in self.hidden

    def lay_down(self, card: str) -> None:
        """Take a card from the hand; a shown copy leaves first, so that the flags are what the rival can still be sure of."""
        (self.shown if card in self.shown else self.hidden).remove(card)

    def column(self, number: int) -> list[str]:
        """Return column 1, 2 or 3."""
        return self.columns[number - 1]


class GoldnCrashState(State):
    """A match between two moves. ``plays`` counts the cards that the active seat has played in each column this turn."""

    options: GoldnCrashOptions
    seats: list[SeatState]
    turn: int
    active: int
    last_turn: bool
    plays: list[int]
    box: list[str]
    stack: list[AnyStep]
    outcome: Outcome | None = None

    def seat(self, number: int) -> SeatState:
        """Return seat 1 or 2."""
        return self.seats[number - 1]


def rival_of(seat: int) -> int:
    """Return the other seat."""
    return 3 - seat


def beside(column: int) -> tuple[int, ...]:
    """List the columns next to a column (COL-2)."""
    return (1, 3) if column == 2 else (2,)
