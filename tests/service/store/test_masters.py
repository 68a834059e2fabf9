"""How full each master is, whether its disk fails, how many follow it, by its own word: of one, a sentinel's master, a cluster; nothing if refused or away."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from service.private_redis import PrivateRedis
from service.store import Applied, CommitResult, Store, StoreUnavailable, new_match_id
from service.store import masters as masters_module
from tests.service.store.redis_groups import RedisCluster, Server, Watched, until
from tests.service.store.scripted_redis import ScriptedRedis

pytestmark = pytest.mark.asyncio(loop_factories=["uvloop"])

LIMIT = 300_000_000


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A Redis with a port, and with a limit."""
    started = Server(tmp_path, "--maxmemory", str(LIMIT))
    yield started
    started.kill()


def own(server: Server) -> str:
    return f"127.0.0.1:{server.port}"


async def comes_to_know(store: Store, nodes: set[str]) -> None:
    """Look until just these tell."""
    async with asyncio.timeout(30):
        while set(store.masters.known) != nodes:
            await store.masters.look()
            await asyncio.sleep(0.1)


async def test_one_redis_tells_what_it_holds_and_what_it_may(server: Server) -> None:
    store = Store(f"redis://{own(server)}")
    await store.masters.look()
    assert list(store.masters.known) == [own(server)]
    before = store.masters.known[own(server)]
    assert before.limit == LIMIT
    server.client.set("a", b"x" * 5_000_000)
    server.client.config_set("maxmemory", 0)
    await store.masters.look()
    after = store.masters.known[own(server)]
    assert before.used + 5_000_000 < after.used < before.used + 20_000_000
    assert after.limit == 0
    await store.close()


async def test_over_a_socket_its_path_is_the_name(one: Store, redis_server: PrivateRedis) -> None:
    await one.masters.look()
    assert list(one.masters.known) == [redis_server.url.removeprefix("unix://")]


async def test_all_masters_of_a_cluster_tell_and_none_that_is_away_or_a_replica(tmp_path: Path) -> None:
    cluster = RedisCluster(tmp_path, replicas=1)
    store = Store(cluster.url)
    try:
        await store.open()
        await store.masters.look()
        assert set(store.masters.known) == {own(master) for master in cluster.masters}
        first, second, third = cluster.masters
        third.kill()
        await store.masters.look()
        assert set(store.masters.known) == {own(first), own(second)}
        replica = cluster.replicas[0]
        replica.client.execute_command("CLUSTER", "FAILOVER", "TAKEOVER")
        await comes_to_know(store, {own(replica), own(second)})
    finally:
        await store.close()
        cluster.stop()


async def test_of_what_sentinels_watch_the_master_tells_and_after_it_its_successor(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    store = Store(watched.url)
    try:
        await store.masters.look()
        assert list(store.masters.known) == [own(watched.master)]
        watched.master.kill()
        await store.masters.look()
        assert store.masters.known == {}
        await comes_to_know(store, {own(watched.replica)})
    finally:
        await store.close()
        watched.stop()


class Seconds:
    """What is told of commands."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def observe(self, command: str, seconds: float, outcome: str) -> None:
        assert seconds >= 0
        self.told.append(f"{command} {outcome}")

    def connection_lost(self) -> None:
        self.told.append("lost")


async def test_a_user_that_may_not_ask_is_well_otherwise_and_it_is_said_once(server: Server) -> None:
    server.client.execute_command("ACL", "SETUSER", "umpire", "on", ">a-password", "~umpire:*", "+ping", "+time")
    observer = Seconds()
    store = Store(f"redis://umpire:a-password@{own(server)}", observer=observer)
    with capture_logs() as said:
        for _ in range(3):
            await store.masters.look()
            assert store.masters.known == {}
        await store.ping()
    assert [(line["event"], line["node"], line["reason"]) for line in said] == [("the store does not tell how full it is", own(server), "NOPERM")]
    assert "a-password" not in str(said)
    assert observer.told == ["ping ok"], "a refusal is no store that fails, and the connection stays"
    server.client.execute_command("ACL", "SETUSER", "umpire", "+info")
    await store.masters.look()
    assert list(store.masters.known) == [own(server)]
    await store.close()


async def test_a_redis_that_is_away_is_not_known_until_it_is_back_and_nothing_is_said(own_redis: PrivateRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masters_module, "_EVERY_S", 0.05)
    store = Store(own_redis.url, answer_timeout=0.3)
    with capture_logs() as said:
        store.masters.start()
        socket = own_redis.url.removeprefix("unix://")
        await asyncio.to_thread(until, lambda: list(store.masters.known) == [socket])
        await asyncio.to_thread(own_redis.stop)
        await asyncio.to_thread(until, lambda: not store.masters.known)
        await asyncio.to_thread(own_redis.start)
        await asyncio.to_thread(until, lambda: list(store.masters.known) == [socket])
        await store.close()
    assert said == []
    assert store.masters._task is not None
    assert store.masters._task.cancelled()


async def test_a_redis_that_is_frozen_is_asked_no_longer_than_any_call_takes(server: Server) -> None:
    store = Store(f"redis://{own(server)}", answer_timeout=0.3)
    await store.masters.look()
    server.freeze()
    async with asyncio.timeout(5):
        await store.masters.look()
    assert store.masters.known == {}
    server.thaw()
    await store.close()


@pytest.mark.parametrize("answer", [b"+OK\r\n", b":7\r\n", b"$-1\r\n", b"$21\r\nused_memory:very much\r\n"])
async def test_an_answer_that_says_nothing_is_as_good_as_none(tmp_path: Path, answer: bytes) -> None:
    async with ScriptedRedis(tmp_path, lambda _: answer) as scripted:
        store = Store(scripted.url)
        with capture_logs() as said:
            await store.masters.look()
            await store.masters.look()
        assert store.masters.known == {}
        assert [line["reason"] for line in said] == ["the answer has no used_memory"]
        assert scripted.commands == [[b"INFO", b"memory", b"persistence", b"replication"]] * 2
        await store.close()


async def test_a_full_redis_still_tells(server: Server) -> None:
    store = Store(f"redis://{own(server)}")
    server.client.config_set("maxmemory", 1_000)
    with pytest.raises(StoreUnavailable):
        await store.workers("a worker", 1_000)
    await store.masters.look()
    assert store.masters.known[own(server)].used > store.masters.known[own(server)].limit == 1_000
    await store.close()


@pytest.mark.parametrize("field", ["aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status"])
async def test_whatever_could_not_be_written_is_told(tmp_path: Path, field: str) -> None:
    statuses = dict.fromkeys(("rdb_last_bgsave_status", "aof_last_bgrewrite_status", "aof_last_write_status"), "ok")

    def answer(_: object) -> bytes:
        text = "".join(f"{name}:{value}\r\n" for name, value in {"# Memory\r\nused_memory": "9", **statuses}.items())
        return f"${len(text)}\r\n{text}\r\n".encode()

    async with ScriptedRedis(tmp_path, answer) as scripted:
        store = Store(scripted.url)
        await store.masters.look()
        assert [master.disk_fails for master in store.masters.known.values()] == [False]
        statuses[field] = "err"
        await store.masters.look()
        assert [master.disk_fails for master in store.masters.known.values()] == [True]
        await store.close()


async def replicas_are(store: Store, wanted: dict[str, int | None]) -> None:
    """Look until each master says that it has so many."""
    async with asyncio.timeout(30):
        while {node: master.replicas for node, master in store.masters.known.items()} != wanted:
            await asyncio.sleep(0.1)
            await store.masters.look()


async def test_each_master_of_a_cluster_tells_how_many_replicas_it_has_until_they_are_gone(tmp_path: Path) -> None:
    cluster = RedisCluster(tmp_path, replicas=1)
    store = Store(cluster.url)
    first, second, third = map(own, cluster.masters)
    try:
        await store.open()
        await replicas_are(store, {first: 1, second: 0, third: 0})
        cluster.replicas[0].kill()
        await replicas_are(store, {first: 0, second: 0, third: 0})
    finally:
        await store.close()
        cluster.stop()


async def test_after_a_failover_the_new_master_of_what_sentinels_watch_tells_that_it_has_no_replica(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    store = Store(watched.url)
    try:
        await replicas_are(store, {own(watched.master): 1})
        watched.master.kill()
        await replicas_are(store, {own(watched.replica): 0})
    finally:
        await store.close()
        watched.stop()


@pytest.mark.parametrize(
    ("lines", "replicas"),
    [
        ([], None),
        (["connected_slaves:0"], 0),
        (["connected_slaves:2", "slave0:ip=::1,port=1,state=online,offset=9,lag=0", "slave1:ip=::2,port=1,state=wait_bgsave,offset=0,lag=0"], 1),
        (["connected_slaves:1", "slave0:ip=::1,port=1,state=send_bulk,offset=0,lag=0", "slave_repl_offset:7"], 0),
    ],
)
async def test_a_replica_that_is_still_being_sent_everything_is_none_and_who_tells_nothing_of_them_is_not_without(
    tmp_path: Path, lines: list[str], replicas: int | None
) -> None:
    text = "\r\n".join(["used_memory:9", *lines, ""])
    async with ScriptedRedis(tmp_path, lambda _: f"${len(text)}\r\n{text}\r\n".encode()) as scripted:
        store = Store(scripted.url)
        await store.masters.look()
        assert [master.replicas for master in store.masters.known.values()] == [replicas]
        await store.close()


async def test_a_redis_whose_disk_fails_is_told_of_and_is_there_for_all_that_reads_until_it_writes_again(server: Server) -> None:
    store = Store(f"redis://{own(server)}")
    match_id = new_match_id()
    first, second = store.next_revision(match_id, 0), store.next_revision(match_id, 0) + 1
    assert await store.commit(match_id, 0, first, 0, b"first", [b"one"], 600_000) is CommitResult.COMMITTED
    in_the_way = server.folder / "dump.rdb"
    in_the_way.mkdir()
    server.client.config_set("save", "3600 1")
    server.client.bgsave()
    await asyncio.to_thread(until, lambda: server.client.info("persistence")["rdb_last_bgsave_status"] == "err")
    with capture_logs() as said:
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="MISCONF") as refused:
                await store.commit(match_id, first, second, 1, b"second", [b"two"], 600_000)
            assert refused.value.applied is Applied.NO
    assert [(line["event"], line["reason"], line["command"]) for line in said] == [("the store refuses", "MISCONF", "commit")]
    await store.ping()
    await store.masters.look()
    assert store.masters.known[own(server)].disk_fails
    assert await store.load(match_id) == (first, b"first"), "what was acknowledged is there, what was refused is not"
    in_the_way.rmdir()
    server.client.bgsave()
    await asyncio.to_thread(until, lambda: server.client.info("persistence")["rdb_last_bgsave_status"] == "ok")
    assert await store.commit(match_id, first, second, 1, b"second", [b"two"], 600_000) is CommitResult.COMMITTED
    await store.masters.look()
    assert not store.masters.known[own(server)].disk_fails
    await store.close()


async def test_a_cluster_none_of_whose_masters_can_write_is_there_too(tmp_path: Path) -> None:
    cluster = RedisCluster(tmp_path, replicas=0)
    store = Store(cluster.url)
    try:
        await store.open()
        for master in cluster.masters:
            (master.folder / "dump.rdb").mkdir()
            master.client.config_set("save", "3600 1")
            master.client.bgsave()
            await asyncio.to_thread(until, lambda master=master: master.client.info("persistence")["rdb_last_bgsave_status"] == "err")
        await store.ping()
        await store.masters.look()
        assert [master.disk_fails for master in store.masters.known.values()] == [True] * 3
    finally:
        await store.close()
        cluster.stop()
