"""A stream whose seat is given anew: whoever had it hears that it is over, and nothing that its new holder knows."""

import asyncio
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from service import messages
from service.api.context import Call, Context
from service.api.live_api import LiveApi
from service.api.playing import Playing
from service.credentials import Credential, Role
from service.errors import NotFound, Unauthenticated
from service.matches.match import Match
from service.matches.record import nothing_dealt
from service.matches.seats import claim_seat, renew_invite
from service.matches.watching import Watch
from service.private_redis import PrivateRedis
from service.telemetry.metrics import Metrics
from tests.service.matches.test_watching import Deaf, Place
from tests.service.matches.workers import Start, Worker, credential, until


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


async def test_nor_where_the_seat_is_given_anew_while_its_caller_makes_no_room_for_the_first_message(redis_server: PrivateRedis, key_prefix: str) -> None:
    here = await Place(redis_server.url, key_prefix).open()
    match = await here.worker.create()
    (held,) = match.record.decisions
    said: list[messages.WatchMatchResponse] = []

    async def send(message: messages.WatchMatchResponse) -> None:
        said.append(message)
        if len(said) == 1:
            await given_anew_and_played(here.worker, match, held.seat)

    context = Context(Call("", "", "a-call", "grpc"), credential(match, held.seat))
    watching = LiveApi(here.hub, here.worker.repository, here.worker.continuing, Metrics(), 20.0)
    with pytest.raises(Unauthenticated):
        await watching.watch_match(context, messages.WatchMatchRequest(match.record.match_id, seat=held.seat, since_version=UNSET, with_view=True), send)
    await here.close()
    assert [message.version for message in said] == [1]


async def test_a_watch_of_a_match_that_is_made_again_under_its_id_meanwhile_shows_nothing_of_the_new_one(redis_server: PrivateRedis, key_prefix: str) -> None:
    here = await Place(redis_server.url, key_prefix).open()
    match = await here.worker.create()
    match_id = match.record.match_id
    watch = await here.watch(match, 0, seat=1)
    (first,) = await watch.steps()
    await here.worker.store.delete(match_id)
    again = msgspec.structs.replace(match.record, nonce=match.record.nonce ^ 1, seed=b"\x22" * 32, **nothing_dealt())
    made = Match(again, match.hosted, match.engine)
    made.deal(match.record.created + 1)
    assert await here.worker.repository.create(made)
    await until(lambda: is_over(watch))
    assert watch.watched.version == first[0]
    with pytest.raises(NotFound):
        await watch.match()
    assert await watch.steps() == []
    here.hub.leave(watch)
    await here.close()


async def is_over(watch: Watch) -> bool:
    return watch.watched.failure is not None


async def given_anew_and_played(worker: Worker, match: Match, seat: int) -> None:
    """Have a seat that is asked taken over by another person, who draws a card."""
    match_id, origin = match.record.match_id, match.record.origin
    renewed, generation = await renew_invite(worker.repository, Credential(match_id, Role.CREATOR, {}, origin, 2**40), match_id, seat)
    await claim_seat(worker.repository, Credential(match_id, Role.INVITE, {seat: generation}, origin, 2**40), "", "", "")
    await worker.apply(renewed)
