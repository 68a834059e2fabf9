import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import redis.asyncio
import uvloop

from service.private_redis import PrivateRedis
from service.store import Store
from tests.service.store.redis_groups import RedisCluster


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Both loops: what a dying connection raises differs."""
    return {"asyncio": asyncio.SelectorEventLoop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
async def one(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[Store]:
    """A store on one Redis."""
    opened = Store(redis_server.url, prefix=key_prefix)
    await opened.open()
    yield opened
    await clean(opened._servers.client, key_prefix)
    await opened.close()


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisCluster]:
    """A cluster that no test harms."""
    cluster = RedisCluster(tmp_path_factory.mktemp("cluster"), replicas=0)
    yield cluster
    cluster.stop()


@pytest.fixture
async def clustered(redis_cluster: RedisCluster, key_prefix: str) -> AsyncIterator[Store]:
    """A store on a cluster; ``_servers.client`` is redis-py's own, for the tests to look and meddle with."""
    opened = Store(redis_cluster.url, prefix=key_prefix)
    await opened.open()
    client = opened._servers.client = redis.asyncio.RedisCluster(host="127.0.0.1", port=redis_cluster.masters[0].port)
    yield opened
    await clean(client, key_prefix)
    await client.aclose()
    await opened.close()


@pytest.fixture(params=["one", "clustered"])
def store(request: pytest.FixtureRequest) -> Store:
    """The same test on one Redis and on a cluster."""
    return request.getfixturevalue(request.param)


async def clean(client: Any, prefix: str) -> None:
    async for key in client.scan_iter(f"{prefix}*"):
        await client.delete(key)
