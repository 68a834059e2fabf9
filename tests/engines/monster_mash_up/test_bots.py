"""The house bot ``keen`` is worth its name. The rates over 1,000 matches stand in RULES.md; these few only show the way."""

from collections.abc import Mapping

from engines.kit import play
from engines.kit.contract import Bot, Mode
from engines.kit.table import Table
from engines.monster_mash_up import GAME
from tests.engines.random_play import chance

DUEL, SOLO = GAME.modes
KEEN, RANDOM = GAME.bots["keen"], GAME.bots["random"]
MATCHES = 60


def winners(mode: Mode, bots: Mapping[int, Bot], seed: int) -> tuple[int, ...]:
    engine = mode.engine(GAME.default_card_set)
    table: Table = Table(chance(seed))
    play.set_up(engine, table, 2, GAME.fill_in_options(GAME.default_card_set, {}), GAME.ruleset)
    own = chance(10_000 + seed)
    while decisions := engine.decisions(table.state):
        decision = decisions[0]
        view, legal = engine.view(table.state, decision.seat), play.legal_moves(engine, table.state, decision.seat)
        play.play(engine, table, decision.seat, bots[decision.seat](view, decision, legal, own))
    outcome = engine.outcome(table.state)
    assert outcome is not None
    return outcome.winners


def test_keen_beats_random_in_a_duel_from_either_seat() -> None:
    for seat in (1, 2):
        won = sum(winners(DUEL, {seat: KEEN, 3 - seat: RANDOM}, seed) == (seat,) for seed in range(MATCHES))
        assert won > MATCHES * 3 // 4


def test_keen_beats_dr_entropy_more_often_than_random_does() -> None:
    keen, random = (sum(winners(SOLO, {1: bot}, seed) == (1,) for seed in range(MATCHES)) for bot in (KEEN, RANDOM))
    assert keen > random + MATCHES // 3
