"""What a seat may answer."""

from engines.kit.structs import Choice, Move


class Place(Choice):
    """Where a card that was looked at goes (OBS-2)."""

    TOP = "TOP"
    BOTTOM = "BOTTOM"


class Draw(Move, frozen=True):
    """Take the top card of the own deck (DRAW-1)."""


class PlayCard(Move, frozen=True):
    """Lay a card of the own hand in an own column (PLAY-1)."""

    card: str
    column: int


class DiscardCard(Move, frozen=True):
    """Discard the last card of an own column, with its discard effect (DISC-1)."""

    column: int


class PassTurn(Move, frozen=True):
    """End the turn, when nothing else is possible (TURN-5)."""


class SecureFrom(Move, frozen=True):
    """Choose the column from which Secure takes (SEC-1)."""

    column: int


class CallBackFrom(Move, frozen=True):
    """Choose the column from which Call Back takes (CALL-1)."""

    column: int


class Manoeuvre(Move, frozen=True):
    """Move the last card of a column to the column beside it (MAN-1)."""

    from_column: int
    to_column: int


class PlaceObserved(Move, frozen=True):
    """Put one of the cards looked at back on the deck; ``index`` counts from 1, as they lie (OBS-2)."""

    index: int
    place: Place


MOVES: tuple[type[Move], ...] = (Draw, PlayCard, DiscardCard, PassTurn, SecureFrom, CallBackFrom, Manoeuvre, PlaceObserved)
