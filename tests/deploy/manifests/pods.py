"""Servers of a cluster as the pods of the manifests are: started by their command, each on an address of its own, with the scripts of the manifests."""

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from redis import Redis

from service.private_redis import die_with_parent, find_server
from tests.deploy.manifests.reading import KUBERNETES, PASSWORD
from tests.deploy.manifests.test_redis import command_of, wait_for

CLUSTER = KUBERNETES / "overlays" / "cluster"
NAMES = ("node-0", "node-1", "node-2")
GENERATIONS = itertools.count(os.getpid() * 8)
# Without redis-py, which takes longer to load than a script of many commands may take.
REDIS_CLI = f"""#!{sys.executable} -IS
import os, socket, sys
def ask(*words):
    sent.sendall(b"".join([b"*%d\\r\\n" % len(words), *[b"$%d\\r\\n%s\\r\\n" % (len(word.encode()), word.encode()) for word in words]]))
    return read()
def read():
    line = replies.readline()[:-2].decode()
    if line[0] == "$":
        return replies.read(int(line[1:]) + 2)[:-2].decode()
    return [read() for _ in range(int(line[1:]))] if line[0] == "*" else line[1:]
words, host = sys.argv[1:], os.environ["POD_IP"]
if words[0] == "-h":
    _, host, *words = words
    host = {{name: address for address, name in map(str.split, open(os.environ["NAMES_FILE"]))}}.get(host, host)
sent = socket.create_connection((host, 6379))
replies = sent.makefile("rb")
ask("AUTH", os.environ["REDISCLI_AUTH"])
answer = ask(*words)
print(*answer if isinstance(answer, list) else [answer.rstrip()], sep="\\n")
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

    def environment(self, name: str, password: str = PASSWORD) -> dict[str, str]:
        here = {"PATH": f"{self.folder}:{os.environ['PATH']}", "POD_IP": self.addresses[name], "NODES": " ".join(NAMES), "NAMES_FILE": str(self.names)}
        return here | {"REDIS_PASSWORD": password, "REDISCLI_AUTH": password, "MEET_EVERY": "0.5"}

    def run(self, name: str, script: str) -> "subprocess.CompletedProcess[str]":
        """Run a script in a pod that was started with the first password."""
        return subprocess.run(["sh", str(CLUSTER / script)], env=self.environment(name), capture_output=True, text=True, timeout=60, check=False)

    def start(self, *names: str, password: str = PASSWORD) -> None:
        for name in names:
            address = self.addresses[name]
            words, path = command_of("cluster")
            conf = self.folder / name / "redis.conf"
            conf.write_text(path.read_text().replace("dir /data", f"dir {conf.parent}"))
            words = (
                words.replace("/etc/redis/redis.conf", str(conf))
                .replace("/etc/redis/meet.sh", str(CLUSTER / "meet.sh"))
                .replace("redis-server", str(find_server()))
            )
            words = words.replace("\nend", f"\nbind {address}\nbind-source-addr {address}\ncluster-node-timeout 2000\nend")
            environment = self.environment(name, password)
            self.processes[name] = subprocess.Popen(["sh", "-c", words], env=environment, preexec_fn=die_with_parent)  # noqa: PLW1509 - as the service does
        for name in names:
            wait_for(self.client(name, password))

    def tell_names(self) -> None:
        self.names.write_text("".join(f"{address} {name}\n" for name, address in self.addresses.items()))

    def stop(self, *names: str) -> None:
        for name in names:
            self.processes[name].terminate()
        for name in names:
            self.processes.pop(name).wait(20)

    def client(self, name: str, password: str = PASSWORD) -> Redis:
        return Redis(self.addresses[name], password=password, socket_timeout=5)

    def clients(self, *names: str) -> list[Redis]:
        return [self.client(name) for name in names or NAMES]

    def seen(self, *names: str) -> list[set[tuple[str, bool]]]:
        """Whom each sees, and whether it is connected to it."""
        found = []
        for client in self.clients(*names):
            with client:
                nodes = client.execute_command("CLUSTER NODES")
                found.append({(place.partition(":")[0], bool(node["connected"])) for place, node in nodes.items()})
        return found


def all_see_all(pods: Pods) -> bool:
    deadline = time.monotonic() + 20
    while pods.seen() != [{(address, True) for address in pods.addresses.values()}] * len(NAMES):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def follows(client: Redis) -> bool:
    """Whether it has all of its master, and has written it down: before that it does not stop either."""
    info = client.info()
    return info.get("master_link_status") == "up" and not info["aof_rewrite_in_progress"] and not info["aof_rewrite_scheduled"]


def is_whole(client: Redis) -> bool:
    return dict(client.execute_command("CLUSTER INFO"))["cluster_state"] == "ok"
