from collections.abc import Callable, Iterator

import pytest

from service.private_redis import PrivateRedis
from tests.deploy.envoy.gateway import TLS, UNLIMITED, Gateway
from tests.serving import CALLERS, Caller, Serving

Start = Callable[..., Gateway]


@pytest.fixture(scope="module")
def start_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start Envoys, which end with the module."""
    started: list[Gateway] = []

    def start(workers: list[Serving], *options: str, **more: Callable[[str], str]) -> Gateway:
        started.append(Gateway(tmp_path_factory.mktemp("envoy"), workers, *options, **more))
        return started[-1].start()

    yield start
    for gateway in started:
        gateway.stop()


@pytest.fixture(scope="module")
def gateway(start_gateway: Start, serving: Serving) -> Gateway:
    """Envoy with TLS before the worker that most tests share."""
    return start_gateway([serving], *TLS, *UNLIMITED)


@pytest.fixture(scope="module")
def callers(gateway: Gateway) -> Iterator[dict[str, Caller]]:
    """The three ways to call, all through the one port."""
    made = {name: kind(gateway.address) for name, kind in CALLERS.items()}
    yield made
    for caller in made.values():
        caller.close()


@pytest.fixture(scope="session")
def own_workers(redis_server: PrivateRedis) -> Iterator[list[Serving]]:
    """Three workers, each with ports of its own and a heartbeat of a second."""
    workers = [Serving(redis_server.url, heartbeat="1") for _ in range(3)]
    for worker in workers:
        worker.processes.append(worker.start_worker(0))
    for worker in workers:
        worker.wait_until_ready()
    yield workers
    for worker in workers:
        worker.stop()
