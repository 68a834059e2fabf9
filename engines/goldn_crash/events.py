"""What can happen. All of it is public but the fields marked "owner only", which ``rules`` emits for that seat alone.

Cards in lists are in the order in which they moved.
"""

from msgspec import UNSET, UnsetType

from engines.goldn_crash.moves import Place
from engines.kit.structs import Choice, Event, View


class DiscardReason(Choice):
    """Why cards went from a column to the discard pile."""

    ACTION = "ACTION"
    BOARD = "BOARD"
    THIRD_OF_TYPE = "THIRD_OF_TYPE"


class TreasureView(View, frozen=True, array_like=True):
    """A treasure, laid open: cards and guests, bottom to top, and the gold that they are worth."""

    cards: tuple[str, ...]
    gold: int


class MatchSetUp(Event, frozen=True):
    """The table is laid."""

    crews: tuple[str, ...]
    first_seat: int


class SeatSetUp(Event, frozen=True):
    """A seat is dealt. ``hand``: owner only."""

    seat: int
    discard: tuple[str, ...]
    guests: tuple[str, ...]
    hand_count: int
    hand: tuple[str, ...] | UnsetType = UNSET


class TurnStarted(Event, frozen=True):
    """A turn begins."""

    seat: int
    turn: int
    last_turn: bool


class CardsDrawn(Event, frozen=True):
    """Cards come from the deck to the hand. ``cards``: owner only."""

    seat: int
    count: int
    cards: tuple[str, ...] | UnsetType = UNSET


class CardPlayed(Event, frozen=True):
    """A card is laid in a column."""

    seat: int
    card: str
    column: int


class ZeppelinBombed(Event, frozen=True):
    """A zeppelin is bombed. ``robustness``: all if it is destroyed, else owner (``target_seat``) only."""

    seat: int
    target_seat: int
    column: int
    strength: int
    destroyed: bool
    robustness: int | UnsetType = UNSET


class GuestLost(Event, frozen=True):
    """A guest leaves the game."""

    seat: int
    column: int
    guest: str


class CardsDiscarded(Event, frozen=True):
    """Cards go from a column of ``seat`` to its discard pile."""

    seat: int
    column: int
    cards: tuple[str, ...]
    reason: DiscardReason


class CardsReturnedToHand(Event, frozen=True):
    """Cards come to the hand, for all to see; ``column`` 0 is the discard pile."""

    seat: int
    column: int
    cards: tuple[str, ...]


class CardSecured(Event, frozen=True):
    """A card goes from a column to the treasure."""

    seat: int
    column: int
    card: str


class SafeCracked(Event, frozen=True):
    """A card goes from the treasure of ``seat`` to its discard pile."""

    seat: int
    card: str


class CardMoved(Event, frozen=True):
    """A card moves to the column beside it."""

    seat: int
    from_column: int
    to_column: int
    card: str


class DeckObserved(Event, frozen=True):
    """A seat looks at the top of its deck. ``cards``: owner only."""

    seat: int
    count: int
    cards: tuple[str, ...] | UnsetType = UNSET


class ObservedCardPlaced(Event, frozen=True):
    """A card looked at goes back to the deck. ``card``: owner only."""

    seat: int
    place: Place
    card: str | UnsetType = UNSET


class CardLooted(Event, frozen=True):
    """A card goes from the rival's discard pile to the treasure of ``seat``."""

    seat: int
    card: str


class GuestSecured(Event, frozen=True):
    """A guest goes to the treasure."""

    seat: int
    column: int
    guest: str


class TurnPassed(Event, frozen=True):
    """A seat passes."""

    seat: int


class LastTurnCalled(Event, frozen=True):
    """The deck of ``seat`` has run out: its rival takes the last turn."""

    seat: int


class SeatResigned(Event, frozen=True):
    """A seat gives up."""

    seat: int


class MatchEnded(Event, frozen=True):
    """The match is over; ``gold`` and ``treasures`` of seats 1 and 2."""

    reason: str
    winners: tuple[int, ...]
    gold: tuple[int, ...]
    treasures: tuple[TreasureView, ...]


EVENTS: tuple[type[Event], ...] = (
    MatchSetUp, SeatSetUp, TurnStarted, CardsDrawn, CardPlayed, ZeppelinBombed, GuestLost, CardsDiscarded, CardsReturnedToHand, CardSecured,
    SafeCracked, CardMoved, DeckObserved, ObservedCardPlaced, CardLooted, GuestSecured, TurnPassed, LastTurnCalled, SeatResigned, MatchEnded,
)  # fmt: skip
