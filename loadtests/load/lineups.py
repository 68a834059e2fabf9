"""What can be played: every game, mode and number of seats that the service lists, each with persons only and with house bots."""

import random
from collections.abc import Sequence

from loadtests.load.doors import GameLine, NewMatch
from loadtests.load.weights import Weights

_TTL_S = 900
"""What a run leaves behind is gone a quarter of an hour later."""


class Lineups:
    """Draws matches. A further game is in it as soon as the service lists it."""

    def __init__(self, games: Sequence[GameLine], weights: Weights) -> None:
        self._weights = weights
        self._games = [game for game in games if weights.games.get(game.game, 1) > 0]
        if not self._games:
            raise ValueError("no game is left to be played")

    def draw(self) -> NewMatch:
        """Draw a game by its weight, then a mode, a number of seats, and who sits there. Seat 1 is always a person's: somebody must play."""
        (game,) = random.choices(self._games, [self._weights.games.get(game.game, 1) for game in self._games])
        _, fewest, most = random.choice(game.modes)
        others = random.randint(fewest, most) - 1
        bots = [random.choice(game.house_bots) if game.house_bots else "" for _ in range(others)]
        return NewMatch(game.game, ("", *(bots if random.random() < self._weights.house_bot else [""] * others)), _TTL_S)
