"""How a bot plays a match over PlayMatch: updates and questions come, moves go, over as many streams as it takes."""

from umpire.v1.match_pb2 import Outcome
from umpire.v1.match_service_pb2 import PlayEnd, PlayMatchRequest, PlayMatchResponse, PlayMove, PlayQuestion, PlayVerdict
from umpire_client._calling import Resuming, new_request_id
from umpire_client._course import Course, abandoned
from umpire_client._match import Asking, put_move
from umpire_client._status import refusal_of
from umpire_client._steps import Read, Steps, Stream, Write
from umpire_client.errors import DecisionClosed, MatchFinished, NoOpenDecision, UmpireError, Unavailable


class StreamedPlay:
    """Plays a seat over streams.

    A move stays ``unsettled`` until its verdict comes, or a step that closes its decision. If the stream breaks before that, nobody knows whether it was
    applied: the next stream brings the steps that were missed, and, if the decision is still open, the question again; then the same move goes again with the
    same request_id, so that it is not played twice whatever has become of the first.
    """

    def __init__(self, course: Course, asking: Asking) -> None:
        self._course = course
        self._asking = asking
        self._resuming = Resuming(asking.caller.policy)
        self._stream: Stream | None = None
        self._unsettled: PlayMove | None = None
        self._on_its_way = False
        self._refusals = Resuming(asking.caller.policy)

    def to_the_end(self) -> Steps[Outcome | None]:
        """Play to the end; None if the stream has ended and has not said how the match did.

        Raises:
            MatchAbandoned: the match has no outcome.
            Unimplemented: the server has no streams.
        """
        try:
            while True:
                try:
                    message = yield from self._next()
                except UmpireError as error:
                    self._give_up_stream()
                    if self._unsettled is not None and isinstance(error, Unavailable):
                        error.request_id = self._unsettled.request_id
                    yield from self._resuming.pause(error)
                    continue
                if message is None:
                    return None
                self._resuming.progress()
                if message.HasField("verdict"):
                    yield from self._hear(message.verdict)
                for update in message.updates:
                    self._course.note(update)
                    if any(closed.decision_id == self._unsettled_decision for closed in update.decisions_closed):
                        self._settle()
                if message.HasField("question"):
                    yield from self._answer(message.question)
                if message.HasField("end"):
                    return self._outcome(message.end)
        finally:
            self._give_up_stream()

    def _next(self) -> Steps[PlayMatchResponse | None]:
        if self._stream is None:
            self._stream = yield from self._asking.open_play()
            opening = self._asking.play_open(self._course.seen, omit_view=not self._course.bot.needs_view)
            yield Write(self._stream, PlayMatchRequest(open=opening))
        message: PlayMatchResponse | None = yield Read(self._stream)
        return message

    def _give_up_stream(self) -> None:
        if self._stream is not None:
            self._stream.cancel()
            self._stream = None
        self._on_its_way = False

    # ---- questions and moves

    @property
    def _unsettled_decision(self) -> int | None:
        return None if self._unsettled is None else self._unsettled.decision_id

    def _settle(self) -> None:
        self._unsettled, self._on_its_way = None, False
        self._refusals.progress()

    def _answer(self, question: PlayQuestion) -> Steps[None]:
        decision = question.decision
        if decision.decision_id != self._unsettled_decision:
            self._settle()  # the match went on without what was unsettled
            chosen = yield from self._course.choose(question.version, decision, question.legal_moves, question.view)
            self._unsettled = PlayMove(decision_id=decision.decision_id, request_id=new_request_id())
            put_move(self._unsettled, chosen)
        if not self._on_its_way:
            yield from self._send(self._unsettled)

    def _send(self, move: PlayMove | None) -> Steps[None]:
        if self._stream is not None and move is not None:
            self._on_its_way = True
            yield Write(self._stream, PlayMatchRequest(move=move))

    def _hear(self, verdict: PlayVerdict) -> Steps[None]:
        # One move is under way at a time; of one that cannot be read the verdict has no request_id.
        if self._unsettled is None or verdict.request_id not in {"", self._unsettled.request_id}:
            return  # of a move that is settled
        if not verdict.HasField("refusal"):
            return self._settle()
        error = refusal_of(verdict.refusal)
        match error:
            case DecisionClosed() | NoOpenDecision() | MatchFinished():
                self._settle()  # the match went on without this seat; what comes next says how
            case Unavailable():
                error.request_id = self._unsettled.request_id
                yield from self._refusals.pause(error)
                yield from self._send(self._unsettled)
            case _:
                raise error

    def _outcome(self, end: PlayEnd) -> Outcome:
        if end.HasField("outcome"):
            return end.outcome
        raise abandoned(self._asking)
