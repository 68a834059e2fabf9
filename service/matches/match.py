"""A match in the hand of a use case: opened from what is stored, changed by steps, written back by one commit.

Every Match has a state of its own, so whatever fails leaves no trace.
"""

from typing import Any

import msgspec

from engines.kit import play
from engines.kit.chance import Chance, Generator, bot_key, match_key
from engines.kit.contract import Engine
from engines.kit.digest import chain
from engines.kit.structs import Decision, Event, Move
from engines.kit.table import Table
from engines.kit.violation import NotAsked
from service.errors import FailedPrecondition, SnapshotUnreadable
from service.matches.library import Entry, HostedGame, Library, decode_snapshot, encode
from service.matches.record import LogEntry, OpenDecision, Opened, Snapshot
from service.messages import Cause, Controller, MatchStarted, MatchStatus


class Match:
    """A match and the steps taken since it was opened.

    ``record`` is the snapshot as it will be stored; ``entries`` the log entries to commit with it, the first at ``first_version``; ``kinds`` the kind of
    decision that each of them answered ("" for steps that answered none).
    """

    def __init__(self, record: Snapshot, hosted: HostedGame, engine: Engine[Any]) -> None:
        self.record = record
        self.hosted = hosted
        self.engine = engine
        self.entries: list[Entry] = []
        self.written_entries: list[bytes] = []
        self.kinds: list[str] = []
        self.first_version = record.version + 1
        self._state: Any = None
        self._asked: list[Decision] | None = None
        self._touched = False

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

    def decisions(self) -> list[tuple[int, Decision]]:
        """List the open decisions with their ids, by seat."""
        if not self.record.decisions:
            return []
        ids = {held.seat: held.decision_id for held in self.record.decisions}
        return [(ids[decision.seat], decision) for decision in self._open_decisions()]

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
        table: Table[Any] = Table(self._chance(self.state.position))
        table.state = self.state
        play.answer(self.engine, table, decision, move)
        self._finish_step(table, cause, seat, move, before, now, decision.kind)

    def bot_to_move(self) -> int | None:
        """Return a house bot's seat that shall answer now, or None. Where persons are asked too, they answer first."""
        if self.record.status is not MatchStatus.ACTIVE:
            return None
        bot = None
        for held in self.record.decisions:
            match self.record.seats[held.seat - 1].controller:
                case Controller.PERSON:
                    return None
                case Controller.HOUSE_BOT if bot is None:
                    bot = held.seat
        return bot

    def play_bot(self, seat: int, now: int) -> None:
        """Let a house bot answer: it gets its seat's view, its decision and its legal moves, and a generator of its own."""
        bot = self.hosted.game.bots[self.record.seats[seat - 1].house_bot]
        decision = next(one for one in self._open_decisions() if one.seat == seat)
        moves = play.legal_answers(self.engine, self.state, seat)
        chance = Generator(bot_key(self.record.seed, seat, self.record.version))
        self.play(seat, bot(self.engine.view(self.state, seat), decision, moves, chance), Cause.BOT, now)

    def _open_decisions(self) -> list[Decision]:
        """List what the engine asks now; once a step, since everybody wants to know it."""
        if self._asked is None:
            self._asked = self.engine.decisions(self.state)
        return self._asked

    def _chance(self, position: int) -> Chance:
        return Generator(self._key, position)

    def _key(self) -> bytes:
        return match_key(self.record.seed, (seat.client_seed for seat in self.record.seats if seat.client_seed))

    def _finish_step(self, table: Table[Any], cause: Cause, seat: int, move: Move | None, before: list[Decision], now: int, kind: str = "") -> None:
        record = self.record
        record.version += 1
        record.outcome = self.engine.outcome(self.state)
        if record.outcome is not None:
            record.status = MatchStatus.FINISHED
        self._asked = self.engine.decisions(self.state)
        closed, opened = play.changes(before, self._asked, seat)
        gone = {decision.seat for decision in closed}
        entry: Entry = LogEntry(
            cause=cause,
            seat=seat,
            time=now,
            move=move,
            draws=tuple(table.rng.draws),
            events=tuple(table.events),
            opened=tuple([Opened(new.seat, new.as_seat, new.kind, new.question) for new in opened]),
            closed=tuple([held for held in record.decisions if held.seat in gone]),
        )
        decisions = [held for held in record.decisions if held.seat not in gone]
        decisions += [OpenDecision(new.seat, record.version) for new in opened]
        record.decisions = sorted(decisions, key=_by_seat) if len(decisions) > 1 else decisions
        record.updated = now
        written = encode(entry)
        record.digest = chain(record.digest, written)
        self.entries.append(entry)
        self.written_entries.append(written)
        self.kinds.append(kind)


def _by_seat(held: OpenDecision) -> int:
    return held.seat


def events_of(entry: Entry, viewer: int) -> tuple[Event, ...]:
    """Redact a log entry's events for a viewer."""
    return tuple(seen for emitted in entry.events if (seen := emitted.seen_by(viewer)) is not None)
