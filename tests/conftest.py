import os
import secrets
import signal
from collections.abc import Iterator

import pytest

from service.private_redis import PrivateRedis
from tests.serving import CALLERS, Caller, Serving

# A shell lets what it runs in the background ignore Ctrl-C, and programs started by it too: those of the tests are to hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    """A Redis that the test may freeze and kill."""
    server = PrivateRedis(tmp_path_factory.mktemp("own"))
    server.start()
    yield server
    if server.process is not None and server.process.poll() is None:
        os.kill(server.process.pid, signal.SIGCONT)
    server.stop()


@pytest.fixture
def key_prefix() -> str:
    """A prefix of its own for each test: tests share a Redis and see nothing of each other."""
    return f"test-{secrets.token_hex(6)}:"


@pytest.fixture(scope="session")
def serving(redis_server: PrivateRedis) -> Iterator[Serving]:
    """One worker for all tests that only call it."""
    running = Serving(redis_server.url).start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def callers(serving: Serving) -> Iterator[dict[str, Caller]]:
    made = {name: kind(serving) for name, kind in CALLERS.items()}
    yield made
    for caller in made.values():
        caller.close()


@pytest.fixture(params=list(CALLERS))
def caller(request: pytest.FixtureRequest, callers: dict[str, Caller]) -> Caller:
    """The same test over gRPC, REST and Connect."""
    return callers[request.param]
