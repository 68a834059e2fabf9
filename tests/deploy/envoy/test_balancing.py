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


@pytest.mark.parametrize(
    ("method", "kind"), [("GET", "application/grpc"), ("PUT", "application/grpc"), ("POST", "application/grpcx"), ("POST", "application/grpc-web; x")]
)
def test_what_is_not_grpc_after_all_puts_no_worker_aside(method: str, kind: str, start_gateway: Start, own_workers: list[Serving]) -> None:
    gateway = start_gateway(own_workers, *UNLIMITED)
    for _ in range(10):
        status = httpx.request(method, f"{gateway.address.http}/umpire.v1.CatalogService/ListGames", headers={"content-type": kind}, timeout=20).status_code
        assert 400 <= status < 500  # from the HTTP door
    text = httpx.get(f"http://127.0.0.1:{gateway.admin_port}/stats?filter=ejections_enforced_total", timeout=5).text
    assert [line.rpartition(": ")[2] for line in text.split("\n") if line] == ["0", "0"]
