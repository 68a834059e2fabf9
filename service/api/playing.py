"""One stream of PlayMatch: moves come and get their verdicts, steps and questions go."""

import asyncio

from msgspec import UNSET

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
        watch, send = self._watch, self._send
        while True:
            watch.check()
            if self._inbox is not None:
                got, self._inbox = self._inbox, None
                self._has_room.set()
                await self._answer(got)
            while watch.is_behind:
                for version, entry in await watch.steps():
                    if version > watch.begun:
                        self._metrics.update_lagged((self._repository.now(watch.watched.match_id) - entry.time) / 1_000)
                    await send(messages.PlayMatchResponse(update=present.present_update(version, entry, watch.viewer)))
                    self._metrics.update_sent()
                    self._context.version = version
            await self._ask()
            if self._inbox is not None or watch.is_behind:
                continue
            if watch.is_over:
                record = (match := await watch.match()).record
                await send(messages.PlayMatchResponse(end=messages.PlayEnd(status=record.status, outcome=present.present_outcome(match))))
                return
            if self._is_closed:
                return
            await watch.wait()
            if watch.beat():
                await send(messages.PlayMatchResponse())

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

    async def _ask(self) -> None:
        """Ask the seat, once a decision, as soon as all steps up to it were sent."""
        watch = self._watch
        if watch.is_behind or watch.watched.is_over:
            return
        match = await watch.match()
        decision_id = match.decision_id(watch.viewer)
        if decision_id is None or decision_id == self._asked or match.record.version != watch.version:
            return
        decision = present.present_own_decision(match, watch.viewer)
        if decision is None:
            return
        self._asked = decision_id
        question = messages.PlayQuestion(
            version=match.record.version,
            decision=decision,
            legal_moves=present.present_legal_moves(match, watch.viewer),
            view=match.view(watch.viewer) if self._with_view else None,
        )
        await self._send(messages.PlayMatchResponse(question=question))

    async def _answer(self, got: messages.PlayMatchRequest | Exception) -> None:
        if isinstance(got, InvalidRequest) and any(violation.field.partition(".")[0] == _MOVE for violation in got.field_violations):
            await self._refuse(0, "", got)
            return
        if isinstance(got, Exception):
            raise got
        move = got.move
        if move is None:
            raise InvalidRequest((_MOVE, "must be in every message after the first"))
        try:
            applied = await self._apply(move)
        except (Unauthenticated, NotFound) as error:
            await self._refuse(move.decision_id, move.request_id, error)
            raise
        except ApiError as error:
            await self._refuse(move.decision_id, move.request_id, error)
        except StoreUnavailable as error:
            refusal = Unavailable("STORE_UNAVAILABLE", f"the store does not answer; applied: {error.applied.value}", error.applied.value)
            await self._refuse(move.decision_id, move.request_id, refusal)
        else:
            verdict = messages.PlayVerdict(decision_id=move.decision_id, request_id=move.request_id, applied_version=applied, refusal=None)
            await self._send(messages.PlayMatchResponse(verdict=verdict))

    async def _apply(self, move: messages.PlayMove) -> int:
        given = [one for one in (move.move, move.move_id) if one is not None and one is not UNSET]
        shape.refuse(
            shape.unless(len(given) == 1, "move.move", "exactly one of move and move_id is required"),
            shape.identifier("move.request_id", move.request_id),
        )
        watch = self._watch
        wanted = moves.Wanted(watch.watched.match_id, watch.viewer, move.decision_id, given[0], move.request_id)
        verdict = await moves.apply_move(self._repository, watch.credential, wanted)
        self._continuing.look_at(verdict.match)
        return verdict.applied_version

    async def _refuse(self, decision_id: int, request_id: str, error: ApiError) -> None:
        violation = None
        if isinstance(error, IllegalMove):
            told = error.metadata
            violation = messages.Violation(code=told["code"], rule=told["rule"], message=error.message, field=told.get("field", ""))
        refusal = messages.PlayRefusal(code=error.code.number, reason=error.reason, message=error.message, violation=violation)
        self._metrics.move_refused(error.reason)
        verdict = messages.PlayVerdict(decision_id=decision_id, request_id=request_id, applied_version=0, refusal=refusal)
        await self._send(messages.PlayMatchResponse(verdict=verdict))
