import itertools
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

import service.worker
from service.cli import main
from service.config import Settings
from tests.deploy.manifests.pods import NAMES, Pods, all_see_all, follows, is_whole, wait_until

Started = Callable[[Sequence[str], Mapping[str, str]], Settings]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """Runs the command line as a manifest would, up to the point where the worker would open its ports; returns the settings in force."""

    def start(arguments: Sequence[str], variables: Mapping[str, str]) -> Settings:
        seen: list[Settings] = []
        monkeypatch.setattr(service.worker, "run_worker", seen.append)
        monkeypatch.setitem(sys.modules, "rich", sys.modules.get("rich"))  # the command line takes it out
        for name in [name for name in os.environ if name.startswith("UMPIRE_")]:
            monkeypatch.delenv(name)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert main(arguments) == 0
        (settings,) = seen
        return settings

    return start


@pytest.fixture
def pods(tmp_path: Path) -> Iterator[Pods]:
    made = Pods(tmp_path)
    try:
        for address, port in itertools.product(made.addresses.values(), (6379, 16379)):
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((address, port))
    except OSError as error:
        pytest.skip(f"needs these ports on many addresses of loopback, as pods have them: {error}")
    try:
        yield made
    finally:
        made.stop(*made.processes)


@pytest.fixture
def formed(pods: Pods) -> Pods:
    pods.start(*NAMES)
    pods.tell_names()
    time.sleep(1.5)
    assert [len(seen) for seen in pods.seen()] == [1, 1, 1], "nodes that were never in a cluster are left alone"
    first, *_ = pods.clients()
    for address in pods.addresses.values():
        first.execute_command("CLUSTER MEET", address, 6379)
    assert all_see_all(pods), pods.seen()
    return pods


@pytest.fixture
def with_a_replica(formed: Pods) -> Pods:
    """Two masters with half of the slots each, and a replica of the first."""
    first, second, third = formed.clients()
    first.execute_command("CLUSTER ADDSLOTSRANGE", 0, 8191)
    third.execute_command("CLUSTER ADDSLOTSRANGE", 8192, 16383)
    second.execute_command("CLUSTER REPLICATE", first.execute_command("CLUSTER MYID").decode())
    wait_until(lambda: follows(second))
    wait_until(lambda: all(is_whole(client) for client in formed.clients()))
    return formed
