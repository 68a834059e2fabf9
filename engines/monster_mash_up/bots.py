"""The house bot ``keen``."""

from collections.abc import Sequence

from engines.kit.chance import Chance
from engines.kit.structs import Decision, Move, View


def keen_bot(_view: View, _decision: Decision, moves: Sequence[Move], rng: Chance) -> Move:
    """Choose."""
    return rng.pick(moves, "keen bot")
