"""A commit that waits: it is acknowledged when it is kept in a second place, and unknown when it is not."""

import asyncio
import time
from pathlib import Path

import pytest

from service.config import ConfigError, read_settings
from service.store import CommitResult, Durability, Store, new_match_id
from service.store.keys import Keys
from tests.service.store.playing import TTL_MS, Player
from tests.service.store.redis_groups import RedisCluster, Server

pytestmark = pytest.mark.asyncio(loop_factories=["uvloop"])


def calls(server: Server, command: str) -> int:
    return server.client.info("commandstats").get(f"cmdstat_{command}", {"calls": 0})["calls"]


async def test_what_is_acknowledged_is_at_the_replica(pair: tuple[Server, Server]) -> None:
    master, replica = pair
    store = Store(f"redis://127.0.0.1:{master.port}", durability=Durability.REPLICA)
    players = [await Player(store, new_match_id()).create() for _ in range(40)]
    for _ in range(5):
        assert set(await asyncio.gather(*(player.step() for player in players))) == {"COMMITTED"}
        for player in players[:5]:
            assert int(replica.client.hget(Keys("umpire:").match(player.match_id), "r")) == player.acknowledged
    assert calls(master, "wait") < 40 + 5 * 10, "commits of one moment wait together"
    assert await store.commit(players[0].match_id, 0, 7, 0, b"", [], TTL_MS) is CommitResult.CONFLICT
    await store.close()


async def test_what_no_replica_keeps_is_unknown_in_time_and_reads_go_on(pair: tuple[Server, Server]) -> None:
    master, replica = pair
    store = Store(f"redis://127.0.0.1:{master.port}", durability=Durability.REPLICA)
    player = await Player(store, new_match_id()).create()
    replica.freeze()
    commit = asyncio.create_task(player.step())
    await asyncio.sleep(0.05)
    started = time.monotonic()
    for _ in range(10):
        assert await store.revision(player.match_id) is not None
    assert time.monotonic() - started < 0.8
    assert await commit == "UNKNOWN"
    assert player.longest < 2
    replica.thaw()
    await player.reach(player.acknowledged + 2)
    await player.check()
    await store.close()


async def test_who_waits_behind_what_no_replica_keeps_waits_no_longer_and_nothing_is_written(pair: tuple[Server, Server]) -> None:
    master, replica = pair
    store = Store(f"redis://127.0.0.1:{master.port}", durability=Durability.REPLICA)
    first, second = [await Player(store, new_match_id()).create() for _ in range(2)]
    replica.freeze()
    commit = asyncio.create_task(first.step())
    await asyncio.sleep(0.1)
    assert await second.step() == "NO"
    assert await commit == "UNKNOWN"
    assert await store.revision(second.match_id) == second.revision
    assert max(first.longest, second.longest) < 2
    replica.thaw()
    for player in (first, second):
        await player.reach(player.acknowledged + 2)
        await player.check()
    await store.close()


async def test_what_is_acknowledged_is_on_disk(tmp_path: Path) -> None:
    server = Server(tmp_path, "--appendonly", "yes", "--appendfsync", "always")
    store = Store(f"redis://127.0.0.1:{server.port}", durability=Durability.AOF)
    player = await Player(store, new_match_id()).create()
    server.client.config_set("appendfsync", "everysec")
    await player.reach(player.acknowledged + 2)
    assert calls(server, "waitaof") > 0
    server.kill()
    server.start()
    revision = await store.revision(player.match_id)
    assert revision is not None and revision >= player.acknowledged
    server.client.config_set("appendonly", "no")
    assert await player.step() == "UNKNOWN", "it was carried out, and nothing was waited for"
    await store.close()
    server.kill()


async def test_on_a_cluster_each_master_waits_for_its_own_replica(tmp_path: Path) -> None:
    cluster = RedisCluster(tmp_path, replicas=1)
    store = Store(cluster.url, durability=Durability.REPLICA)
    await store.open()
    try:
        match_ids = {cluster.master_of(Keys("umpire:").match(match_id)): match_id for match_id in (new_match_id() for _ in range(60))}
        outcomes = await asyncio.gather(*(Player(store, match_ids[server]).create() for server in cluster.masters), return_exceptions=True)
        assert isinstance(outcomes[0], Player)
        assert [getattr(outcome, "applied", None) and outcome.applied.name for outcome in outcomes[1:]] == ["UNKNOWN", "UNKNOWN"]
        assert len(match_ids) == 3
    finally:
        await store.close()
        cluster.stop()


async def test_the_setting_takes_three_words() -> None:
    safe = {"UMPIRE_REDIS_URL": "redis://x", "UMPIRE_INSECURE": "1"}
    assert [read_settings("worker", {"durability": word}, safe).durability for word in ("none", "aof", "replica")] == [one.value for one in Durability]
    assert read_settings("worker", {}, safe).durability == "none"
    with pytest.raises(ConfigError, match="UMPIRE_DURABILITY"):
        read_settings("worker", {"durability": "much"}, safe)
