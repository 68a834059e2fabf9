from collections.abc import Iterator

import pytest

from service.private_redis import PrivateRedis
from tests.serving import Serving


@pytest.fixture
def served(own_redis: PrivateRedis) -> Iterator[Serving]:
    serving = Serving(own_redis.url, workers=2, log_level="error", heartbeat="2").start()
    yield serving
    serving.stop()
