"""Workers for the tests of use cases, as many as one wants, over one store."""

from collections.abc import AsyncIterator

import pytest

from service.private_redis import PrivateRedis
from tests.service.matches.workers import Start, Worker


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
