import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from engines.registry import games
from service.private_redis import PrivateRedis
from tests.deploy.envoy.gateway import TLS, Gateway
from tests.deploy.observing.players import Players
from tests.deploy.observing.prometheus import Prometheus
from tests.serving import Serving

# There is a limit, so that it is measured; it is not reached.
LIMITS = ("--rate", "5000", "--client-rate", "5000")


@dataclass
class Running:
    """All of it: workers with a Redis of their own, Envoy before them, players, and a Prometheus that looks on."""

    redis: PrivateRedis
    workers: list[Serving]
    gateway: Gateway
    players: Players
    prometheus: Prometheus


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    redis = PrivateRedis(tmp_path_factory.mktemp("redis"))
    redis.start()
    workers = [Serving(redis.url, heartbeat="1", log_level="error") for _ in range(2)]
    for worker in workers:
        worker.processes.append(worker.start_worker(0))
    gateway = Gateway(tmp_path_factory.mktemp("envoy"), workers, *TLS, *LIMITS)
    players = Players(gateway, list(games()))
    targets = {"umpire": [f"127.0.0.1:{worker.ops_ports[0]}" for worker in workers], "envoy": [f"127.0.0.1:{gateway.stats_port}"]}
    prometheus = Prometheus(tmp_path_factory.mktemp("prometheus"), targets)
    try:
        prometheus.start()
        for worker in workers:
            worker.wait_until_ready()
        gateway.start()
        yield Running(redis, workers, gateway, players.start(), prometheus)
    finally:
        if redis.process is not None:
            os.kill(redis.process.pid, signal.SIGCONT)
        players.stop()
        gateway.stop()
        for worker in workers:
            worker.stop()
        prometheus.stop()
        redis.stop()
