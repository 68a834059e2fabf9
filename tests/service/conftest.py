"""Workers for the tests of use cases, as many as one wants, over one store; and a Redis with its replica."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from service.private_redis import PrivateRedis
from tests.service.matches.workers import Start, Worker
from tests.service.store.redis_groups import Server, until


@pytest.fixture
async def start(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[Start]:
    """Starts workers over one store."""
    started: list[Worker] = []

    async def one(*, sweeps: bool = False) -> Worker:
        worker = await Worker(redis_server.url, key_prefix).open(sweeps=sweeps)
        started.append(worker)
        return worker

    yield one
    for worker in started:
        await worker.close()


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    """A master and its replica."""
    master = Server(tmp_path)
    replica = Server(tmp_path, "--replicaof", f"127.0.0.1 {master.port}")
    until(master.has_replicas)
    yield master, replica
    replica.thaw()
    for server in (replica, master):
        server.kill()
