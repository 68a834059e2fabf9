"""Playing a seat on one stream with PlayMatch: questions come, moves go, each has its verdict.

After a break the stream is opened again and the move that has none yet is sent again.
"""

import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gevent
import grpc
from gevent.queue import SimpleQueue

from loadtests.load.calling import BREAK_S, PATIENCE_S, Calls
from loadtests.load.grpc_door import GrpcDoor, refusal_in, refusal_of, step_of
from loadtests.load.ledger import Acknowledged, Ledger, Telling
from loadtests.load.playing import OVERTAKEN, overtaken, think
from loadtests.load.seen import Refused, Step, ending_of
from loadtests.load.weights import Weights
from umpire.v1 import match_pb2
from umpire.v1 import match_service_pb2 as service


@dataclass
class _Sent:
    """A move that waits for ``due`` verdicts; ``version`` is what the first of them said. ``violation``: it is illegal, and must be refused with this code.

    ``refused_since``: since when it has been refused for a reason that may pass.
    """

    move: service.PlayMove
    at: float
    violation: str = ""
    due: int = 1
    version: int = 0
    refused_since: float = 0.0


class Streaming:
    """One person's seat."""

    def __init__(self, calls: Calls, door: GrpcDoor, ledger: Ledger, seat: int, credential: str, weights: Weights, goes_on: Callable[[], bool]) -> None:
        self.seat = seat
        self.credential = credential
        self.sent: dict[int, float] = {}
        self.trouble: Refused | None = None
        self.watching = None
        self.ending = ""
        self._calls, self._door, self._ledger, self._weights, self._goes_on = calls, door, ledger, weights, goes_on
        self._steps: list[Step] = []
        self._pending: dict[str, _Sent] = {}
        self._version = 0
        self._answered = 0
        self._broken_since = 0.0
        self._to_send: SimpleQueue[service.PlayMatchRequest | None] = SimpleQueue()
        self._call: Any = None

    def play(self) -> None:
        """Play until the match is over, the user stops, or something fails that must not."""
        looking = gevent.spawn(self._leave_when_it_is_time)
        try:
            while self._goes_on() and not self.ending:
                try:
                    self._one_stream()
                except grpc.RpcError as error:
                    self._weigh(refusal_of(error))
        except Refused as refused:
            if self._goes_on():
                self.trouble = refused
        finally:
            looking.kill()
        self._ledger.tellings.append(Telling(self.seat, "PlayMatch", self._steps, is_whole=bool(self.ending)))
        if self.ending:
            self._ledger.endings[f"PlayMatch of seat {self.seat}"] = self.ending

    def _leave_when_it_is_time(self) -> None:
        while self._goes_on():
            gevent.sleep(0.2)
        self._to_send.put(None)  # our side ends; the service ends its own once every move has its verdict
        gevent.sleep(5)
        if self._call is not None:
            self._call.cancel()

    def _weigh(self, refused: Refused) -> None:
        if not self._goes_on():
            return
        self._broken_since = self._broken_since or time.monotonic()
        if not refused.may_pass or time.monotonic() - self._broken_since > PATIENCE_S:
            self._calls.record("grpc", "PlayMatch", 0, refused)
            raise refused
        self._calls.repeat("grpc", "PlayMatch", refused)
        gevent.sleep(BREAK_S)

    def _one_stream(self) -> None:
        self._to_send = SimpleQueue()
        self._send(service.PlayMatchRequest(open=service.PlayOpen(match_id=self._ledger.match_id, since_version=self._version)))
        for sent in self._pending.values():
            sent.due = 1
            self._send(service.PlayMatchRequest(move=sent.move))
        self._call = self._door.play(self.credential, iter(self._to_send.get, None))
        try:
            for message in self._call:
                self._broken_since = 0.0
                self._take(message)
                if not self._goes_on():
                    self._to_send.put(None)
        finally:
            self._to_send.put(None)
            self._call.cancel()
        if self._goes_on() and not self.ending:
            self._ledger.contradicts(f"PlayMatch of seat {self.seat} ended at version {self._version}, before the match did")
            raise Refused("STREAM_ENDED_EARLY", "UNKNOWN")

    def _send(self, request: service.PlayMatchRequest) -> None:
        self._to_send.put(request)

    def _take(self, message: service.PlayMatchResponse) -> None:
        for update in message.updates:
            self._steps.append(step_of(update))
            self._version = update.version
        if message.HasField("verdict"):
            self._judge(message.verdict)
        if message.HasField("question") and message.question.decision.decision_id != self._answered:
            self._answer(message.question)
        if message.HasField("end"):
            self.ending = ending_of(match_pb2.MatchStatus.Name(message.end.status), message.end.outcome.reason)

    def _answer(self, question: service.PlayQuestion) -> None:
        think(self._weights)
        if not self._goes_on():
            return
        decision = self._answered = question.decision.decision_id
        if random.random() < self._weights.illegal:
            found = self._calls.make("grpc", "ListLegalMoves", lambda: self._door.legal_moves(self._ledger.match_id, self.credential, illegal=True))
            if found.illegal:
                self._move(decision, *random.choice(found.illegal))
        self._move(decision, random.choice(question.legal_moves).move_id, times=2 if random.random() < self._weights.retry else 1)

    def _move(self, decision: int, move_id: str, violation: str = "", times: int = 1) -> None:
        move = service.PlayMove(decision_id=decision, move_id=move_id, request_id=str(uuid.uuid4()))
        self._pending[move.request_id] = _Sent(move, time.perf_counter(), violation, times)
        for _ in range(times):
            self._send(service.PlayMatchRequest(move=move))

    def _judge(self, verdict: service.PlayVerdict) -> None:
        sent = self._pending.get(verdict.request_id)
        if sent is None:
            self._ledger.contradicts(f"seat {self.seat} got a verdict on {verdict.request_id}, which waited for none")
            return
        sent.due -= 1
        if not sent.due:
            del self._pending[verdict.request_id]
        refused = refusal_in(verdict) if verdict.HasField("refusal") else None
        if refused is not None and refused.may_pass:
            self._once_more(sent, refused)
        elif sent.violation:
            self._judge_illegal(sent, refused)
        elif sent.version and refused is None:
            self._compare(sent, verdict.applied_version)
        else:
            if refused is not None and refused.reason == OVERTAKEN:
                overtaken(self._calls, self._ledger, self.seat, sent.move.decision_id)
                return
            self._calls.record("grpc", "PlayMatch, move to verdict", time.perf_counter() - sent.at, refused)
            if refused is not None:
                raise refused
            sent.version = verdict.applied_version
            self.sent[sent.version] = sent.at
            self._ledger.acknowledged.append(Acknowledged(self.seat, verdict.decision_id, sent.move.move_id, sent.version))

    def _once_more(self, sent: _Sent, refused: Refused) -> None:
        if not self._goes_on():
            return
        sent.refused_since = sent.refused_since or time.monotonic()
        if time.monotonic() - sent.refused_since > PATIENCE_S:
            self._calls.record("grpc", "PlayMatch, move to verdict", time.perf_counter() - sent.at, refused)
            raise refused
        self._calls.repeat("grpc", "PlayMatch, move to verdict", refused)
        gevent.sleep(BREAK_S)
        sent.due += 1
        self._pending[sent.move.request_id] = sent
        self._send(service.PlayMatchRequest(move=sent.move))

    def _compare(self, sent: _Sent, version: int) -> None:
        self._calls.tally.checked["retries"] += 1
        if version != sent.version:
            self._ledger.contradicts(f"seat {self.seat}'s {sent.move.move_id} was applied as version {sent.version}, and as {version} when it was sent again")

    def _judge_illegal(self, sent: _Sent, refused: Refused | None) -> None:
        if refused is not None and refused.reason == OVERTAKEN:
            overtaken(self._calls, self._ledger, self.seat, sent.move.decision_id)
            return
        if refused is None or (refused.reason, refused.violation) != ("ILLEGAL_MOVE", sent.violation):
            said = "applied" if refused is None else f"refused as {refused.reason} {refused.violation}"
            self._ledger.contradicts(f"{sent.move.move_id} is listed as {sent.violation} and was {said}")
            raise Refused("ILLEGAL_MOVE_APPLIED" if refused is None else refused.reason, "UNKNOWN")
        self._calls.record("grpc", "PlayMatch, illegal move to verdict", time.perf_counter() - sent.at)
        self._calls.tally.expected["ILLEGAL_MOVE"] += 1
