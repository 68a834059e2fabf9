"""The house bot ``keen``: weighs each legal move by what its seat can see. Whole numbers; ties are drawn.

It bombs what it can destroy, fills its treasure, and keeps a small hand going.
"""

from collections.abc import Sequence

from engines.goldn_crash.moves import CallBackFrom, DiscardCard, Draw, Manoeuvre, PlaceObserved, PlayCard, SecureFrom
from engines.goldn_crash.state import BombStrength, beside
from engines.goldn_crash.view import ColumnView, GoldnCrashView, OwnView, SeatView
from engines.kit.chance import Chance
from engines.kit.structs import Decision, Move, View

_LAST_ZEPPELIN = 1_000
_ZEPPELIN = 120
_HAND_ENOUGH = 6
_UNKNOWN_CARD = 12


def keen_bot(view: View, decision: Decision, moves: Sequence[Move], rng: Chance) -> Move:
    """Choose a move of the greatest weight."""
    if not isinstance(view, GoldnCrashView):
        raise TypeError("this bot plays Gold'n Crash")
    table = _Table(view, decision.as_seat)
    weights = [table.weigh(move) for move in moves]
    best = max(weights)
    return rng.pick([move for move, weight in zip(moves, weights, strict=True) if weight == best], "keen bot")


class _Table:
    """The table as the bot's seat sees it."""

    def __init__(self, view: GoldnCrashView, seat: int) -> None:
        self._strength = view.options.bomb_strength
        self._own: SeatView = view.seats[seat - 1]
        self._rival: SeatView = view.seats[2 - seat]
        self._cards = self._own.own or OwnView((), (), ())

    def weigh(self, move: Move) -> int:
        """Weigh a legal move; about ten a gold."""
        match move:
            case Draw():
                return 14 + 4 * max(0, _HAND_ENOUGH - self._own.hand_count)
            case PlayCard(card, column):
                return self._weigh_play(card, column)
            case DiscardCard(column):
                return self._weigh_discard(column)
            case SecureFrom(column):
                return 10 * _gold(self._own.columns[column - 1].cards[-1])
            case CallBackFrom(column):
                return _gold(self._own.columns[column - 1].cards[-1])
            case Manoeuvre(from_column, to_column):
                return len(self._own.columns[from_column - 1].cards) - len(self._own.columns[to_column - 1].cards)
            case PlaceObserved(index, place):
                worth = _gold(self._cards.observed[index - 1])
                return worth if place == "TOP" else 3
        return 0

    def _weigh_play(self, card: str, column: int) -> int:
        lying = self._own.columns[column - 1]
        times = 1 + sum(_type(other) == _type(card) for other in lying.cards)
        guest = 8 if lying.guest else 0
        match _type(card):
            case "BOMB":
                return self._weigh_bomb(lying, column, times)
            case "SECURE":
                return guest + 10 * self._best_beside(column) + 6 * (times - 1)
            case "GOLD":
                return guest + 22 + 10 * (column != 2)
            case "BOARD":
                facing = self._rival.columns[column - 1].cards
                return guest + 6 + sum(5 * _gold(other) for other in facing[-times:])
            case "FISH":
                return guest + 8 + sum(2 * _gold(other) for other in self._own.discard[-times:])
            case _:
                return guest + 14 + 6 * times

    def _weigh_bomb(self, lying: ColumnView, column: int, times: int) -> int:
        target = self._rival.columns[column - 1]
        strength = len(lying.cards) + 1 if self._strength is BombStrength.ALL_CARDS else times
        standing = [other for other in self._rival.columns if not other.destroyed]
        if strength <= target.withstood:
            return 2
        prize = _LAST_ZEPPELIN if len(standing) == 1 else _ZEPPELIN
        # Robustness values of 1, 2, 3 are public, who hangs where is not: the chance grows with strength.
        return prize * min(strength, 3) // 3 if strength > 1 else 10

    def _weigh_discard(self, column: int) -> int:
        card = self._own.columns[column - 1].cards[-1]
        match _type(card):
            case "SECURE":
                return 10 * max(map(_gold, self._rival.discard[-1:]), default=0)  # in some card sets its effect is another one
            case "BOMB":
                return 10 + _UNKNOWN_CARD
            case "REINFORCE":
                return 4
            case _:
                return 1

    def _best_beside(self, column: int) -> int:
        return max((_gold(self._own.columns[other - 1].cards[-1]) for other in beside(column) if self._own.columns[other - 1].cards), default=0)


def _type(card: str) -> str:
    return card.rpartition("_")[0]


def _gold(card: str) -> int:
    return int(card.rpartition("_")[2])
