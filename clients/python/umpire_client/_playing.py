"""How a bot plays a match: one call a move, since each answer brings the seat's next decision."""

import inspect
import random

from umpire.v1.game_pb2 import Move, View
from umpire.v1.match_pb2 import MATCH_STATUS_ABANDONED, Decision, LegalMove, Outcome, Update
from umpire.v1.match_service_pb2 import ApplyMoveResponse
from umpire_client._match import Asking, Choice, shown
from umpire_client._steps import Await, Steps
from umpire_client.bot import Bot, Position
from umpire_client.errors import DecisionClosed, MatchAbandoned, MatchFinished, NoOpenDecision


def playing(bot: Bot, asking: Asking) -> Steps[Outcome]:
    """Play a seat to the end of its match; returns the outcome."""
    return (yield from _Play(bot, asking).to_the_end())


class _Play:
    """One run of a bot through a match: where it stands, and what has happened since the bot last chose."""

    def __init__(self, bot: Bot, asking: Asking) -> None:
        self._bot = bot
        self._asking = asking
        self._rng = random.Random(bot.seed)  # noqa: S311  no secret
        self._seen = 0
        self._updates: list[Update] = []
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
            move = yield from self._choice(self._decision)
            try:
                answer = yield from self._asking.apply(move, decision_id, None, omit_view=not self._bot.needs_view, omit_legal_moves=False)
            except (DecisionClosed, NoOpenDecision, MatchFinished):
                self._decision = None  # the match went on without this seat: by its default move, or by another that plays it too
                continue
            yield from self._follow(answer)
            if answer.HasField("outcome"):
                return answer.outcome

    def _choice(self, decision: Decision) -> Steps[Choice]:
        if self._bot.answers_single_moves and len(self._legal_moves) == 1:
            return self._legal_moves[0]
        updates, self._updates = tuple(self._updates), []
        match_id, legal_moves = self._asking.match_id, tuple(self._legal_moves)
        chosen = self._bot.choose(Position(match_id, decision.seat, self._version, decision, legal_moves, self._view, updates, self._rng))
        if inspect.isawaitable(chosen):
            chosen = yield Await(chosen)
        if not isinstance(chosen, LegalMove | Move | str):
            raise TypeError(f"choose() must return a legal move, a move id or a Move, not {shown(chosen)}")
        return chosen

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
                raise MatchAbandoned(f"match {self._asking.match_id} was abandoned")
            return match.outcome if match.HasField("outcome") else None
        if self._bot.needs_view:
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
        if known != list(range(self._seen + 1, version + 1)):
            updates, since = [], self._seen
            while True:
                page, since = yield from self._asking.page_of_events(since)
                updates += page
                if not since or since >= version:
                    break
        self._updates += [update for update in updates if self._seen < update.version <= version]
        self._seen = version
