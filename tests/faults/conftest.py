import os
import signal
from collections.abc import Iterator

import pytest

from service.private_redis import PrivateRedis
from tests.serving import Serving


@pytest.fixture
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path_factory.mktemp("own"))
    server.start()
    yield server
    if server.process is not None and server.process.poll() is None:
        os.kill(server.process.pid, signal.SIGCONT)
    server.stop()


@pytest.fixture
def served(own_redis: PrivateRedis) -> Iterator[Serving]:
    serving = Serving(own_redis.url, workers=2, log_level="error", heartbeat="2").start()
    yield serving
    serving.stop()
