"""Playing a seat move by move with ApplyMove: each answer brings the seat's next decision; where it does not, the seat's own stream tells when it is asked."""

import random
import time
import uuid
from collections.abc import Callable
from typing import TypeVar

import gevent

from loadtests.load.calling import Calls
from loadtests.load.doors import Door
from loadtests.load.ledger import Acknowledged, Ledger, Telling
from loadtests.load.seen import Asked, Refused, Ruling
from loadtests.load.watching import Watching
from loadtests.load.weights import Weights

T = TypeVar("T")

OVERTAKEN = "DECISION_CLOSED"
"""Where several seats are asked at once, another's move can close a seat's decision and ask it anew. The history must show that."""

_LONGEST_WAIT_S = 60.0
_MOST_MOVES = 5_000


class Playing:
    """One person's seat. ``goes_on`` says whether the user still plays; ``sent`` gets the moment at which each version's move was sent."""

    def __init__(self, calls: Calls, door: Door, ledger: Ledger, seat: int, credential: str, weights: Weights, goes_on: Callable[[], bool]) -> None:
        self.seat = seat
        self.credential = credential
        self.sent: dict[int, float] = {}
        self.trouble: Refused | None = None
        self.watching: Watching | None = None
        self.ending = ""
        self._calls, self._door, self._ledger, self._weights, self._goes_on = calls, door, ledger, weights, goes_on

    def play(self) -> None:
        """Play until the match is over, the user stops, or a call fails that must not."""
        try:
            self._play()
        except Refused as refused:
            self.trouble = refused

    def _play(self) -> None:
        asked = self._legal_moves()
        for _ in range(_MOST_MOVES):
            if not self._goes_on() or self.ending:
                return
            if not asked.decision_id:
                if not self._wait(asked.version):
                    return
                asked = self._legal_moves()
                continue
            think(self._weights)
            if random.random() < self._weights.read:
                self._make("GetMatch", lambda: self._door.read(self._ledger.match_id, self.credential))
            try:
                if random.random() < self._weights.illegal:
                    self._try_illegal(asked)
                asked = self._move(asked)
            except Refused as refused:
                if refused.reason != OVERTAKEN:
                    raise
                overtaken(self._calls, self._ledger, self.seat, asked.decision_id)
                asked = self._legal_moves()

    def _move(self, asked: Asked) -> Asked:
        decision, move, request = asked.decision_id, random.choice(asked.moves), str(uuid.uuid4())
        sent = time.perf_counter()
        ruling = self._make("ApplyMove", lambda: self._apply(decision, move, request), OVERTAKEN)
        self.sent[ruling.applied_version] = sent
        self._ledger.acknowledged.append(Acknowledged(self.seat, decision, move, ruling.applied_version))
        note(self._ledger, self.seat, ruling)
        if random.random() < self._weights.retry:
            again = self._make("ApplyMove, once more", lambda: self._apply(decision, move, request))
            self._calls.tally.checked["retries"] += 1
            compare(self._ledger, self.seat, move, ruling, again)
        if ruling.ending:
            self.ending = ruling.ending
            self._ledger.endings[f"an answer over {self._door.name} to seat {self.seat}"] = ruling.ending
        return ruling.asked

    def _try_illegal(self, asked: Asked) -> None:
        found = self._make("ListLegalMoves", lambda: self._door.legal_moves(self._ledger.match_id, self.credential, illegal=True))
        if found.decision_id == asked.decision_id and found.moves != asked.moves:
            self._ledger.contradicts(f"seat {self.seat} is told other legal moves for decision {asked.decision_id} when it asks again")
        if found.decision_id != asked.decision_id or not found.illegal:
            return
        move, violation = random.choice(found.illegal)
        try:
            self._calls.make(self._door.name, "ApplyMove, illegal", lambda: self._apply(asked.decision_id, move, str(uuid.uuid4())), "ILLEGAL_MOVE", OVERTAKEN)
        except Refused as refused:
            if refused.reason != "ILLEGAL_MOVE":
                raise
            self._calls.tally.expected["ILLEGAL_MOVE"] += 1
            if refused.violation != violation:
                self._ledger.contradicts(f"{move} is listed as {violation} and refused as {refused.violation}")
        else:
            self._ledger.contradicts(f"{move} is listed as {violation} and was applied")
            raise Refused("ILLEGAL_MOVE_APPLIED", "UNKNOWN")

    def _wait(self, version: int) -> bool:
        """Wait to be asked, on the seat's own stream; False if there is nothing to wait for."""
        if self.watching is None:
            self.watching = Watching(self._calls, self._door, self._ledger, self.seat, self.credential, version)
        until = time.monotonic() + _LONGEST_WAIT_S
        while self._goes_on() and not self.watching.is_over:
            if self.watching.asked_after(self.seat, version, 1.0):
                return not self.watching.is_over
            if time.monotonic() > until:
                refused = Refused("NEVER_ASKED", "DEADLINE_EXCEEDED", f"seat {self.seat} waited {_LONGEST_WAIT_S:.0f} s for its decision")
                self._calls.record(self._door.name, "waiting for a decision", _LONGEST_WAIT_S, refused)
                raise refused
        return False

    def _legal_moves(self) -> Asked:
        return self._make("ListLegalMoves", lambda: self._door.legal_moves(self._ledger.match_id, self.credential))

    def _apply(self, decision: int, move: str, request: str) -> Ruling:
        return self._door.apply(self._ledger.match_id, self.credential, decision, move, request)

    def _make(self, name: str, call: Callable[[], T], *expected: str) -> T:
        return self._calls.make(self._door.name, name, call, *expected)


def think(weights: Weights) -> None:
    """Let a seat think."""
    if weights.think:
        gevent.sleep(random.expovariate(1 / weights.think))


def overtaken(calls: Calls, ledger: Ledger, seat: int, decision: int) -> None:
    """Note a move that came too late: its decision was closed by another seat's."""
    calls.tally.expected[OVERTAKEN] += 1
    ledger.overtaken.append((decision, seat))


def note(ledger: Ledger, seat: int, ruling: Ruling) -> None:
    """Keep what an answer told."""
    if not ruling.steps or ruling.steps[0].version != ruling.applied_version:
        ledger.contradicts(f"the answer to version {ruling.applied_version} begins with another step")
    ledger.tellings.append(Telling(seat, "an answer to ApplyMove", ruling.steps))


def compare(ledger: Ledger, seat: int, move: str, first: Ruling, again: Ruling) -> None:
    """Compare the answers to a move that was sent twice."""
    if again.applied_version != first.applied_version:
        ledger.contradicts(f"seat {seat}'s {move} was applied as version {first.applied_version}, and as {again.applied_version} when it was sent again")
    elif len(again.steps) != len(first.steps) or not all(one.says_the_same(other) for one, other in zip(first.steps, again.steps, strict=True)):
        ledger.contradicts(f"seat {seat}'s {move}, version {first.applied_version}, is told otherwise when it is sent again")
