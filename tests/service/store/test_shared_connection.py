"""The shared connection: replies find their callers, and a lost connection harms nobody longer than it must."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import ConnectionPool
from redis.exceptions import ResponseError

from service.private_redis import PrivateRedis
from service.store import Applied, StoreUnavailable
from service.store.shared_connection import SharedConnection
from tests.service.store.scripted_redis import ScriptedRedis

ANSWER_S = 0.25
CONNECT_S = 0.2
PATIENCE_S = 5  # what a busy machine may add


def connection(url: str, connect_timeout: float = CONNECT_S) -> SharedConnection:
    pool = ConnectionPool.from_url(url, socket_timeout=ANSWER_S, retry=None)
    return SharedConnection(pool.make_connection, answer_timeout=ANSWER_S, connect_timeout=connect_timeout)


@pytest.fixture
async def shared(redis_server: PrivateRedis) -> AsyncIterator[SharedConnection]:
    made = connection(redis_server.url, connect_timeout=PATIENCE_S)
    yield made
    await made.close()


async def fate(shared: SharedConnection, *command: object) -> object:
    """The reply, or what is known of a command without one."""
    try:
        return await shared.run(*command)
    except StoreUnavailable as error:
        return error.applied


async def test_all_callers_share_one_connection(shared: SharedConnection) -> None:
    assert len(set(await asyncio.gather(*(shared.run("CLIENT", "ID") for _ in range(50))))) == 1


async def test_callers_that_give_up_do_not_disturb_the_order_of_replies(shared: SharedConnection) -> None:
    chance = random.Random(7)
    calls: list[asyncio.Task[bytes]] = []
    given_up = set()
    for number in range(600):
        calls.append(asyncio.create_task(shared.run("ECHO", b"%d" % number)))
        if chance.random() < 0.3:
            victim = max(0, number - chance.randrange(8))
            if calls[victim].cancel():
                given_up.add(victim)
        if chance.random() < 0.3:
            await asyncio.sleep(chance.choice((0, 0, 0.0005)))
    replies = await asyncio.gather(*calls, return_exceptions=True)
    assert len(given_up) > 50
    assert [reply for place, reply in enumerate(replies) if place not in given_up] == [b"%d" % n for n in range(600) if n not in given_up]
    assert all(isinstance(replies[place], asyncio.CancelledError) for place in given_up)


async def test_a_refusal_reaches_its_own_caller_only(shared: SharedConnection) -> None:
    replies = await asyncio.gather(
        shared.run("ECHO", "a"), shared.run("EVAL", "return redis.error_reply('NO way')", 0), shared.run("ECHO", "b"), return_exceptions=True
    )
    assert (replies[0], replies[2]) == (b"a", b"b")
    assert isinstance(replies[1], ResponseError)


async def test_what_redis_pushes_unasked_is_nobodys_reply(tmp_path: Path) -> None:
    pushed = b">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n"
    async with ScriptedRedis(tmp_path, lambda command: pushed + b"$1\r\n" + command[1] + b"\r\n" + pushed) as scripted:
        shared = connection(scripted.url)
        texts = [b"%d" % number for number in range(9)]
        assert await asyncio.gather(*(shared.run("ECHO", text) for text in texts)) == texts
        assert scripted.connections == 1
        await shared.close()


async def test_an_error_that_is_none_of_redis_ends_the_connection(tmp_path: Path) -> None:
    async with ScriptedRedis(tmp_path, lambda _: b"-MOVED\r\n") as scripted:
        shared = connection(scripted.url)
        assert await fate(shared, "GET", "a") is Applied.UNKNOWN
        await shared.close()


async def test_large_commands_and_replies_pass(shared: SharedConnection) -> None:
    texts = [bytes([65 + n]) * (300_000 + n) for n in range(8)]
    assert await asyncio.gather(*(shared.run("ECHO", text) for text in texts)) == texts


async def test_an_idle_connection_is_kept(shared: SharedConnection) -> None:
    before = await shared.run("CLIENT", "ID")
    await asyncio.sleep(2 * ANSWER_S)
    assert await shared.run("CLIENT", "ID") == before


async def test_when_the_oldest_caller_has_waited_too_long_all_are_told_and_a_new_connection_is_made(shared: SharedConnection) -> None:
    await shared.run("PING")
    started = time.monotonic()
    blocked = asyncio.create_task(fate(shared, "BLPOP", "nothing", 5))
    await asyncio.sleep(0.1)
    behind = asyncio.create_task(fate(shared, "ECHO", "a"))
    assert (await blocked, await behind) == (Applied.UNKNOWN, Applied.UNKNOWN)
    assert 0.9 * ANSWER_S < time.monotonic() - started < ANSWER_S + PATIENCE_S  # uvloop counts whole milliseconds
    assert await shared.run("ECHO", "b") == b"b"


async def test_what_was_not_written_yet_was_not_applied(shared: SharedConnection) -> None:
    await shared.run("PING")
    sent = asyncio.create_task(fate(shared, "BLPOP", "nothing", 5))
    await asyncio.sleep(0.05)
    unsent = asyncio.create_task(fate(shared, "ECHO", "a"))
    await asyncio.sleep(0)  # it has handed its command over, which is written in the next turn of the loop
    assert shared._link is not None
    shared._link.lose("pulled")
    assert (await sent, await unsent) == (Applied.UNKNOWN, Applied.NO)


async def test_a_loop_that_was_held_up_does_not_blame_redis(shared: SharedConnection) -> None:
    await shared.run("PING")
    call = asyncio.create_task(shared.run("ECHO", "a"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    time.sleep(2 * ANSWER_S)  # noqa: ASYNC251 - that is the point
    assert await call == b"a"


async def test_one_attempt_to_connect_serves_all_and_fails_in_time(tmp_path: Path) -> None:
    async with ScriptedRedis(tmp_path, lambda _: None, greets=False) as silent:
        shared = connection(silent.url)
        started = time.monotonic()
        assert set(await asyncio.gather(*(fate(shared, "PING") for _ in range(20)))) == {Applied.NO}
        assert time.monotonic() - started < CONNECT_S + PATIENCE_S
        assert silent.connections == 1
        await shared.close()


async def test_a_hung_up_connection_is_unknown_for_those_in_flight_and_made_anew(tmp_path: Path) -> None:
    async with ScriptedRedis(tmp_path, lambda command: b"+PONG\r\n" if command[0] == b"PING" else None) as scripted:
        shared = connection(scripted.url)
        await shared.run("PING")
        calls = [asyncio.create_task(fate(shared, "WAIT")) for _ in range(3)]
        await asyncio.sleep(0.05)
        scripted.hang_up()
        assert await asyncio.gather(*calls) == [Applied.UNKNOWN] * 3
        assert await shared.run("PING") == b"PONG"
        assert scripted.connections == 2
        await shared.close()


async def test_a_reply_that_nobody_asked_for_ends_the_connection(tmp_path: Path) -> None:
    async with ScriptedRedis(tmp_path, lambda _: b"+PONG\r\n+AGAIN\r\n") as scripted:
        shared = connection(scripted.url)
        assert await shared.run("PING") == b"PONG"
        await asyncio.sleep(0.05)
        assert await shared.run("PING") == b"PONG"
        assert scripted.connections == 2
        await shared.close()


async def test_nobody_there_is_not_applied(tmp_path: Path) -> None:
    shared = connection(f"unix://{tmp_path}/nobody.sock")
    assert await fate(shared, "PING") is Applied.NO
    await shared.close()


async def test_closing_tells_those_who_wait_and_those_who_come_later(tmp_path: Path) -> None:
    async with ScriptedRedis(tmp_path, lambda _: None) as scripted:
        shared = connection(scripted.url)
        waiting = asyncio.create_task(fate(shared, "PING"))
        await asyncio.sleep(0.05)
        await shared.close()
        assert await waiting is Applied.UNKNOWN
        assert await fate(shared, "PING") is Applied.NO


async def test_closing_tells_those_who_wait_for_a_connection_at_once(tmp_path: Path) -> None:
    async with ScriptedRedis(tmp_path, lambda _: None, greets=False) as silent:
        shared = connection(silent.url, connect_timeout=60)
        waiting = asyncio.create_task(fate(shared, "PING"))
        await asyncio.sleep(0.05)
        await shared.close()
        async with asyncio.timeout(20):
            assert await waiting is Applied.NO
