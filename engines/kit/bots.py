"""House bots that play any game."""

from collections.abc import Sequence

from engines.kit.chance import Chance
from engines.kit.structs import Decision, Move, View


def random_bot(_view: View, _decision: Decision, moves: Sequence[Move], rng: Chance) -> Move:
    """Choose uniformly among the legal moves."""
    return rng.pick(moves, "random bot")
