"""A cluster whose slots move and whose servers die: what is elsewhere goes on, what was acknowledged is there, and who listens hears."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from redis.crc import key_slot
from redis.exceptions import MovedError

from service.store import Applied, CommitResult, Store, StoreUnavailable, Timing, all_buckets, bucket_of, new_match_id
from service.store.keys import Keys
from tests.service.store.playing import TTL_MS, Player, end, eventually, heard_once, listen
from tests.service.store.redis_groups import RedisCluster, Server, until

pytestmark = pytest.mark.asyncio(loop_factories=["uvloop"])

LIMIT_S = 2.5
README = Path(__file__).parents[3] / "README.md"


@pytest.fixture
def own_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisCluster]:
    """A cluster that the test may harm; its first master has a replica."""
    cluster = RedisCluster(tmp_path_factory.mktemp("own"), replicas=1)
    yield cluster
    for server in cluster.servers:
        server.thaw()
    cluster.stop()


@pytest.fixture
async def harmed(own_cluster: RedisCluster) -> AsyncIterator[Store]:
    store = Store(own_cluster.url)
    await store.open()
    yield store
    await store.close()


def match_in(bucket: str) -> str:
    return f"{bucket}-{new_match_id()[4:]}"


def match_at(cluster: RedisCluster, server: Server, prefix: str = "umpire:") -> str:
    return next(match_id for match_id in iter(new_match_id, None) if cluster.master_of(Keys(prefix).match(match_id)) is server)


# ---- all is well


async def test_matches_of_all_buckets_are_kept_found_due_and_heard_each_where_it_lies(clustered: Store, redis_cluster: RedisCluster) -> None:
    told: asyncio.Queue[object] = asyncio.Queue()
    clustered.listening.tell(lambda match_id, _: told.put_nowait(match_id), told.put_nowait)
    for bucket in all_buckets():
        clustered.listening.listen(bucket)
    matches = [match_in(bucket) for bucket in all_buckets()]
    async with asyncio.timeout(30):
        assert sorted([str(await told.get()) for _ in matches]) == all_buckets()
        due = Timing(due=1)
        results = await asyncio.gather(*(clustered.commit(match_id, 0, 7, 0, b"first", [b"one"], TTL_MS, due) for match_id in matches))
        assert set(results) == {CommitResult.COMMITTED}
        assert sorted([str(await told.get()) for _ in matches]) == matches
    assert [stored.revision for stored in await asyncio.gather(*map(clustered.load, matches)) if stored is not None] == [7] * len(matches)
    found = await clustered.due_matches(all_buckets(), "a worker", 16)
    assert sorted(match_id for one in found.values() for match_id in one.match_ids) == matches
    assert all([await clustered.entries(match_id, 0, 1, 1) == [(1, b"one")] for match_id in matches[::37]])
    assert all(await asyncio.gather(*map(clustered.delete, matches)))
    sizes = [server.client.info("commandstats")["cmdstat_evalsha"]["calls"] for server in redis_cluster.masters]
    assert min(sizes) > 200


async def test_deadlines_are_judged_by_the_clock_of_the_server_that_has_the_match(clustered: Store) -> None:
    nodes = {clustered._servers.home(bucket) for bucket in all_buckets()}
    assert len(nodes) == 3
    for ahead, node in zip((0, 60_000, -60_000), nodes, strict=True):
        right = node.clock.now_ms
        node.clock.now_ms = lambda right=right, ahead=ahead: right() + ahead  # type: ignore[method-assign, misc]
    ahead_by = {round((clustered.now_ms(bucket) - time.time() * 1000) / 60_000) for bucket in all_buckets()}
    assert ahead_by == {0, 1, -1}
    assert abs(clustered.now_ms() - time.time() * 1000) < 70_000


async def test_a_cluster_of_which_one_address_is_right_is_found(redis_cluster: RedisCluster) -> None:
    right = redis_cluster.masters[1].port
    store = Store(f"redis+cluster://127.0.0.1:1,127.0.0.1:{right}")
    await store.open()
    await (await Player(store, new_match_id()).create()).check()
    await store.close()


async def test_a_redis_that_is_in_no_cluster_is_unavailable_as_one(redis_server: object, tmp_path_factory: pytest.TempPathFactory) -> None:
    alone = Server(tmp_path_factory.mktemp("alone"))
    store = Store(f"redis+cluster://127.0.0.1:{alone.port}")
    try:
        with pytest.raises(StoreUnavailable):
            await store.open()
        with pytest.raises(StoreUnavailable) as refused:
            await store.commit(new_match_id(), 0, 1, 0, b"", [], TTL_MS)
        assert refused.value.applied is Applied.NO
    finally:
        await store.close()
        alone.kill()


async def test_a_user_with_the_commands_that_the_readme_names_will_do(redis_cluster: RedisCluster) -> None:
    named = re.search(r"needs `~umpire:\*` and `&umpire:\*` \(the prefix\) and `([^`]*)`; on a cluster also `([^`]*)`", README.read_text())
    assert named is not None
    for server in redis_cluster.masters:
        server.client.execute_command("ACL", "SETUSER", "umpire", "on", ">pass/word", "~umpire:*", "&umpire:*", *named[1].split(), *named[2].split())
    store = Store(redis_cluster.url.replace("//", "//umpire:pass%2Fword@"))
    await store.open()
    told: asyncio.Queue[object] = asyncio.Queue()
    store.listening.tell(lambda match_id, _: told.put_nowait(match_id), told.put_nowait)
    player = await Player(store, new_match_id()).create()
    store.listening.listen(bucket_of(player.match_id))
    await eventually(told, bucket_of(player.match_id))
    assert await player.step() == "COMMITTED"
    await eventually(told, player.match_id)
    await player.check()
    assert await store.due_matches(all_buckets(), "a worker", 1) == {}
    assert await store.delete(player.match_id)
    await store.close()


# ---- slots move


def move_slot(slot: int, source: Server, target: Server) -> Iterator[str]:
    """Move a slot as redis-cli does, a key at a time; says before each key what is the next."""
    names = {server: RedisCluster.name(server) for server in (source, target)}
    target.client.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
    source.client.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
    while keys := source.client.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 1):
        yield keys[0].decode()
        source.client.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 5_000, "KEYS", keys[0])
    yield ""
    for server in (target, source):
        server.client.execute_command("CLUSTER", "SETSLOT", slot, "NODE", names[target])


async def test_a_slot_that_moves_loses_nothing_and_says_nothing_twice(clustered: Store, redis_cluster: RedisCluster, key_prefix: str) -> None:
    bucket = "0a1"
    slot = key_slot(Keys(key_prefix).due(bucket).encode())
    told: asyncio.Queue[object] = asyncio.Queue()
    clustered.listening.tell(lambda match_id, revision: told.put_nowait((match_id, revision)), told.put_nowait)
    clustered.listening.listen(bucket)
    await eventually(told, bucket)
    players = [await Player(clustered, match_in(bucket)).create() for _ in range(4)]
    elsewhere = await Player(clustered, next(match_id for match_id in iter(new_match_id, None) if bucket_of(match_id) != bucket)).create()
    await eventually(told, (players[-1].match_id, players[-1].revision))
    source = redis_cluster.master_of(Keys(key_prefix).due(bucket))
    target = next(server for server in redis_cluster.masters if server is not source)
    playing = [asyncio.create_task(player.play()) for player in (*players, elsewhere)]
    before = [redis_errors(server) for server in (source, target)]
    for _ in move_slot(slot, source, target):
        for player in players:  # reads go on, wherever a match just is
            assert await clustered.revision(player.match_id) is not None
            assert await clustered.entries(player.match_id, 0, 1, 1) == [(1, b"1")]
        await asyncio.sleep(0.05)
    await end(playing)
    for player in (*players, elsewhere):
        await player.reach(player.acknowledged + 1)
        await player.check()
        assert player.failures == [], "what is on the move is waited for"
    after = [redis_errors(server) for server in (source, target)]
    assert after[0]["ASK"] > before[0]["ASK"] and after[0]["MOVED"] > before[0]["MOVED"]
    await eventually(told, bucket)  # heard again, where it lies now
    assert await players[0].step() == "COMMITTED"
    await eventually(told, (players[0].match_id, players[0].revision))
    for _ in move_slot(slot, target, source):
        pass


def redis_errors(server: Server) -> Counter[str]:
    return Counter({name.removeprefix("errorstat_"): found["count"] for name, found in server.client.info("errorstats").items()})


async def test_servers_that_send_a_call_on_and_on_are_left_in_time(clustered: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = new_match_id()
    hops = count()

    async def send_on(*_: object) -> None:
        next(hops)
        raise MovedError(f"{clustered._servers._homes.slots[bucket_of(match_id)]} :{clustered._servers.home(bucket_of(match_id)).shown.rpartition(':')[2]}")

    for node in {clustered._servers.home(bucket) for bucket in all_buckets()}:
        monkeypatch.setattr(node.shared, "run", send_on)
    with pytest.raises(StoreUnavailable) as refused:
        await clustered.revision(match_id)
    assert refused.value.applied is Applied.NO
    assert next(hops) < 10


# ---- servers die


async def test_a_master_that_dies_harms_its_own_slots_until_its_replica_takes_over(harmed: Store, own_cluster: RedisCluster) -> None:
    victim, survivor = own_cluster.masters[:2]
    told: asyncio.Queue[object] = asyncio.Queue()
    harmed.listening.tell(lambda match_id, revision: told.put_nowait((match_id, revision)), told.put_nowait)
    hit = [await Player(harmed, match_at(own_cluster, victim)).create() for _ in range(4)]
    spared = [await Player(harmed, match_at(own_cluster, survivor)).create() for _ in range(4)]
    await listen(harmed, told, *hit, *spared)
    playing = {player: asyncio.create_task(player.play()) for player in (*hit, *spared)}
    await asyncio.sleep(0.3)
    await end([playing[player] for player in hit])
    await asyncio.to_thread(until, victim.has_replicas)  # what its replica has not got is lost with it, which is not what is tested
    before = {player: player.acknowledged for player in playing}
    victim.kill()
    again = [asyncio.create_task(player.reach(player.acknowledged + 3)) for player in hit]
    await harmed.ping()  # the worker stays ready: most matches are there
    await asyncio.gather(*again)
    await end([playing[player] for player in spared])
    for player in playing:
        await player.check()
        assert player.acknowledged > before[player]
        assert player.longest < LIMIT_S
    assert [player.failures for player in spared] == [[]] * 4
    assert all(player.outcomes["NO"] + player.outcomes["UNKNOWN"] for player in hit)
    assert own_cluster.master_of(Keys("umpire:").match(hit[0].match_id)) is own_cluster.replicas[0]
    for player in hit:
        await heard_once(player, told)


async def test_a_master_that_freezes_holds_up_nobody_else(harmed: Store, own_cluster: RedisCluster) -> None:
    victim, survivor = own_cluster.masters[2], own_cluster.masters[1]  # this one has no replica
    hit, spared = [await Player(harmed, match_at(own_cluster, server)).create() for server in (victim, survivor)]
    due = match_at(own_cluster, survivor)
    assert await harmed.commit(due, 0, 7, 0, b"", [], TTL_MS, Timing(due=1)) is CommitResult.COMMITTED
    victim.freeze()
    frozen = asyncio.create_task(hit.step())
    for _ in range(20):
        assert await spared.step() == "COMMITTED"
    assert not frozen.done()
    assert await frozen == "UNKNOWN"
    assert await hit.step() == "NO"
    started = time.monotonic()
    found = await harmed.due_matches(all_buckets(), "a worker", 16)
    assert found[bucket_of(due)].match_ids == [due]
    assert time.monotonic() - started < LIMIT_S
    assert hit.longest < LIMIT_S
    victim.thaw()
    await hit.reach(hit.acknowledged + 1)
    await hit.check()
