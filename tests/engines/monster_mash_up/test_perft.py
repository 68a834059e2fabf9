"""Counts of all lines of play to a depth, dice as they fall. Regression only: the numbers were made by this engine."""

import pytest

from engines.kit import play
from engines.kit.table import Table
from engines.monster_mash_up import GAME
from tests.engines.random_play import chance, perft

COUNTS = {
    ("DUEL", 0): (5, 20, 99, 482, 2042, 9658),
    ("DUEL", 1): (5, 20, 99, 444, 1892, 7840),
    ("DUEL", 2): (4, 24, 100, 585, 2351, 11646),
    ("SOLO", 0): (4, 18, 96, 349, 1045, 3010, 9060),
    ("SOLO", 1): (4, 20, 76, 264, 823, 2604, 8298),
    ("SOLO", 2): (4, 16, 75, 231, 633, 1916, 5858),
}


@pytest.mark.parametrize(("mode", "seed"), COUNTS)
def test_perft(mode: str, seed: int) -> None:
    engine = next(each for each in GAME.modes if each.id == mode).engine(GAME.default_card_set)
    state = dealt(engine, seed)
    counts = COUNTS[mode, seed]
    assert tuple(perft(GAME, engine, state, depth) for depth in range(1, len(counts) + 1)) == counts


def dealt(engine, seed: int):
    table: Table = Table(chance(seed))
    play.set_up(engine, table, 2, GAME.fill_in_options(GAME.default_card_set, {}), GAME.ruleset)
    while engine.decisions(table.state)[0].kind != "ROLL_TURN":
        # Scientists and monsters are of little interest: the last of each.
        seat = engine.decisions(table.state)[0].seat
        play.play(engine, table, seat, play.legal_moves(engine, table.state, seat)[-1])
    return table.state
