"""Redis is frozen, killed, full of itself or refuses: callers know in time what is known, and the store heals by itself."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from service.private_redis import PrivateRedis
from service.store import Applied, CommitResult, Store, StoreUnavailable, new_match_id
from tests.service.store.scripted_redis import ScriptedRedis

pytestmark = pytest.mark.asyncio(loop_factories=["uvloop"])

TTL_MS = 600_000
LIMIT_S = 2.0


async def fate(call: object) -> object:
    """What a call answers, or what is known of it, and that in time."""
    started = time.monotonic()
    try:
        return await call  # type: ignore[misc]
    except StoreUnavailable as error:
        return error.applied
    finally:
        assert time.monotonic() - started < LIMIT_S


async def eventually(store: Store) -> None:
    """Wait until the store answers again."""
    deadline = time.monotonic() + 5
    while True:
        try:
            return await store.ping()
        except StoreUnavailable:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)


async def create(store: Store) -> tuple[str, int]:
    match_id, revision = new_match_id(), store.next_revision("", 0)
    assert await store.commit(match_id, 0, revision, 0, b"first", [b"one"], TTL_MS) is CommitResult.COMMITTED
    return match_id, revision


async def test_a_frozen_redis_is_unknown_for_what_was_sent_and_no_for_the_rest(own_redis: PrivateRedis) -> None:
    assert own_redis.process is not None
    store = Store(own_redis.url)
    await store.open()
    matches = [await create(store) for _ in range(8)]
    await store.entries(matches[0][0], 0, 1, 1)  # the other client has a connection too
    os.kill(own_redis.process.pid, signal.SIGSTOP)
    reads = asyncio.gather(fate(store.entries(matches[0][0], 0, 1, 1)), fate(store.load(matches[0][0])))
    commits = await asyncio.gather(*(fate(store.commit(match_id, revision, revision + 1, 1, b"second", [b"two"], TTL_MS)) for match_id, revision in matches))
    assert commits == [Applied.UNKNOWN] * 8
    assert await reads == [Applied.NO, Applied.NO]
    late = [fate(store.commit(new_match_id(), 0, 1, 0, b"late", [], TTL_MS)), fate(store.delete(matches[0][0])), fate(store.revision(matches[0][0]))]
    assert await asyncio.gather(*late) == [Applied.NO] * 3
    os.kill(own_redis.process.pid, signal.SIGCONT)
    await eventually(store)
    for match_id, revision in matches:
        stored = await store.load(match_id)
        assert stored is not None
        assert stored.revision in {revision, revision + 1}  # unknown means unknown
        assert (
            await store.commit(match_id, stored.revision, stored.revision + 1, stored.revision - revision + 1, b"x", [b"y"], TTL_MS) is CommitResult.COMMITTED
        )
    await store.close()


async def test_what_was_acknowledged_survives_a_kill_and_the_store_heals(own_redis: PrivateRedis) -> None:
    assert own_redis.process is not None
    store = Store(own_redis.url)
    await store.open()
    acknowledged: dict[str, int] = {}
    stop = asyncio.Event()

    async def write() -> int:
        """Commit again and again; returns how many steps were acknowledged."""
        match_id, first = await create(store)
        known = first
        while not stop.is_set():
            version = known - first + 1
            result = await fate(store.commit(match_id, known, known + 1, version, b"%d" % version, [b"%d" % (version + 1)], TTL_MS))
            if result is CommitResult.COMMITTED:
                known += 1
                acknowledged[match_id] = version + 1
            elif result in {Applied.NO, Applied.UNKNOWN}:
                await asyncio.sleep(0.05)
            else:  # an unknown one was applied after all
                assert result is CommitResult.CONFLICT
                revision = await fate(store.revision(match_id))
                known = revision if isinstance(revision, int) else known
        log = await store.entries(match_id, 0, known - first + 1, 100_000)
        assert [version for version, _ in log] == list(range(1, len(log) + 1))
        assert len(log) >= acknowledged[match_id]
        return len(log)

    writers = [asyncio.create_task(write()) for _ in range(8)]
    await asyncio.sleep(0.2)
    own_redis.process.kill()
    own_redis.process.wait()
    before = dict(acknowledged)
    assert len(before) == 8
    await asyncio.sleep(0.2)
    await asyncio.to_thread(own_redis.start)
    await eventually(store)
    await asyncio.sleep(0.3)
    stop.set()
    after = await asyncio.gather(*writers)
    assert all(acknowledged[match_id] > count for match_id, count in before.items()), "they went on"
    assert sum(after) > sum(before.values())
    await store.close()


@pytest.mark.asyncio(loop_factories=["asyncio", "uvloop"])
async def test_a_closed_connection_is_made_anew(one: Store) -> None:
    match_id, revision = await create(one)
    for _ in range(5):
        number = await one._servers._node.shared.run("CLIENT", "ID")
        calls = [asyncio.create_task(fate(one.revision(match_id))) for _ in range(20)]
        await asyncio.sleep(0)
        await one._servers.client.client_kill_filter(_id=number)
        assert set(await asyncio.gather(*calls)) <= {revision, Applied.NO}
        assert await one.revision(match_id) == revision


REFUSALS = [
    "LOADING Redis is loading the dataset in memory",
    "READONLY You can't write against a read only replica.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MISCONF Errors writing to the AOF file: No space left on device",
    "NOREPLICAS Not enough good replicas to write.",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "CLUSTERDOWN The cluster is down",
    "BUSY Redis is busy running a script.",
    "NOAUTH Authentication required.",
    "NOPERM this user has no permissions to run the 'evalsha' command",
    "MOVED 3999 127.0.0.1:6381",
    "ERR something that nobody foresaw",
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda text: text.split(" ")[0])
async def test_a_refusal_is_unavailable_and_not_applied(refusal: str, tmp_path: Path) -> None:
    async with ScriptedRedis(tmp_path, lambda _: f"-{refusal}\r\n".encode()) as scripted:
        store = Store(scripted.url)
        match_id = new_match_id()
        calls = [
            store.commit(match_id, 0, 1, 0, b"first", [b"one"], TTL_MS),
            store.load(match_id),
            store.revision(match_id),
            store.delete(match_id),
            store.entries(match_id, 0, 1, 1),
        ]
        assert await asyncio.gather(*(fate(call) for call in calls)) == [Applied.NO] * len(calls)
        # One that cannot write to its disk says so to a ping, too, and answers all that reads (see test_masters): it is there.
        assert await fate(store.ping()) is (None if refusal.startswith("MISCONF") else Applied.NO)
        assert scripted.connections == 2  # one shared, one for entries: a refusal is not a reason to connect anew
        await store.close()


async def test_a_script_that_was_forgotten_and_then_a_freeze_are_one_wait(tmp_path: Path) -> None:
    answers = {b"EVALSHA": b"-NOSCRIPT No matching script. Please use EVAL.\r\n"}
    async with ScriptedRedis(tmp_path, lambda command: answers.get(command[0]), delay_s=0.5) as scripted:
        store = Store(scripted.url, answer_timeout=0.6, connect_timeout=0.1)
        started = time.monotonic()
        assert await fate(store.commit(new_match_id(), 0, 1, 0, b"first", [b"one"], TTL_MS)) is Applied.UNKNOWN
        assert time.monotonic() - started < 1.0  # not 0.5 and then 0.6
        await store.close()


async def test_entries_that_wait_for_a_connection_wait_no_longer_than_others(tmp_path: Path) -> None:
    async with ScriptedRedis(tmp_path, lambda _: None) as silent:
        store = Store(silent.url, answer_timeout=0.6, connect_timeout=0.2)
        first = [asyncio.create_task(fate(store.entries(new_match_id(), 0, 1, 1))) for _ in range(16)]  # all that the pool has
        await asyncio.sleep(0.3)
        started = time.monotonic()
        assert await fate(store.entries(new_match_id(), 0, 1, 1)) is Applied.NO
        assert time.monotonic() - started < 0.8  # not the 0.3 until one is free and then 0.6 for itself
        assert await asyncio.gather(*first) == [Applied.NO] * 16
        await store.close()


async def test_a_closed_store_leaves_no_connection(one: Store, redis_server: PrivateRedis) -> None:
    async def connections() -> int:
        return len(await one._servers.client.client_list())

    before = await connections()
    another = Store(redis_server.url)
    await another.open()
    await another.entries(new_match_id(), 0, 1, 1)
    assert await connections() == before + 2
    await another.close()
    await asyncio.sleep(0.05)
    assert await connections() == before


async def test_a_store_that_is_away_at_the_start_is_found_later(own_redis: PrivateRedis) -> None:
    own_redis.stop()
    store = Store(own_redis.url)
    with pytest.raises(StoreUnavailable):
        await store.open()
    assert abs(store.now_ms() - time.time() * 1000) < 100
    await asyncio.to_thread(own_redis.start)
    await create(store)
    await store.close()
