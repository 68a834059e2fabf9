"""A master that a sentinel watches: it is found, and its successor after it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

import pytest

from service.store import Durability, Store, StoreUnavailable, new_match_id
from service.store.keys import Keys
from tests.service.store.playing import Player, heard_once, listen
from tests.service.store.redis_groups import Watched, until

pytestmark = pytest.mark.asyncio(loop_factories=["uvloop"])

LIMIT_S = 2.5


@pytest.fixture
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    group = Watched(tmp_path_factory.mktemp("watched"))
    yield group
    for server in (group.master, group.replica):
        server.thaw()
    group.stop()


@pytest.fixture
async def store(watched: Watched) -> AsyncIterator[Store]:
    opened = Store(watched.url)
    await opened.open()
    yield opened
    await opened.close()


@pytest.mark.parametrize("harm", ["kill", "freeze"])
async def test_when_the_master_is_gone_the_store_goes_on_with_its_successor(watched: Watched, store: Store, harm: str) -> None:
    told: asyncio.Queue[object] = asyncio.Queue()
    store.listening.tell(lambda match_id, revision: told.put_nowait((match_id, revision)), told.put_nowait)
    players = [await Player(store, new_match_id()).create() for _ in range(4)]
    await listen(store, told, *players)
    for player in players:
        await player.reach(player.acknowledged + 2)
    await asyncio.to_thread(until, watched.master.has_replicas)  # what its replica has not got is lost with it
    getattr(watched.master, harm)()
    await asyncio.gather(*(player.reach(player.acknowledged + 2) for player in players))
    for player in players:
        await player.check()
        assert player.failures
        assert player.longest < LIMIT_S
        if harm == "kill":  # that a connection has gone silent is noticed after ten seconds
            await heard_once(player, told)
    assert watched.replica.client.info("replication")["role"] == "master"


async def test_a_master_that_is_one_no_more_is_left_for_its_successor(watched: Watched, store: Store) -> None:
    player = await Player(store, new_match_id()).create()
    await player.reach(player.acknowledged + 2)
    await asyncio.to_thread(until, lambda: watched.sentinel.client.execute_command("SENTINEL", "FAILOVER", watched.service))
    await asyncio.to_thread(until, lambda: watched.replica.client.info("replication")["role"] == "master")
    await player.reach(player.acknowledged + 2)
    await player.check()


async def test_a_reply_that_only_a_replica_gives_ends_the_connection(watched: Watched, store: Store) -> None:
    player = await Player(store, new_match_id()).create()
    watched.master.client.replicaof("127.0.0.1", watched.replica.port)
    before = await store._servers._node.shared.run("CLIENT", "ID")
    assert await player.step() == "NO"
    assert await store._servers._node.shared.run("CLIENT", "ID") > before


async def test_without_a_sentinel_that_knows_the_master_nothing_is_written(watched: Watched) -> None:
    store = Store(watched.url.replace(watched.service, "another"))
    with pytest.raises(StoreUnavailable):
        await store.open()
    await store.close()


@pytest.mark.parametrize("durability", [Durability.NONE, Durability.AOF])
async def test_no_connection_stays_with_a_master_that_was_frozen_and_takes_itself_for_the_master_still(watched: Watched, durability: Durability) -> None:
    for server in (watched.master, watched.replica):
        server.client.config_set("appendonly", "yes")
    store = Store(watched.url, durability=durability)
    await store.open()
    player = await Player(store, new_match_id()).create()
    await player.reach(player.acknowledged + 2)
    await player.check()  # the log is read over connections of its own
    await asyncio.to_thread(until, watched.master.has_replicas)
    watched.master.freeze()
    await asyncio.to_thread(until, lambda: watched.replica.client.info("replication")["role"] == "master")
    async with asyncio.timeout(40):
        while not await _is_at(store, player.match_id, watched.replica.port):  # noqa: ASYNC110 - what is waited for happens elsewhere
            await asyncio.sleep(0.05)
    watched.master.thaw()
    assert watched.master.client.info("replication")["role"] == "master"  # it takes the sentinel some seconds to tell it otherwise
    await player.reach(player.acknowledged + 2)
    await player.check()
    assert int(watched.replica.client.hget(Keys("umpire:").match(player.match_id), "r")) == player.revision
    await store.close()


async def _is_at(store: Store, match_id: str, port: int) -> bool:
    """Whether the connection for what is short has found a server."""
    with contextlib.suppress(StoreUnavailable):
        return await store.revision(match_id) is not None and store._servers._node.shared.peer == f"127.0.0.1:{port}"
    return False
