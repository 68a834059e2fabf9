"""Driving an engine: set up, list legal moves, play, leave; what a step opened and closed.

All of it works on a table of the caller's own, whose state it changes.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from engines.kit.contract import Engine
from engines.kit.structs import Decision, Move, Options
from engines.kit.table import Table
from engines.kit.violation import WRONG_MOVE_FOR_DECISION, NotAsked, Violation

_MOST_AUTOMATIC_STEPS = 10_000


def set_up(engine: Engine[Any], table: Table[Any], seats: int, options: Options, ruleset: int) -> None:
    """Deal a match and run on to its first decisions."""
    engine.set_up(table, seats, options, ruleset)
    run_on(engine, table)


def play(engine: Engine[Any], table: Table[Any], seat: int, move: Move) -> None:
    """Check a move of a seat, carry it out, and run on to the next decisions or the end.

    Raises:
        NotAsked: the seat has no open decision.
        Violation: a rule forbids the move. The state is then unchanged.
    """
    decision = open_decision(engine, table.state, seat)
    if decision is None:
        raise NotAsked
    answer(engine, table, decision, move)


def answer(engine: Engine[Any], table: Table[Any], decision: Decision, move: Move) -> None:
    """As ``play``, for callers that know the open decision.

    Raises:
        Violation: a rule forbids the move. The state is then unchanged.
    """
    _check(engine, table.state, decision, move)
    engine.apply(table, decision.seat, move)
    run_on(engine, table)


def leave(engine: Engine[Any], table: Table[Any], seat: int) -> None:
    """Carry out that a seat leaves, and run on."""
    engine.leave(table, seat)
    run_on(engine, table)


def run_on(engine: Engine[Any], table: Table[Any]) -> None:
    """Carry out the automatic steps that are pending, on to the next decisions or the end."""
    for _ in range(_MOST_AUTOMATIC_STEPS):
        if engine.outcome(table.state) is not None or not engine.advance(table):
            table.state.position = table.rng.position
            return
    raise RuntimeError("automatic steps do not come to an end")


def check(engine: Engine[Any], state: Any, seat: int, move: Move) -> None:
    """Judge any move of a seat without carrying it out.

    Raises:
        NotAsked, Violation: as ``play``.
    """
    decision = open_decision(engine, state, seat)
    if decision is None:
        raise NotAsked
    _check(engine, state, decision, move)


def open_decision(engine: Engine[Any], state: Any, seat: int) -> Decision | None:
    """Return the seat's open decision, or None."""
    return next((decision for decision in engine.decisions(state) if decision.seat == seat), None)


def judge(engine: Engine[Any], state: Any, seat: int) -> list[tuple[Move, Violation | None]]:
    """List the seat's candidates in order, each with the violation that forbids it; empty if it is not asked."""
    if open_decision(engine, state, seat) is None:
        return []
    return [(move, engine.violation(state, seat, move)) for move in engine.candidates(state, seat)]


def legal_moves(engine: Engine[Any], state: Any, seat: int) -> list[Move]:
    """List the seat's legal moves in order; empty if it is not asked."""
    return [] if open_decision(engine, state, seat) is None else legal_answers(engine, state, seat)


def legal_answers(engine: Engine[Any], state: Any, seat: int) -> list[Move]:
    """List the legal moves in order of a seat that is known to be asked."""
    return [move for move in engine.candidates(state, seat) if engine.violation(state, seat, move) is None]


class Changes(NamedTuple):
    """What a step did to the open decisions."""

    closed: list[Decision]
    opened: list[Decision]


def changes(before: Iterable[Decision], after: Iterable[Decision], mover: int) -> Changes:
    """Compare the open decisions around a step. The mover's own decision is closed by its move, whatever follows; another seat's stays open while
    it reads the same.
    """
    old = {decision.seat: decision for decision in before}
    new = {decision.seat: decision for decision in after}
    kept = {seat for seat in old if seat != mover and old[seat] == new.get(seat)}
    return Changes(
        closed=[decision for seat, decision in old.items() if seat not in kept],
        opened=[decision for seat, decision in new.items() if seat not in kept],
    )


def _check(engine: Engine[Any], state: Any, decision: Decision, move: Move) -> None:
    if type(move) not in engine.answers[decision.kind]:
        raise Violation(WRONG_MOVE_FOR_DECISION, engine.wrong_move_rule, "This move does not answer the open decision.")
    engine.check(state, decision.seat, move)
