"""Calls are spread over workers one by one, also those of a single gRPC connection; a worker that comes or goes changes nothing for clients."""

import re

import httpx
import pytest

from tests.deploy.envoy.conftest import Start
from tests.deploy.envoy.gateway import TLS, UNLIMITED
from tests.serving import CALLERS, Serving

CALLS = 300
METRIC = {"grpc": "grpc_server_handled_total", "rest": "http_server_handled_total", "connect": "connect_server_handled_total"}


def handled(worker: Serving, transport: str) -> float:
    """How many calls of GetGame a worker has answered through one door."""
    text = httpx.get(f"http://127.0.0.1:{worker.ops_ports[0]}/metrics", timeout=5).text
    found = re.findall(rf'^{METRIC[transport]}{{[^}}]*"GetGame"[^}}]*}} (\S+)$', text, re.MULTILINE)
    return sum(map(float, found))


@pytest.mark.parametrize("transport", CALLERS)
def test_the_calls_of_one_connection_are_spread_over_all_workers(transport: str, start_gateway: Start, own_workers: list[Serving]) -> None:
    caller = CALLERS[transport](start_gateway(own_workers, *TLS, *UNLIMITED).address)
    before = [handled(worker, transport) for worker in own_workers]
    for _ in range(CALLS):
        assert caller.call("GetGame", {"game": "goldn_crash"}).ok
    caller.close()
    shares = [handled(worker, transport) - earlier for worker, earlier in zip(own_workers, before, strict=True)]
    assert sum(shares) == CALLS
    assert min(shares) > CALLS / 6, shares


def test_a_worker_that_is_not_ready_gets_nothing(start_gateway: Start, own_workers: list[Serving]) -> None:
    gone = Serving("redis://127.0.0.1:1")  # nobody is there
    gateway = start_gateway(own_workers[:2], *TLS, *UNLIMITED, "--worker", f"127.0.0.1:{gone.http_port}:{gone.grpc_port}:{gone.ops_ports[0]}")
    for kind in CALLERS.values():
        caller = kind(gateway.address)
        assert all(caller.call("GetGame", {"game": "goldn_crash"}).ok for _ in range(20))
        caller.close()
