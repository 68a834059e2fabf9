"""A bot on its way through a match: what it has seen, and how it is asked."""

import inspect
import random
from collections.abc import Sequence

from umpire.v1.game_pb2 import Move, View
from umpire.v1.match_pb2 import Decision, LegalMove, Update
from umpire_client._match import Asking, Choice, shown
from umpire_client._steps import Await, Steps
from umpire_client.bot import Bot, Position
from umpire_client.errors import MatchAbandoned


class Course:
    """One run of a bot through a match. ``seen`` is the version of the last step that it knows, or will know when it is asked next."""

    def __init__(self, bot: Bot, asking: Asking) -> None:
        self.bot = bot
        self.seen = 0
        self._match_id = asking.match_id
        self._rng = random.Random(bot.seed)  # noqa: S311  no secret
        self._updates: list[Update] = []

    def note(self, update: Update) -> None:
        """Keep a step until the bot is asked; one that is known is nothing new."""
        if update.version > self.seen:
            self.seen = update.version
            self._updates.append(update)

    def choose(self, version: int, decision: Decision, legal_moves: Sequence[LegalMove], view: View) -> Steps[Choice]:
        """Ask the bot; what needs no choice is not asked if it does not want to be."""
        if self.bot.answers_single_moves and len(legal_moves) == 1:
            return legal_moves[0]
        updates, self._updates = tuple(self._updates), []
        chosen = self.bot.choose(Position(self._match_id, decision.seat, version, decision, tuple(legal_moves), view, updates, self._rng))
        if inspect.isawaitable(chosen):
            chosen = yield Await(chosen)
        if not isinstance(chosen, LegalMove | Move | str):
            raise TypeError(f"choose() must return a legal move, a move id or a Move, not {shown(chosen)}")
        return chosen


def abandoned(asking: Asking) -> MatchAbandoned:
    """Say that the match has ended without an outcome."""
    return MatchAbandoned(f"match {asking.match_id} was abandoned")
