"""Playthroughs: whole matches as text that replays to the letter.

A file holds the game, mode, seats, seed and options, then every step with its events as they happened, then the outcome and the digest of the last
state. Replaying reads the head and the moves alone and must write the same file again.

Record one that ends for a given reason, choosing moves at random from seeds 0, 1, 2, … until it does:

    python -m tests.engines.playthrough record goldn_crash DUEL DECK_EMPTY tests/engines/goldn_crash/playthroughs/deck_empty.play [option=value …] [draw]

``draw`` asks for an outcome without a winner; RESIGNATION lets seat 1 leave after ten moves.
"""

import hashlib
import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from engines.kit import play
from engines.kit.contract import Game
from engines.kit.notation import write_move
from engines.kit.table import Emitted, Table
from engines.registry import games
from tests.engines.random_play import chance

LEAVES = "leaves"


class Head(NamedTuple):
    game: str
    mode: str
    seats: int
    seed: int
    ruleset: int
    options: dict[str, str]


class Step(NamedTuple):
    seat: int
    text: str


def write(head: Head, steps: list[Step]) -> str:
    """Play a match and write it down."""
    game = games()[head.game]
    mode = next(mode for mode in game.modes if mode.id == head.mode)
    engine = mode.engine(game.default_card_set)
    table: Table[Any] = Table(chance(head.seed))
    play.set_up(engine, table, head.seats, _options(game, head.options), head.ruleset)
    lines = [f"game {head.game}", f"mode {head.mode}", f"seats {head.seats}", f"seed {head.seed}", f"ruleset {head.ruleset}"]
    lines += [f"option {name} {value}" for name, value in head.options.items()]
    lines += ["", "deal", *_events(table.events)]
    for step in steps:
        table.events = []
        if step.text == LEAVES:
            play.leave(engine, table, step.seat)
        else:
            play.play(engine, table, step.seat, game.move_reader.read(step.text))
        lines += [f"{step.seat} {step.text}", *_events(table.events)]
    outcome = engine.outcome(table.state)
    if outcome is not None:
        lines += ["", f"outcome {outcome.reason} winners {_list(outcome.winners)} scores {_list(outcome.scores)}"]
    lines.append(f"digest {hashlib.sha256(msgspec.msgpack.encode(table.state)).hexdigest()}")
    return "\n".join(lines) + "\n"


def read(text: str) -> tuple[Head, list[Step]]:
    """Read a file's head and moves."""
    values: dict[str, str] = {}
    options: dict[str, str] = {}
    steps = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "option":
            name, _, value = rest.partition(" ")
            options[name] = value
        elif word.isdigit():
            steps.append(Step(int(word), rest))
        elif line and not line.startswith(" "):
            values[word] = rest
    head = Head(values["game"], values["mode"], int(values["seats"]), int(values["seed"]), int(values["ruleset"]), options)
    return head, steps


def search(game_id: str, mode_id: str, reason: str, options: dict[str, str], *, is_draw: bool) -> tuple[Head, list[Step]]:
    """Find a match of random moves that ends as wanted."""
    game = games()[game_id]
    mode = next(mode for mode in game.modes if mode.id == mode_id)
    engine = mode.engine(game.default_card_set)
    for seed in range(100_000):
        rng = random.Random(seed)
        table: Table[Any] = Table(chance(seed))
        seats = mode.min_seats + len(mode.automata)
        play.set_up(engine, table, seats, _options(game, options), game.ruleset)
        steps = []
        while decisions := engine.decisions(table.state):
            if reason == "RESIGNATION" and len(steps) == 10:
                steps.append(Step(1, LEAVES))
                play.leave(engine, table, 1)
                break
            seat = decisions[0].seat
            move = rng.choice(play.legal_moves(engine, table.state, seat))
            steps.append(Step(seat, write_move(move)))
            play.play(engine, table, seat, move)
        outcome = engine.outcome(table.state)
        if outcome is not None and outcome.reason == reason and is_draw is not bool(outcome.winners):
            return Head(game_id, mode_id, seats, seed, game.ruleset, options), steps
    raise LookupError(f"no match ends for {reason}")


def _options(game: Game, given: dict[str, str]) -> Any:
    types = {field.name: field.type for field in msgspec.structs.fields(game.options)}
    values = {name: int(value) if value.isdigit() else msgspec.convert(value, types[name]) for name, value in given.items()}
    return game.fill_in_options(game.default_card_set, values)


def _events(events: list[Emitted[Any]]) -> list[str]:
    return [f"  {_event(emitted)}" for emitted in events]


def _event(emitted: Emitted[Any]) -> str:
    event = emitted.event
    closed = "".join(f" [{name} for {_list(seats)}]" for name, seats in emitted.private.items())
    fields = ", ".join(f"{name}={_value(getattr(event, name))}" for name in type(event).__struct_fields__)
    return f"{type(event).__struct_config__.tag}({fields}){closed}"


def _value(value: Any) -> str:
    match value:
        case tuple():
            return f"[{' '.join(map(_value, value))}]"
        case msgspec.Struct():
            return "{" + ", ".join(f"{name}={_value(getattr(value, name))}" for name in type(value).__struct_fields__) + "}"
        case _:
            return str(value)


def _list(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers)) or "none"


def main(arguments: list[str]) -> None:
    _, game, mode, reason, path, *rest = arguments
    options = dict(word.split("=") for word in rest if "=" in word)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(write(*search(game, mode, reason, options, is_draw="draw" in rest)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
