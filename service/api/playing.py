"""One stream of PlayMatch: moves come and get their verdicts, steps and questions go."""

import asyncio

from service import messages
from service.api import shape
from service.api.context import Context, Receive, Send
from service.errors import ApiError, IllegalMove, InvalidRequest, NotFound, Unauthenticated, Unavailable
from service.matches import moves, present
from service.matches.continuing import Continuing
from service.matches.repository import Repository
from service.matches.watching import Watch
from service.store import StoreUnavailable
from service.telemetry.metrics import Metrics

_MOVE = "move"
_WITHIN = f"{_MOVE}."


class Playing:
    """A seat that plays over a stream. One task does everything but receiving, so verdicts, steps and questions come in one order."""

    def __init__(
        self, repository: Repository, continuing: Continuing, metrics: Metrics, context: Context, watch: Watch, receive: Receive, send: Send, *, with_view: bool
    ) -> None:
        self._repository = repository
        self._continuing = continuing
        self._metrics = metrics
        self._context = context
        self._watch = watch
        self._receive = receive
        self._send = send
        self._with_view = with_view
        self._asked = 0
        self._looked_at: int | None = None
        self._inbox: messages.PlayMatchRequest | Exception | None = None
        self._has_room = asyncio.Event()
        self._is_closed = False

    async def play(self) -> None:
        """Go on until the match is over or the caller has said its last.

        Raises:
            ApiError: what ends the stream besides.
        """
        receiving = asyncio.create_task(self._receive_on(), name="receive moves")
        try:
            await self._go_on()
        finally:
            receiving.cancel()

    async def _go_on(self) -> None:
        watch = self._watch
        while True:
            watch.check()
            verdict, failure = await self._verdict()
            if failure is not None:  # the seat may be another's now: nothing more is said than that
                await self._send(messages.PlayMatchResponse(verdict))
                raise failure
            updates = await self._updates() if watch.is_behind else ()
            question = await self._question()
            end = await self._end()
            if verdict is not None or updates or question is not None or end is not None:
                await self._send(messages.PlayMatchResponse(verdict, updates, question, end))
            if end is not None:
                return
            if self._inbox is not None or watch.is_behind:
                continue
            if self._is_closed:
                return
            await watch.wait()
            if watch.beat():
                await self._send(messages.PlayMatchResponse())

    async def _receive_on(self) -> None:
        """Take in the caller's messages one at a time: what it sends faster waits with the caller."""
        while True:
            got: messages.PlayMatchRequest | Exception | None
            try:
                got = await self._receive()
            except Exception as error:  # noqa: BLE001 - the task that plays raises it
                got = error
            self._inbox = got
            self._is_closed = got is None
            self._has_room.clear()
            self._watch.ring()
            if got is None:
                return
            await self._has_room.wait()

    # ---- what there is to say

    async def _verdict(self) -> tuple[messages.PlayVerdict | None, Exception | None]:
        """Judge what has come in, if anything has; the second is what ends the stream once the first was said."""
        if self._inbox is None:
            return None, None
        got, self._inbox = self._inbox, None
        self._has_room.set()
        if isinstance(got, InvalidRequest) and any(violation.field.partition(".")[0] == _MOVE for violation in got.field_violations):
            return self._refusal(0, "", _as_of_apply_move(got)), None
        if isinstance(got, Exception):
            raise got
        move = got.move
        if move is None:
            raise InvalidRequest((_MOVE, "must be in every message after the first"))
        try:
            applied = await self._apply(move)
        except (Unauthenticated, NotFound) as error:
            return self._refusal(move.decision_id, move.request_id, error), error
        except ApiError as error:
            return self._refusal(move.decision_id, move.request_id, error), None
        except StoreUnavailable as error:
            refusal = Unavailable("STORE_UNAVAILABLE", f"the store does not answer; applied: {error.applied.value}", error.applied.value)
            return self._refusal(move.decision_id, move.request_id, refusal), None
        return messages.PlayVerdict(decision_id=move.decision_id, request_id=move.request_id, applied_version=applied, refusal=None), None

    async def _updates(self) -> tuple[messages.Update, ...]:
        """Return the next steps, not too many at a time."""
        watch = self._watch
        steps = await watch.steps()
        for version, entry in steps:
            if version > watch.begun:
                self._metrics.update_lagged((self._repository.now(watch.watched.match_id) - entry.time) / 1_000)
            self._metrics.update_sent()
        self._context.version = watch.version
        return present.present_updates(steps, watch.viewer)

    async def _question(self) -> messages.PlayQuestion | None:
        """Ask the seat, once a decision, as soon as all steps up to it are said."""
        watch = self._watch
        if watch.is_behind or watch.watched.is_over or watch.version == self._looked_at:  # only a step changes who is asked
            return None
        match = await watch.match()
        if match.record.version != watch.version:
            return None
        self._looked_at = watch.version
        decision_id = match.decision_id(watch.viewer)
        if decision_id is None or decision_id == self._asked:
            return None
        decision = present.present_own_decision(match, watch.viewer)
        if decision is None:
            return None
        self._asked = decision_id
        return messages.PlayQuestion(
            version=match.record.version,
            decision=decision,
            legal_moves=present.present_legal_moves(match, watch.viewer),
            view=match.view(watch.viewer) if self._with_view else None,
        )

    async def _end(self) -> messages.PlayEnd | None:
        """Say how the match has ended, once all steps are said and no move waits for its verdict."""
        if not self._watch.is_over or self._inbox is not None:
            return None
        match = await self._watch.match()
        return messages.PlayEnd(status=match.record.status, outcome=present.present_outcome(match))

    def _refusal(self, decision_id: int, request_id: str, error: ApiError) -> messages.PlayVerdict:
        violation = None
        if isinstance(error, IllegalMove):
            told = error.metadata
            violation = messages.Violation(code=told["code"], rule=told["rule"], message=error.message, field=told.get("field", ""))
        refusal = messages.PlayRefusal(code=error.code.number, reason=error.reason, message=error.message, violation=violation)
        self._metrics.move_refused(error.reason)
        return messages.PlayVerdict(decision_id=decision_id, request_id=request_id, applied_version=0, refusal=refusal)

    async def _apply(self, move: messages.PlayMove) -> int:
        watch, given = self._watch, shape.given_move(move)
        wanted = moves.Wanted(watch.watched.match_id, watch.viewer, move.decision_id, given, move.request_id)
        verdict = await moves.apply_move(self._repository, watch.credential, wanted)
        self._continuing.look_at(verdict.match)
        return verdict.applied_version


def _as_of_apply_move(refused: InvalidRequest) -> InvalidRequest:
    """Name the bad fields of a move as ApplyMove's request has them."""
    return InvalidRequest(*((violation.field.removeprefix(_WITHIN), violation.description) for violation in refused.field_violations))
