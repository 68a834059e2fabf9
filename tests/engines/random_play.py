"""Random play of any registered game, for the laws."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from engines.kit import play
from engines.kit.chance import Draw, Generator, match_key
from engines.kit.contract import Engine, Game, Mode
from engines.kit.structs import Move
from engines.kit.table import Emitted, Table
from engines.registry import games

MODES = [(game, mode) for game in games().values() for mode in game.modes]
IDS = [f"{game.id}-{mode.id}" for game, mode in MODES]


class Dealt(NamedTuple):
    """A match that was dealt, and what was chosen for it: the number of seats (automata included), the options, what chooses on."""

    engine: Engine[Any]
    table: Table[Any]
    seats: int
    options: Any
    rng: random.Random


class Position(NamedTuple):
    """A moment of a match of so many seats: the state before a move, who makes which, and what the last step emitted."""

    seats: int
    state: Any
    seat: int
    move: Move | None
    events: list[Emitted[Any]]


def chance(seed: int, position: int = 0) -> Generator:
    return Generator(match_key(seed.to_bytes(32, "big")), position)


def options_of(game: Game, rng: random.Random) -> Any:
    """Choose options at random, of those that are listed."""
    given: dict[str, Any] = {}
    for info in game.describe_options():
        if rng.random() < 0.5:
            continue
        if info.minimum is not None and info.maximum is not None:
            given[info.name] = rng.randint(info.minimum, info.maximum)
        else:
            word = rng.choice(info.values)
            kind = next(field.type for field in msgspec.structs.fields(game.options) if field.name == info.name)
            given[info.name] = msgspec.convert(word, kind)
    return game.fill_in_options(game.default_card_set, given)


def deal(game: Game, mode: Mode, seed: int) -> Dealt:
    rng = random.Random(f"{game.id} {mode.id} {seed}")
    engine = mode.engine(game.default_card_set)
    table: Table[Any] = Table(chance(seed))
    seats = rng.randint(mode.min_seats, mode.max_seats) + len(mode.automata)
    options = options_of(game, rng)
    play.set_up(engine, table, seats, options, game.ruleset)
    return Dealt(engine, table, seats, options, rng)


def positions(game: Game, mode: Mode, seed: int) -> Iterator[tuple[Engine[Any], Position]]:
    """Play a match at random and show every position of it, the last one without a move. The state shown is the one in play: copy it to keep it."""
    engine, table, seats, _, rng = deal(game, mode, seed)
    while True:
        decisions = engine.decisions(table.state)
        if not decisions:
            yield engine, Position(seats, table.state, 0, None, table.events)
            return
        decision = rng.choice(decisions)
        move = rng.choice(play.legal_moves(engine, table.state, decision.seat))
        yield engine, Position(seats, table.state, decision.seat, move, table.events)
        table.events = []
        play.play(engine, table, decision.seat, move)


def copied(game: Game, state: Any) -> Any:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=game.state)


def perft(game: Game, engine: Engine[Any], state: Any, depth: int) -> int:
    """Count the lines of play to a depth, in which, of several seats asked, the first answers first."""
    decisions = engine.decisions(state)
    if not decisions:
        return 1
    seat = decisions[0].seat
    legal = play.legal_moves(engine, state, seat)
    if depth == 1:
        return len(legal)
    return sum(perft(game, engine, stepped(engine, copied(game, state), seat, move)[0], depth - 1) for move in legal)


def stepped(engine: Engine[Any], state: Any, seat: int, move: Move, seed: int = 0) -> tuple[Any, list[Emitted[Any]], list[Draw]]:
    """Play one move on a state of one's own."""
    table: Table[Any] = Table(chance(seed, state.position))
    table.state = state
    play.play(engine, table, seat, move)
    return table.state, table.events, table.rng.draws
