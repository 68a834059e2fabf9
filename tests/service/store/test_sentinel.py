"""A master that a sentinel watches: it is found, and its successor after it."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from service.store import Store, StoreUnavailable, new_match_id
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
