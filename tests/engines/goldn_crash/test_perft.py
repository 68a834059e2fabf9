"""Counts of all lines of play to a depth, from a dealt position. Regression only: the numbers were made by this engine."""

import pytest

from engines.goldn_crash import GAME
from engines.kit import play
from engines.kit.table import Table
from tests.engines.random_play import chance, perft

COUNTS = {0: (7, 47, 675, 5_807), 1: (10, 85, 691, 5_610), 2: (7, 59, 819, 7_598)}


@pytest.mark.parametrize("seed", COUNTS)
def test_perft(seed: int) -> None:
    engine = GAME.modes[0].engine(GAME.default_card_set)
    state = dealt(engine, seed)
    assert tuple(perft(GAME, engine, state, depth) for depth in range(1, len(COUNTS[seed]) + 1)) == COUNTS[seed]


def dealt(engine, seed: int):
    table: Table = Table(chance(seed))
    play.set_up(engine, table, 2, GAME.fill_in_options(GAME.default_card_set, {}), GAME.ruleset)
    return table.state
