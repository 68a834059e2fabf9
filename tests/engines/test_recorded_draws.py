"""A match can be rebuilt from what its log keeps of chance, without the generator."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec
import pytest

from engines.kit import play
from engines.kit.chance import Draw
from engines.kit.contract import Game, Mode
from engines.kit.table import Table
from tests.engines.random_play import IDS, MODES, deal

T = TypeVar("T")


class RecordedChance:
    """Hands out recorded draws again: for a shuffle, the indices of its swaps."""

    def __init__(self, recorded: Iterable[Draw], position: int) -> None:
        self._recorded = list(recorded)
        self.position = position
        self.draws: list[Draw] = []

    def below(self, bound: int, name: str) -> int:
        [result] = self._next(name)
        assert 0 <= result < bound
        return result

    def shuffle(self, items: Iterable[T], name: str) -> list[T]:
        shuffled = list(items)
        swaps = self._next(name)
        for last, index in zip(range(len(shuffled) - 1, 0, -1), swaps, strict=True):
            shuffled[last], shuffled[index] = shuffled[index], shuffled[last]
        return shuffled

    def pick(self, items: Sequence[T], name: str) -> T:
        return items[self.below(len(items), name)]

    def _next(self, name: str) -> tuple[int, ...]:
        draw = self._recorded.pop(0)
        assert draw.name == name
        self.draws.append(draw)
        return draw.results


@pytest.mark.parametrize(("game", "mode"), MODES, ids=IDS)
def test_a_match_of_default_moves_is_rebuilt_from_its_draws(game: Game, mode: Mode) -> None:
    for seed in range(10):
        dealt = deal(game, mode, seed)
        engine, table = dealt.engine, dealt.table
        steps: list[tuple[int, Any]] = []
        while decisions := engine.decisions(table.state):
            seat = decisions[0].seat
            steps.append((seat, engine.default_move(table, seat)))
            play.play(engine, table, *steps[-1])
        again: Table[Any] = Table(RecordedChance(table.rng.draws, table.rng.position))
        play.set_up(engine, again, dealt.seats, dealt.options, game.ruleset)
        for seat, move in steps:
            assert engine.default_move(again, seat) == move
            play.play(engine, again, seat, move)
        assert msgspec.msgpack.encode([again.state, again.events]) == msgspec.msgpack.encode([table.state, table.events])
        assert again.rng.draws == table.rng.draws
