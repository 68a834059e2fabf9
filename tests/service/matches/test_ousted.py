"""A stream whose seat is given anew: whoever had it hears that it is over, and nothing that its new holder knows."""

import asyncio
from typing import Any

import pytest

from service import messages
from service.api.context import Call, Context
from service.api.playing import Playing
from service.credentials import Credential, Role
from service.errors import Unauthenticated
from service.matches.match import Match
from service.matches.seats import claim_seat, renew_invite
from service.matches.watching import Watch
from service.private_redis import PrivateRedis
from service.telemetry.metrics import Metrics
from tests.service.matches.test_watching import Deaf, Place
from tests.service.matches.workers import Start, Worker, credential


async def test_it_hears_nothing_more_where_that_becomes_known_while_a_move_is_judged(start: Start, redis_server: PrivateRedis, key_prefix: str) -> None:
    other = await start()
    here = await Place(redis_server.url, key_prefix, notices=Deaf()).open()
    match = await here.worker.create()
    (held,) = match.record.decisions
    match_id, seat = match.record.match_id, held.seat
    watch, _ = await here.hub.watch(match_id, credential(match, seat), seat, match.record.version)

    said: list[messages.PlayMatchResponse] = []
    asked = asyncio.Event()
    moves = [messages.PlayMatchRequest(move=messages.PlayMove(decision_id=held.decision_id, move_id="draw"))]

    async def receive() -> Any:
        await asked.wait()
        if not moves:
            return None
        await given_anew_and_played(other, match, seat)
        notice_comes_while_the_match_is_read(here, watch)
        return moves.pop()

    async def send(message: messages.PlayMatchResponse) -> None:
        said.append(message)
        asked.set()

    context = Context(Call("", "", "a-call", "grpc"))
    with pytest.raises(Unauthenticated):
        await Playing(here.worker.repository, here.worker.continuing, Metrics(), context, watch, receive, send, with_view=True).play()
    here.hub.leave(watch)
    await here.close()
    question, told = said
    assert question.question is not None
    assert told.verdict is not None
    assert told.verdict.refusal is not None
    assert told.verdict.refusal.reason == "CREDENTIAL_INVALID"
    assert (told.updates, told.question, told.end) == ((), None, None)


def notice_comes_while_the_match_is_read(here: Place, watch: Watch) -> None:
    really = here.worker.store.load

    async def load(match_id: str) -> Any:
        here.worker.store.load = really  # type: ignore[method-assign]
        here.hub._changed(match_id, 0)
        async with asyncio.timeout(20):
            while watch.failure is None:  # noqa: ASYNC110 - what is waited for happens elsewhere
                await asyncio.sleep(0.01)
        return await really(match_id)

    here.worker.store.load = load  # type: ignore[method-assign]


async def test_a_watch_hands_out_nothing_where_the_seat_is_given_anew_while_the_steps_are_read(
    start: Start, redis_server: PrivateRedis, key_prefix: str
) -> None:
    other = await start()
    here = await Place(redis_server.url, key_prefix, notices=Deaf()).open()
    match = await here.worker.create()
    (held,) = match.record.decisions
    watch = await here.watch(match, 0, seat=held.seat)
    really = here.worker.store.revision

    async def revision(match_id: str) -> int | None:
        here.worker.store.revision = really  # type: ignore[method-assign]
        await given_anew_and_played(other, match, held.seat)
        return await really(match_id)

    here.worker.store.revision = revision  # type: ignore[method-assign]
    handed_out = await watch.steps()
    with pytest.raises(Unauthenticated):
        watch.check()
    here.hub.leave(watch)
    await here.close()
    assert handed_out == []


async def given_anew_and_played(worker: Worker, match: Match, seat: int) -> None:
    """Have a seat that is asked taken over by another person, who draws a card."""
    match_id, origin = match.record.match_id, match.record.origin
    renewed, generation = await renew_invite(worker.repository, Credential(match_id, Role.CREATOR, {}, origin, 2**40), match_id, seat)
    await claim_seat(worker.repository, Credential(match_id, Role.INVITE, {seat: generation}, origin, 2**40), "", "", "")
    await worker.apply(renewed)
