"""Engines and codec alone, without doors and store, beside a well-known chess library that does the same: list all legal moves, play a random one.

The one measurement that looks inside: it knows engines and service, which all others reach through the contract.
"""

import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from google.protobuf.message_factory import GetMessageClass

from engines.kit import play
from engines.kit.chance import Generator, match_key
from engines.kit.contract import Game, Mode
from engines.kit.table import Table
from engines.registry import games
from service.contract import Contract, Rpc, load_contract
from service.matches.create import DEFAULT_TTL_MS, NewMatch, lay_out
from service.matches.library import Library
from service.matches.match import Match
from service.matches.present import present_legal_moves, present_own_decision, present_updates
from service.messages import ApplyMoveRequest, ApplyMoveResponse, Cause, SeatRequest

_MATCHES = 20
_APPLY = "/umpire.v1.MatchService/ApplyMove"

Run = Callable[[int], tuple[float, int]]
"""Plays some matches, by the number of the round; gives seconds of CPU, and moves."""


class Alone(NamedTuple):
    """CPU µs a move; ``ratio`` is moves a CPU-second relative to chess, in the same round."""

    what: str
    us: float
    ratio: float


def measure_in_process(rounds: int) -> list[Alone]:
    """Measure chess and every mode of every game in turn; the best round of each counts, for whatever disturbs only adds."""
    runs: dict[str, Run] = {"chess: list and play": _play_chess} | runs_of_all_games()
    best = dict.fromkeys(runs, float("inf"))
    for number in range(rounds):
        for name, run in runs.items():
            seconds, moves = run(number)
            best[name] = min(best[name], seconds / moves * 1e6)
    yardstick = next(iter(best.values()))
    return [Alone(name, us, yardstick / us) for name, us in best.items()]


def runs_of_all_games() -> dict[str, Run]:
    """Return for each game and mode what plays its matches, by name."""
    contract, library = load_contract(games()), Library(games())
    runs: dict[str, Run] = {}
    for game in games().values():
        for mode in game.modes:
            runs[f"{game.id} {mode.id}: list and play"] = _engine_alone(game, mode)
            runs[f"{game.id} {mode.id}: engine and codec"] = _with_codec(library, contract, game, mode)
    return runs


def _play_chess(number: int) -> tuple[float, int]:
    import chess  # noqa: PLC0415 - GPL, and for this line of the table alone

    rng, moves, started = random.Random(number), 0, time.process_time()
    for _ in range(_MATCHES):
        board = chess.Board()
        for _ in range(100):
            legal = list(board.legal_moves)
            if not legal:
                break
            board.push(rng.choice(legal))
            moves += 1
    return time.process_time() - started, moves


def _engine_alone(game: Game, mode: Mode) -> Run:
    cards = game.default_card_set
    engine, options = mode.engine(cards), game.fill_in_options(cards, {})

    def run(number: int) -> tuple[float, int]:
        rng, moves, seconds = random.Random(number), 0, 0.0
        for match in range(_MATCHES):
            table: Table[Any] = Table(Generator(match_key(bytes([match]) * 32)))
            play.set_up(engine, table, mode.min_seats + len(mode.automata), options, game.ruleset)
            started = time.process_time()
            while asked := engine.decisions(table.state):
                legal = play.legal_answers(engine, table.state, asked[0].seat)
                play.answer(engine, table, asked[0], rng.choice(legal))
                moves += 1
            seconds += time.process_time() - started
        return seconds, moves

    return run


def _with_codec(library: Library, contract: Contract, game: Game, mode: Mode) -> Run:
    """What ApplyMove does between its doors and the store: read the request and the snapshot, play, write the snapshot and the whole answer in protobuf."""
    rpc = contract.rpcs[_APPLY]
    make = GetMessageClass(contract.pool.FindMessageTypeByName("umpire.v1.ApplyMoveRequest"))

    def run(number: int) -> tuple[float, int]:
        rng, moves, seconds = random.Random(number), 0, 0.0
        for seed in range(_MATCHES):
            match = _new_match(library, game, mode, bytes([seed]) * 32)
            while match.record.decisions:
                held, data = match.record.decisions[0], match.write()
                move_id = rng.choice(present_legal_moves(match, held.seat)).move_id
                request = make(match_id="bench", decision_id=held.decision_id, move_id=move_id, request_id="r").SerializeToString()
                started = time.process_time()
                match = _apply(library, rpc, data, held.seat, request)
                seconds += time.process_time() - started
                moves += 1
        return seconds, moves

    return run


def _apply(library: Library, rpc: Rpc, data: bytes, seat: int, request: bytes) -> Match:
    asked = rpc.request.from_bytes(request)
    assert isinstance(asked, ApplyMoveRequest)
    match = Match.open("bench", data, library)
    match.play(seat, match.hosted.game.move_reader.read(str(asked.move_id)), Cause.PERSON, 0)
    match.write()
    version = match.record.version
    rpc.response.to_bytes(
        ApplyMoveResponse(
            applied_version=version,
            version=version,
            updates=present_updates(enumerate(match.entries, match.first_version), seat),
            status=match.record.status,
            view=match.engine.view(match.state, seat),
            decision=present_own_decision(match, seat),
            legal_moves=present_legal_moves(match, seat),
            outcome=None,
        )
    )
    return match


def _new_match(library: Library, game: Game, mode: Mode, seed: bytes) -> Match:
    seats = [SeatRequest(display_name="", metadata="", house_bot="")] * mode.min_seats
    wanted = NewMatch("bench", game.id, "", None, seats, invite=False, hot_seat=False, ttl_ms=DEFAULT_TTL_MS, seed=seed, request_id="")
    match = lay_out(library, wanted, 0)
    match.deal(0)
    return match
