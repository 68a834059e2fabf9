import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import uvloop

from service.private_redis import PrivateRedis
from service.store import Store


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Both loops: what a dying connection raises differs."""
    return {"asyncio": asyncio.SelectorEventLoop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
async def store(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[Store]:
    opened = Store(redis_server.url, prefix=key_prefix)
    await opened.open()
    yield opened
    async for key in opened._servers.client.scan_iter(f"{key_prefix}*"):
        await opened._servers.client.delete(key)
    await opened.close()


@pytest.fixture
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    """A Redis that the test may freeze and kill."""
    server = PrivateRedis(tmp_path_factory.mktemp("own"))
    server.start()
    yield server
    if server.process is not None and server.process.poll() is None:
        os.kill(server.process.pid, signal.SIGCONT)
    server.stop()
