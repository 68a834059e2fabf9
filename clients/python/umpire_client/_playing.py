"""How a bot plays a match: over a stream, or, where the server knows none, with one call a move, since each answer brings the seat's next decision."""

from umpire.v1.game_pb2 import View
from umpire.v1.match_pb2 import MATCH_STATUS_ABANDONED, Decision, LegalMove, Outcome, Update
from umpire.v1.match_service_pb2 import ApplyMoveResponse
from umpire_client._course import Course, abandoned
from umpire_client._match import Asking
from umpire_client._rpcs import PLAY_MATCH
from umpire_client._steps import Steps
from umpire_client._streamed_play import StreamedPlay
from umpire_client.bot import Bot
from umpire_client.errors import DecisionClosed, MatchFinished, NoOpenDecision, Unimplemented


def playing(bot: Bot, asking: Asking) -> Steps[Outcome]:
    """Play a seat to the end of its match; returns the outcome."""
    course = Course(bot, asking)
    if not asking.caller.lacks(PLAY_MATCH):
        try:
            outcome = yield from StreamedPlay(course, asking).to_the_end()
        except Unimplemented:
            asking.caller.note_lack(PLAY_MATCH)
        else:
            if outcome is not None:
                return outcome
    return (yield from _CalledPlay(course, asking).to_the_end())


class _CalledPlay:
    """Plays on with one call a move."""

    def __init__(self, course: Course, asking: Asking) -> None:
        self._course = course
        self._asking = asking
        self._version = 0
        self._decision: Decision | None = None
        self._legal_moves: list[LegalMove] = []
        self._view = View()

    def to_the_end(self) -> Steps[Outcome]:
        while True:
            if self._decision is None:
                outcome = yield from self._look()
                if outcome is not None:
                    return outcome
                continue
            decision_id = self._decision.decision_id
            move = yield from self._course.choose(self._version, self._decision, self._legal_moves, self._view)
            try:
                answer = yield from self._asking.apply(move, decision_id, None, omit_view=not self._course.bot.needs_view, omit_legal_moves=False)
            except (DecisionClosed, NoOpenDecision, MatchFinished):
                self._decision = None  # the match went on without this seat: by its default move, or by another that plays it too
                continue
            yield from self._follow(answer)
            if answer.HasField("outcome"):
                return answer.outcome

    def _follow(self, answer: ApplyMoveResponse) -> Steps[None]:
        yield from self._catch_up(answer.version, list(answer.updates))
        self._version, self._view, self._legal_moves = answer.version, answer.view, list(answer.legal_moves)
        self._decision = answer.decision if answer.HasField("decision") else None

    def _look(self) -> Steps[Outcome | None]:
        """Wait until this seat is asked; returns the outcome if instead the match is over."""
        asked = yield from self._asking.wait()
        if not asked.HasField("decision"):
            match = yield from self._asking.get(omit_view=True)
            if match.status == MATCH_STATUS_ABANDONED:
                raise abandoned(self._asking)
            return match.outcome if match.HasField("outcome") else None
        if self._course.bot.needs_view:
            match = yield from self._asking.get(omit_view=False)
            if match.version != asked.version:
                return None  # another seat has moved between the two: look again
            self._view = match.view
        yield from self._catch_up(asked.version, [])
        self._version, self._legal_moves, self._decision = asked.version, list(asked.legal_moves), asked.decision
        return None

    def _catch_up(self, version: int, updates: list[Update]) -> Steps[None]:
        """Note all steps up to ``version``: those at hand, or, if they leave a gap, those of the history."""
        known = [update.version for update in updates]
        if known != list(range(self._course.seen + 1, version + 1)):
            updates, since = [], self._course.seen
            while True:
                page, since = yield from self._asking.page_of_events(since)
                updates += page
                if not since or since >= version:
                    break
        for update in updates:
            if update.version <= version:
                self._course.note(update)
