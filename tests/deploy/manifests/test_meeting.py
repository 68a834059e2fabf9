"""Nodes of the cluster that come back with other addresses find each other with the script of the manifests, also if their names come up late."""

import itertools
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.private_redis import die_with_parent, find_server
from tests.deploy.manifests.reading import KUBERNETES
from tests.deploy.manifests.test_redis import wait_for

MEET = KUBERNETES / "overlays" / "cluster" / "meet.sh"
NAMES = ("node-0", "node-1", "node-2")
REDIS_CLI = f"""#!{sys.executable}
import os, sys
from redis import Redis
answer = Redis(os.environ["MYSELF"], protocol=2).connection_pool.get_connection()
answer.send_command(*sys.argv[1:])
print(answer.read_response().decode())
"""
GETENT = """#!/bin/sh
grep " $2$" "$NAMES_FILE"
"""


class Pods:
    """Three servers, each on an address of its own, as pods have them; a start gives them other addresses. What ``getent`` says is in ``names``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names = folder / "names"
        self.generation = os.getpid() % 250
        self.network = 64 + os.getpid() // 250 % 128
        self.processes: list[subprocess.Popen[bytes]] = []
        for name, text in (("redis-cli", REDIS_CLI), ("getent", GETENT)):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        for name in NAMES:
            (folder / name).mkdir()

    def addresses(self) -> dict[str, str]:
        return {name: f"127.{self.network}.{self.generation}.{number}" for number, name in enumerate(NAMES, 1)}

    def start(self) -> None:
        self.generation += 1
        self.names.write_text("")
        for name, address in self.addresses().items():
            options = f"--port 6379 --bind {address} --bind-source-addr {address} --dir {self.folder / name} --save ''"
            options += " --cluster-enabled yes --cluster-node-timeout 2000"
            words = f"sh {MEET} &\nexec {find_server()} {options}"
            environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "MYSELF": address, "NODES": " ".join(NAMES)}
            environment |= {"NAMES_FILE": str(self.names), "MEET_EVERY": "0.5"}
            with (self.folder / f"{name}.log").open("ab") as log:
                self.processes.append(subprocess.Popen(["sh", "-c", words], env=environment, stdout=log, stderr=log, preexec_fn=die_with_parent))  # noqa: PLW1509
        for client in self.clients():
            wait_for(client)

    def tell_names(self) -> None:
        self.names.write_text("".join(f"{address} {name}\n" for name, address in self.addresses().items()))

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(20)
        self.processes.clear()

    def clients(self) -> list[Redis]:
        return [Redis(address, socket_timeout=5) for address in self.addresses().values()]

    def seen(self) -> list[set[tuple[str, bool]]]:
        """Whom each sees, and whether it is connected to it."""
        found = []
        for client in self.clients():
            with client:
                nodes = client.execute_command("CLUSTER NODES")
                found.append({(place.partition(":")[0], bool(node["connected"])) for place, node in nodes.items()})
        return found


@pytest.fixture
def pods(tmp_path: Path) -> Iterator[Pods]:
    made = Pods(tmp_path)
    try:
        for address, port in itertools.product(made.addresses().values(), (6379, 16379)):
            with socket.socket() as probe:
                probe.bind((address, port))
    except OSError as error:
        pytest.skip(f"needs these ports on many addresses of loopback, as pods have them: {error}")
    try:
        yield made
    finally:
        made.stop()


def all_see_all(pods: Pods) -> bool:
    deadline = time.monotonic() + 20
    while pods.seen() != [{(address, True) for address in pods.addresses().values()}] * len(NAMES):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def test_nodes_that_all_come_back_elsewhere_meet_once_their_names_are_there(pods: Pods) -> None:
    pods.start()
    pods.tell_names()
    time.sleep(1.5)
    assert [len(seen) for seen in pods.seen()] == [1, 1, 1], "nodes that were never in a cluster are left alone"
    first, *_ = pods.clients()
    for address in pods.addresses().values():
        first.execute_command("CLUSTER MEET", address, 6379)
    assert all_see_all(pods), pods.seen()
    pods.stop()
    pods.start()
    time.sleep(3)  # no name is known yet, and each has looked
    pods.tell_names()
    assert all_see_all(pods), pods.seen()
