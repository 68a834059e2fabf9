"""A match in the hand of a use case: opened from what is stored, changed by steps, written back by one commit.

Every Match has a state of its own, so whatever fails leaves no trace.
"""

import time
from typing import Any

import msgspec

from engines.kit import play
from engines.kit.chance import Chance, Generator, bot_key, match_key
from engines.kit.contract import Engine
from engines.kit.digest import chain
from engines.kit.structs import Decision, Event, Move, View
from engines.kit.table import Table
from engines.kit.violation import NotAsked, Violation
from service.errors import FailedPrecondition, SnapshotUnreadable
from service.matches.library import Entry, HostedGame, Library, decode_snapshot, encode
from service.matches.record import FORMAT, LogEntry, OpenDecision, Opened, SeatRecord, Snapshot, StandingDecision
from service.messages import Cause, Controller, MatchAbandoned, MatchStarted, MatchStatus, SeatLeft, SeatTakenOver, SeatTimedOut

_TAKEN_ON_WITHIN_MS = 10_000
_NOT_ASKED = StandingDecision(0, 0)


class Answered(msgspec.Struct, frozen=True):
    """What a step answered: a kind of decision, since when it stood open (milliseconds; 0: unknown), and whether its deadline had passed."""

    kind: str
    opened: int
    is_missed: bool


class Match:
    """A match and the steps taken since it was opened.

    ``record`` is the snapshot as it will be stored; ``entries`` the log entries to commit with it, the first at ``first_version``, after the one that
    ``digest_before`` is of; ``answered`` what each of them answered (None for steps that answered nothing); ``not_before`` and ``not_after`` bound, by the
    deadlines of what was answered, when the commit may happen (milliseconds, 0: any time); ``observer`` is told how long the rules took.
    """

    def __init__(self, record: Snapshot, hosted: HostedGame, engine: Engine[Any]) -> None:
        self.record = record
        self.hosted = hosted
        self.engine = engine
        self.entries: list[Entry] = []
        self.written_entries: list[bytes] = []
        self.answered: list[Answered | None] = []
        self.observer = hosted.observer
        self.first_version = record.version + 1
        self.digest_before = record.digest
        self._state: Any = None
        self._asked: list[Decision] | None = None
        self._touched = False
        self.not_before = 0
        self.not_after = 0

    @classmethod
    def open(cls, match_id: str, data: bytes, library: Library) -> "Match":
        """Open a stored match.

        Raises:
            SnapshotUnreadable: the stored bytes are no match.
            Unavailable: RULESET_UNKNOWN_HERE.
        """
        record = decode_snapshot(match_id, data)
        return cls(record, *library.host(record))

    @property
    def dealt(self) -> bool:
        """Whether the deal has happened."""
        return self.record.version > 0

    @property
    def state(self) -> Any:
        """The engine's state; only after the deal."""
        if self._state is None:
            try:
                self._state = self.hosted.decode_state(self.record.state)
            except msgspec.MsgspecError as error:
                raise SnapshotUnreadable(self.record.match_id) from error
        return self._state

    @property
    def changed(self) -> bool:
        """Whether there is something to commit."""
        return self._touched or bool(self.entries)

    def touch(self) -> None:
        """Say that the record was changed beside the steps."""
        self._touched = True

    def write(self) -> bytes:
        """Encode the snapshot with all that has changed."""
        self.record.format = FORMAT
        if self._state is not None and self.entries:
            self.record.state = msgspec.Raw(encode(self._state))
        return encode(self.record)

    # ---- what is open

    def decision_id(self, seat: int) -> int | None:
        """Return the id of the seat's open decision, or None."""
        for held in self.record.decisions:
            if held.seat == seat:
                return held.decision_id
        return None

    def decisions(self) -> list[tuple[OpenDecision, Decision]]:
        """List the open decisions, as the record and as the engine has them, by seat."""
        if not self.record.decisions:
            return []
        held = {one.seat: one for one in self.record.decisions}
        return [(held[decision.seat], decision) for decision in self._open_decisions()]

    def view(self, viewer: int) -> View:
        """Build what a viewer may know now; only after the deal."""
        state, started = self.state, time.perf_counter()
        view = self.engine.view(state, viewer)
        self.observer.engine_took(self.record.game, "view", time.perf_counter() - started)
        return view

    def legal_moves(self, seat: int) -> list[Move]:
        """List the legal moves of a seat that is asked."""
        state, started = self.state, time.perf_counter()
        moves = play.legal_answers(self.engine, state, seat)
        self.observer.engine_took(self.record.game, "legal_moves", time.perf_counter() - started)
        return moves

    def judged_moves(self, seat: int) -> list[tuple[Move, Violation | None]]:
        """List all moves of a seat that is asked, each with what forbids it."""
        state, started = self.state, time.perf_counter()
        judged = play.judge(self.engine, state, seat)
        self.observer.engine_took(self.record.game, "legal_moves", time.perf_counter() - started)
        return judged

    def overdue(self, now: int) -> int | None:
        """Return a seat that has let its deadline pass, or None."""
        return next((held.seat for held in self.record.decisions if held.deadline and held.deadline <= now), None)

    def is_late(self, seat: int, now: int) -> bool:
        """Whether a seat's open decision has passed its deadline."""
        return 0 < self._held(seat).deadline <= now

    def due(self) -> int:
        """When somebody has to look at the match even if nobody calls, in milliseconds; 0: never."""
        if self.to_move_by_itself() is not None:
            return self.record.updated + _TAKEN_ON_WITHIN_MS
        return min((held.deadline for held in self.record.decisions if held.deadline), default=0)

    def require_running(self) -> None:
        """Check that the match is being played.

        Raises:
            FailedPrecondition: MATCH_NOT_STARTED or MATCH_FINISHED.
        """
        match self.record.status:
            case MatchStatus.WAITING:
                raise FailedPrecondition("MATCH_NOT_STARTED", "seats are still open; nothing is dealt")
            case MatchStatus.FINISHED | MatchStatus.ABANDONED:
                raise FailedPrecondition("MATCH_FINISHED", "the match is over")

    def is_persons(self, seat: int) -> bool:
        """Whether there is such a seat, and a person plays it or did until it left."""
        return 1 <= seat <= len(self.record.seats) and self.record.seats[seat - 1].controller is Controller.PERSON

    # ---- steps

    def deal(self, now: int) -> None:
        """Take the first step: all seats are claimed."""
        self.record.status = MatchStatus.ACTIVE
        table: Table[Any] = Table(self._chance(0))
        table.emit(MatchStarted(self.record.game, len(self.record.seats)))
        options = self.hosted.decode_options(self.record.options)
        play.set_up(self.engine, table, len(self.record.seats), options, self.record.ruleset)
        self._state = table.state
        self._finish_step(table, Cause.SET_UP, 0, None, [], now)

    def play(self, seat: int, move: Move, cause: Cause, now: int) -> None:
        """Take a step: a move of a seat.

        Raises:
            NotAsked, Violation: as ``engines.kit.play.play``; the match is then unchanged.
        """
        before = self._open_decisions()
        decision = next((one for one in before if one.seat == seat), None)
        if decision is None:
            raise NotAsked
        held = self._held(seat)
        if held.deadline and cause is Cause.PERSON:
            self.not_after = held.deadline
        table = self._table()
        self._answer(table, decision, move)
        self._finish_step(table, cause, seat, move, before, now, Answered(decision.kind, held.opened, is_missed=False))

    def leave(self, seat: int, now: int) -> None:
        """Take a step: a seat leaves for good."""
        before = self._open_decisions()
        table = self._table()
        table.emit(SeatLeft(seat))
        play.leave(self.engine, table, seat)
        self.record.seats[seat - 1].left = True
        if self.engine.outcome(table.state) is None and not any(map(_is_person, self.record.seats)):
            table.emit(MatchAbandoned())
            self.record.status = MatchStatus.ABANDONED
        self._finish_step(table, Cause.LEAVE, seat, None, before, now)

    def take_over(self, seat: int, now: int) -> None:
        """Take a step in which nothing moves: a claimed seat is given anew, and all are told. To whom is not the log's matter."""
        table = self._table()
        table.emit(SeatTakenOver(seat))
        self._finish_step(table, Cause.ADMIN, seat, None, self._open_decisions(), now)

    def to_move_by_itself(self) -> int | None:
        """Return a seat that answers without anybody outside, or None: a house bot's, or one that has left. Where persons are asked too, they answer first."""
        if self.record.status is not MatchStatus.ACTIVE:
            return None
        first = None
        for held in self.record.decisions:
            seat = self.record.seats[held.seat - 1]
            if _is_person(seat):
                return None
            if first is None and (seat.left or seat.controller is Controller.HOUSE_BOT):
                first = held.seat
        return first

    def play_by_itself(self, seat: int, now: int) -> None:
        """Answer for a seat of ``to_move_by_itself``. A house bot gets its seat's view, its decision and its legal moves, and a generator of its own."""
        record = self.record.seats[seat - 1]
        if record.left:
            self.play_default(seat, now)
            return
        started = time.perf_counter()
        decision = next(one for one in self._open_decisions() if one.seat == seat)
        moves = play.legal_answers(self.engine, self.state, seat)
        chance = Generator(bot_key(self.record.seed, seat, self.record.version))
        bot = self.hosted.game.bots[record.house_bot]
        chosen = bot(self.engine.view(self.state, seat), decision, moves, chance)
        self.observer.engine_took(self.record.game, "bot", time.perf_counter() - started, decision.kind)
        self.play(seat, chosen, Cause.BOT, now)

    def play_default(self, seat: int, now: int) -> None:
        """Take a step: the game's default move, for a seat that has let its deadline pass or has left."""
        before = self._open_decisions()
        decision = next(one for one in before if one.seat == seat)
        table = self._table()
        is_missed = not self.record.seats[seat - 1].left
        if is_missed:
            table.emit(SeatTimedOut(seat))
            self.not_before = max(self.not_before, self._held(seat).deadline)
        move = self.engine.default_move(table, seat)
        self._answer(table, decision, move)
        self._finish_step(table, Cause.DEFAULT, seat, move, before, now, Answered(decision.kind, self._held(seat).opened, is_missed))

    def _answer(self, table: Table[Any], decision: Decision, move: Move) -> None:
        started = time.perf_counter()
        try:
            play.answer(self.engine, table, decision, move)
        finally:
            self.observer.engine_took(self.record.game, "apply", time.perf_counter() - started, decision.kind)

    def _open_decisions(self) -> list[Decision]:
        """List what the engine asks now; once a step, since everybody wants to know it."""
        if self._asked is None:
            self._asked = self.engine.decisions(self.state)
        return self._asked

    def _table(self) -> Table[Any]:
        table: Table[Any] = Table(self._chance(self.state.position))
        table.state = self.state
        return table

    def _chance(self, position: int) -> Chance:
        return Generator(self._key, position)

    def _key(self) -> bytes:
        return match_key(self.record.seed, (seat.client_seed for seat in self.record.seats if seat.client_seed))

    def _finish_step(
        self, table: Table[Any], cause: Cause, seat: int, move: Move | None, before: list[Decision], now: int, answered: Answered | None = None
    ) -> None:
        record = self.record
        record.version += 1
        record.outcome = self.engine.outcome(self.state)
        if record.outcome is not None:
            record.status = MatchStatus.FINISHED
        self._asked = self.engine.decisions(self.state)
        if record.status is MatchStatus.ABANDONED:
            self._asked = []
        mover = 0 if cause is Cause.ADMIN else seat  # what was done to a seat answers nothing that it is asked
        closed, opened = play.changes(before, self._asked, mover)
        gone = {decision.seat for decision in closed}
        entry: Entry = LogEntry(
            cause=cause,
            seat=seat,
            time=now,
            move=move,
            draws=tuple(table.rng.draws),
            events=tuple(table.events),
            opened=tuple([Opened(new.seat, new.as_seat, new.kind, new.question, self._deadline(new.seat, now)) for new in opened]),
            closed=tuple([OpenDecision(held.seat, held.decision_id, held.deadline) for held in record.decisions if held.seat in gone]),
        )
        decisions = [held for held in record.decisions if held.seat not in gone]
        decisions += [StandingDecision(new.seat, record.version, new.deadline, now) for new in entry.opened]
        record.decisions = sorted(decisions, key=_by_seat) if len(decisions) > 1 else decisions
        record.updated = now
        written = encode(entry)
        record.digest = chain(record.digest, written)
        self.entries.append(entry)
        self.written_entries.append(written)
        self.answered.append(answered)

    def _held(self, seat: int) -> StandingDecision:
        """Return the seat's open decision as the record has it; one without deadline if it has none."""
        for held in self.record.decisions:
            if held.seat == seat:
                return held
        return _NOT_ASKED

    def _deadline(self, seat: int, now: int) -> int:
        return now + self.record.move_timeout if self.record.move_timeout and _is_person(self.record.seats[seat - 1]) else 0


def _is_person(seat: SeatRecord) -> bool:
    """Whether somebody outside answers for a seat."""
    return seat.controller is Controller.PERSON and not seat.left


def _by_seat(held: OpenDecision) -> int:
    return held.seat


def events_of(entry: Entry, viewer: int) -> tuple[Event, ...]:
    """Redact a log entry's events for a viewer."""
    return tuple(seen for emitted in entry.events if (seen := emitted.seen_by(viewer)) is not None)
