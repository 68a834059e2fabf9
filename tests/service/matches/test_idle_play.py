"""A stream of PlayMatch on which nothing happens."""

import asyncio
from typing import Any

from service import messages
from service.api.context import Call, Context
from service.api.playing import Playing
from service.private_redis import PrivateRedis
from service.telemetry.metrics import Metrics
from tests.service.matches.test_watching import Place
from tests.service.matches.workers import Start, credential

BEATS = 6


async def test_a_seat_that_thinks_for_long_costs_a_look_a_heartbeat_and_the_match_is_not_read_again(
    start: Start, redis_server: PrivateRedis, key_prefix: str
) -> None:
    match = await (await start()).create()
    here = await Place(redis_server.url, key_prefix, heartbeat=0.2).open()
    (held,) = match.record.decisions
    watch, _ = await here.hub.watch(match.record.match_id, credential(match, held.seat), held.seat, 0)
    said: list[messages.PlayMatchResponse] = []
    is_enough = asyncio.Event()

    async def receive() -> Any:
        await is_enough.wait()

    async def send(message: messages.PlayMatchResponse) -> None:
        if said and not message.question:
            if len(said) == 1:
                here.read.clear()
            if len(said) == BEATS:
                is_enough.set()
        said.append(message)

    context = Context(Call("", "", "a-call", "grpc"))
    await Playing(here.worker.repository, here.worker.continuing, Metrics(), context, watch, receive, send, with_view=True).play()
    here.hub.leave(watch)
    await here.close()
    assert [bool(message.question) for message in said] == [True] + [False] * BEATS
    assert set(here.read) == {"revision"}
    assert len(here.read) <= BEATS
