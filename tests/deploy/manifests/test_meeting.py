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
from tests.deploy.manifests.reading import KUBERNETES, PASSWORD
from tests.deploy.manifests.test_redis import command_of, wait_for

MEET = KUBERNETES / "overlays" / "cluster" / "meet.sh"
NAMES = ("node-0", "node-1", "node-2")
GENERATIONS = itertools.count(os.getpid() * 8)
REDIS_CLI = f"""#!{sys.executable}
import os, sys
from redis import Redis
answer = Redis(os.environ["POD_IP"], password=os.environ["REDISCLI_AUTH"], protocol=2).connection_pool.get_connection()
answer.send_command(*sys.argv[1:])
print(answer.read_response().decode())
"""
GETENT = """#!/bin/sh
grep " $2$" "$NAMES_FILE"
"""


class Pods:
    """Three servers with the command of the manifest, each on an address of its own, as pods have them. What ``getent`` says is in ``names``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names = folder / "names"
        self.addresses: dict[str, str] = {}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        for name, text in (("redis-cli", REDIS_CLI), ("getent", GETENT)):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        for name in NAMES:
            (folder / name).mkdir()
        self.give_addresses(*NAMES)

    def give_addresses(self, *names: str) -> None:
        network, part = divmod(next(GENERATIONS), 250)
        self.addresses |= {name: f"127.{64 + network % 128}.{part}.{1 + NAMES.index(name)}" for name in names}

    def start(self, *names: str) -> None:
        for name in names:
            address = self.addresses[name]
            words, path = command_of("cluster")
            conf = self.folder / name / "redis.conf"
            conf.write_text(path.read_text().replace("dir /data", f"dir {conf.parent}"))
            words = words.replace("/etc/redis/redis.conf", str(conf)).replace("/etc/redis/meet.sh", str(MEET)).replace("redis-server", str(find_server()))
            words = words.replace("\nend", f"\nbind {address}\nbind-source-addr {address}\ncluster-node-timeout 2000\nend")
            environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "POD_IP": address, "NODES": " ".join(NAMES), "NAMES_FILE": str(self.names)}
            environment |= {"REDIS_PASSWORD": PASSWORD, "REDISCLI_AUTH": PASSWORD, "MEET_EVERY": "0.5"}
            self.processes[name] = subprocess.Popen(["sh", "-c", words], env=environment, preexec_fn=die_with_parent)  # noqa: PLW1509 - as the service does
        for client in self.clients():
            wait_for(client)

    def tell_names(self) -> None:
        self.names.write_text("".join(f"{address} {name}\n" for name, address in self.addresses.items()))

    def stop(self, *names: str) -> None:
        for name in names:
            self.processes[name].terminate()
        for name in names:
            self.processes.pop(name).wait(20)

    def clients(self) -> list[Redis]:
        return [Redis(address, password=PASSWORD, socket_timeout=5) for address in self.addresses.values()]

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


def all_see_all(pods: Pods) -> bool:
    deadline = time.monotonic() + 20
    while pods.seen() != [{(address, True) for address in pods.addresses.values()}] * len(NAMES):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


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


def test_nodes_that_all_come_back_elsewhere_meet_once_their_names_are_there(formed: Pods) -> None:
    formed.stop(*NAMES)
    formed.names.write_text("")
    formed.give_addresses(*NAMES)
    formed.start(*NAMES)
    time.sleep(3)  # no name is known yet, and each has looked
    formed.tell_names()
    assert all_see_all(formed), formed.seen()


def test_a_node_that_comes_back_elsewhere_tells_its_new_address(formed: Pods) -> None:
    formed.stop("node-1")
    formed.give_addresses("node-1")
    formed.start("node-1")  # its name leads to where it was: that it has moved is for itself to say
    assert all_see_all(formed), formed.seen()
