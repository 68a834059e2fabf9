"""A match of a fake game, served over the streams of FakeServer: it can break off before or after whatever it does."""

import queue
import threading
from collections.abc import Iterator
from typing import Any

import grpc

from tests.clients.python.fake_server import Behaviour, FakeServer, refused
from umpire.v1.match_pb2 import CAUSE_BOT, CAUSE_PERSON, CAUSE_SET_UP, MATCH_STATUS_FINISHED, LegalMove, Update
from umpire.v1.match_service_pb2 import PlayMatchResponse, PlayMove, WatchMatchResponse

BROKEN: Behaviour = refused(grpc.StatusCode.UNAVAILABLE, "")


class FakeMatch:
    """Seat 1 is asked at each odd version, a bot follows at once; after ``last`` steps it is over.

    Everything that a stream does is a numbered point, counted over all streams; at each point that is in ``breaks`` the stream breaks off, as told there.
    ``verdict_first``: whether a move's verdict comes before its step.
    """

    def __init__(self, last: int = 9, breaks: dict[int, Behaviour] | None = None, *, verdict_first: bool = True) -> None:
        self.last = last
        self.version = 1
        self.points = 0
        self.applied: dict[str, int] = {}
        self.opened_since: list[int | None] = []
        self.finished = threading.Event()
        self._breaks = breaks or {}
        self._verdict_first = verdict_first

    def serve(self, fake: FakeServer) -> "FakeMatch":
        fake.streams |= {"WatchMatch": self._watch, "PlayMatch": self._play}
        return self

    def update(self, version: int) -> Update:
        made = Update(
            version=version, seat=0 if version == 1 else 2 - version % 2, cause=CAUSE_SET_UP if version == 1 else (CAUSE_BOT if version % 2 else CAUSE_PERSON)
        )
        if version % 2 and version < self.last:
            made.decisions_opened.add(decision_id=version, seat=1)
        elif not version % 2:
            made.decisions_closed.add(decision_id=version - 1, seat=1)
        return made

    def _point(self, *now: Any) -> None:
        self.points += 1
        if self.points in self._breaks:
            self._breaks[self.points](*now)

    # ---- watching

    def _watch(self, *call: Any) -> Iterator[WatchMatchResponse]:
        request = call[2]
        since = request.since_version if request.HasField("since_version") else None
        self.opened_since.append(since)
        self._point(*call)
        if since is None:
            since = 1
            first = WatchMatchResponse(version=1)
            first.match.version = 1
            yield first
            self._point(*call)
        yield WatchMatchResponse(version=since)  # a heartbeat
        for version in range(since + 1, self.last + 1):
            self._point(*call)
            step = WatchMatchResponse(version=version, update=self.update(version))
            if version == self.last:
                step.outcome.reason = "DONE"
            yield step
        self._point(*call)

    # ---- playing

    def _play(self, *call: Any) -> Iterator[PlayMatchResponse]:
        inbox: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=_receive, args=(call[2], inbox), daemon=True).start()
        opened = inbox.get().open
        self.opened_since.append(opened.since_version)
        sent, asked = opened.since_version, 0
        while True:
            for version in range(sent + 1, self.version + 1):
                self._point(*call)
                yield PlayMatchResponse(updates=[self.update(version)])
            sent = self.version
            self._point(*call)
            if sent >= self.last:
                end = PlayMatchResponse()
                end.end.status, end.end.outcome.reason = MATCH_STATUS_FINISHED, "DONE"
                yield end
                return
            if sent != asked:
                asked = sent
                yield _question(asked)
            yield PlayMatchResponse()  # a heartbeat
            got = inbox.get()
            if got is None:
                return
            self._point(*call)
            verdict = PlayMatchResponse(verdict=self._apply(got.move))
            self._point(*call)
            if not self._verdict_first:
                for version in range(sent + 1, self.version + 1):
                    yield PlayMatchResponse(updates=[self.update(version)])
                sent = self.version
                self._point(*call)
            yield verdict

    def _apply(self, move: PlayMove) -> Any:
        verdict = PlayMatchResponse().verdict
        verdict.decision_id, verdict.request_id = move.decision_id, move.request_id
        if move.request_id not in self.applied:
            if move.decision_id != self.version:
                verdict.refusal.code, verdict.refusal.reason = grpc.StatusCode.ABORTED.value[0], "DECISION_CLOSED"
                return verdict
            self.applied[move.request_id] = self.version + 1
            self.version += 2
        verdict.applied_version = self.applied[move.request_id]
        return verdict


def _question(decision_id: int) -> PlayMatchResponse:
    made = PlayMatchResponse()
    made.question.version = made.question.decision.decision_id = decision_id
    made.question.decision.seat = 1
    made.question.legal_moves.append(LegalMove(move_id="a"))
    return made


def _receive(requests: Any, inbox: "queue.Queue[Any]") -> None:
    try:
        for request in requests:
            inbox.put(request)
    except Exception:  # noqa: BLE001 - the stream is gone
        pass
    inbox.put(None)
