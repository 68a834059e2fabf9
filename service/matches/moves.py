"""Applying a move: once, however often it is asked for."""

import asyncio
from typing import NamedTuple

from engines.kit.notation import NotationError, write_move
from engines.kit.structs import Move
from engines.kit.violation import NotAsked, Violation
from service.credentials import Credential
from service.errors import AlreadyExists, DecisionClosed, FailedPrecondition, IllegalMove, InvalidRequest
from service.matches.access import require_valid
from service.matches.automatic import play_on
from service.matches.create import digest_of
from service.matches.library import Entry
from service.matches.match import Match
from service.matches.record import LastRequest
from service.matches.repository import Repository, TooLate
from service.messages import Cause

_LOOKS_AFTER_A_DEADLINE = 5
_PAUSE_S = 0.05


class Wanted(NamedTuple):
    """A move as a caller sends it, its shape checked: for which seat and decision, as text or typed."""

    match_id: str
    seat: int
    decision_id: int
    move: Move | str
    request_id: str


class Verdict(NamedTuple):
    """A move that was applied, now or by an earlier attempt of the same request: the match as of now, and the steps that the move's commit made."""

    match: Match
    applied_version: int
    updates: list[tuple[int, Entry]]


class _NotOpen(DecisionClosed):
    """The named decision is not the seat's open one; whether it ever was, the log says."""


async def apply_move(repository: Repository, credential: Credential, wanted: Wanted) -> Verdict:
    """Apply a move to the seat's open decision, and let house bots answer it.

    Raises:
        Unauthenticated: CREDENTIAL_INVALID: the seat was given anew.
        NotFound: MATCH_NOT_FOUND.
        InvalidRequest: the text is no move of the game, or the typed move is another game's.
        AlreadyExists: REQUEST_ID_REUSED.
        FailedPrecondition: MATCH_NOT_STARTED, MATCH_FINISHED, NO_OPEN_DECISION, ILLEGAL_MOVE.
        DecisionClosed: this decision was answered before.
    """

    def act(match: Match) -> LastRequest | None:
        require_valid(match, credential, wanted.seat)
        move = _read(match, wanted.move)
        body = digest_of(f"{wanted.decision_id} {write_move(move)}".encode())
        record = match.record.seats[wanted.seat - 1]
        if wanted.request_id and record.last_request is not None and record.last_request.request_id == wanted.request_id:
            if record.last_request.body != body:
                raise AlreadyExists("REQUEST_ID_REUSED", "this request_id was used for another move", {"request_id": wanted.request_id})
            return record.last_request
        match.require_running()
        current = match.decision_id(wanted.seat)
        if current != wanted.decision_id:
            raise _NotOpen(current)
        now = repository.now(wanted.match_id)
        if match.is_late(wanted.seat, now):
            raise TooLate
        _play(match, wanted.seat, move, now)
        applied = match.record.version
        play_on(match, now)
        if wanted.request_id:
            record.last_request = LastRequest(wanted.request_id, body, applied, match.record.version)
        return None

    try:
        match, repeated = await repository.change(wanted.match_id, act)
    except _NotOpen as refusal:
        await _explain(repository, wanted, refusal)
        raise
    except TooLate:
        raise DecisionClosed(await _after_the_deadline(repository, wanted)) from None
    if repeated is None:
        first = match.first_version
        return Verdict(match, first, list(enumerate(match.entries, first)))
    before = repeated.applied_version - 1
    return Verdict(match, repeated.applied_version, await repository.entries(match, before, repeated.last_version - before))


def _read(match: Match, move: Move | str) -> Move:
    game = match.hosted.game
    if isinstance(move, str):
        try:
            return game.move_reader.read(move)
        except NotationError as error:
            raise InvalidRequest(("move_id", str(error))) from error
    if not isinstance(move, game.moves):
        raise InvalidRequest(("move", f"is of another game than {game.id}"))
    return move


def _play(match: Match, seat: int, move: Move, now: int) -> None:
    try:
        match.play(seat, move, Cause.PERSON, now)
    except NotAsked as error:
        raise RuntimeError(f"{match.record.match_id}: the record has a decision of seat {seat} that the state does not have") from error
    except Violation as violation:
        raise IllegalMove(violation.code, violation.rule, violation.message, violation.field) from violation


async def _after_the_deadline(repository: Repository, wanted: Wanted) -> int | None:
    """Have the default move made that is due instead of the one that came too late; return the decision that the seat then has."""
    for _ in range(_LOOKS_AFTER_A_DEADLINE):
        match, _ = await repository.change(wanted.match_id, lambda match: play_on(match, repository.now(wanted.match_id)))
        if match.decision_id(wanted.seat) != wanted.decision_id:
            return match.decision_id(wanted.seat)
        await asyncio.sleep(_PAUSE_S)  # this worker's idea of the store's time is a little behind
    return None


async def _explain(repository: Repository, wanted: Wanted, refusal: DecisionClosed) -> None:
    """Tell a decision that was closed from one that the seat never had, where the seat has none open."""
    if "decision_id" in refusal.metadata:
        return
    match = await repository.read(wanted.match_id)
    was_open = False
    if 1 <= wanted.decision_id <= match.record.version:
        ((_, entry),) = await repository.entries(match, wanted.decision_id - 1, 1)
        was_open = any(opened.seat == wanted.seat for opened in entry.opened)
    if not was_open:
        raise FailedPrecondition("NO_OPEN_DECISION", "this seat is not asked for anything now")
