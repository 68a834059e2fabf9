"""Redis servers that belong together: a cluster, or a master that a sentinel watches. Small timeouts, everything on loopback."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from service.private_redis import die_with_parent, find_server
from tests.serving import free_port

NODE_TIMEOUT_MS = 1_500
SLOTS = 16_384


def until(is_so: Callable[[], object], seconds: float = 40.0) -> None:
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(RedisError, OSError):
            if is_so():
                return
        assert time.monotonic() < deadline, "it does not come to be"
        time.sleep(0.05)


class Server:
    """A redis-server of its own folder and port."""

    def __init__(self, folder: Path, *more: str, file: str = "", settings: str = "") -> None:
        self.port = free_port()
        self.folder = folder / str(self.port)
        self.folder.mkdir()
        self._file = file
        if file:
            (self.folder / file).write_text(f"port {self.port}\ndir {self.folder}\n{settings}")
        self._more = more
        self.client: Any = Redis(port=self.port, socket_timeout=5)
        self.start()

    def start(self) -> None:
        fixed = [
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--dir",
            str(self.folder),
            "--save",
            "",
            "--repl-diskless-sync-delay",
            "0",
            "--repl-ping-replica-period",
            "1",
        ]
        arguments = [str(self.folder / self._file), *self._more] if self._file else [*fixed, *self._more]
        command = [str(find_server()), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)  # noqa: PLW1509 - as in private_redis
        until(self.client.ping)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def freeze(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGCONT)

    def has_replicas(self) -> bool:
        """Whether all that it knows has arrived at a replica."""
        info = self.client.info("replication")
        return info["connected_slaves"] > 0 and all(
            info[f"slave{number}"]["state"] == "online" and info[f"slave{number}"]["offset"] >= info["master_repl_offset"]
            for number in range(info["connected_slaves"])
        )


class RedisCluster:
    """Three masters, the first so many of them with a replica each."""

    def __init__(self, folder: Path, replicas: int) -> None:
        self.masters = [self._server(folder) for _ in range(3)]
        self.replicas = [self._server(folder) for _ in range(replicas)]
        self.url = f"redis+cluster://{','.join(f'127.0.0.1:{server.port}' for server in self.masters)}"
        bounds = [SLOTS * number // 3 for number in range(4)]
        for number, server in enumerate(self.servers):
            server.client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for number, master in enumerate(self.masters):
            master.client.execute_command("CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)
        for server in self.servers[1:]:
            self.masters[0].client.execute_command("CLUSTER", "MEET", "127.0.0.1", server.port, server.client.config_get("cluster-port")["cluster-port"])
        until(lambda: all(int(self.info(server)["cluster_known_nodes"]) == len(self.servers) for server in self.servers))
        for master, replica in zip(self.masters, self.replicas, strict=False):
            name = self.name(master)
            until(lambda name=name, replica=replica: replica.client.execute_command("CLUSTER", "REPLICATE", name))
        until(lambda: all(self.info(server)["cluster_state"] == "ok" for server in self.servers))
        until(lambda: all(master.has_replicas() for master in self.masters[:replicas]))
        until(lambda: all(self._knows_all(server, replicas) for server in self.servers))

    @property
    def servers(self) -> list[Server]:
        return [*self.masters, *self.replicas]

    @staticmethod
    def info(server: Server) -> dict[str, str]:
        found = server.client.execute_command("CLUSTER INFO")
        return found if isinstance(found, dict) else dict(line.split(":") for line in found.decode().split())

    @staticmethod
    def name(server: Server) -> str:
        return server.client.execute_command("CLUSTER", "MYID").decode()

    def master_of(self, key: str) -> Server:
        """The master that has a key, as the living say."""
        slot = key_slot(key.encode())
        asked = next(server for server in self.servers if server.process.poll() is None)
        port = next(master[1] for first, last, master, *_ in asked.client.execute_command("CLUSTER", "SLOTS") if first <= slot <= last)
        return next(server for server in self.servers if server.port == port)

    def stop(self) -> None:
        for server in self.servers:
            server.kill()

    @staticmethod
    def _knows_all(server: Server, replicas: int) -> bool:
        return sorted(len(one) for one in server.client.execute_command("CLUSTER", "SLOTS")) == sorted([4] * replicas + [3] * (3 - replicas))

    @staticmethod
    def _server(folder: Path) -> Server:
        return Server(
            folder,
            *("--cluster-enabled", "yes", "--cluster-port", str(free_port()), "--cluster-node-timeout", str(NODE_TIMEOUT_MS)),
            *("--cluster-require-full-coverage", "no", "--cluster-replica-validity-factor", "0"),
        )


class Watched:
    """A master with a replica, and a sentinel that watches them."""

    service = "matches"

    def __init__(self, folder: Path) -> None:
        self.master = Server(folder)
        self.replica = Server(folder, "--replicaof", f"127.0.0.1 {self.master.port}")
        until(self.master.has_replicas)
        name = self.service
        settings = (
            f"sentinel monitor {name} 127.0.0.1 {self.master.port} 1\nsentinel down-after-milliseconds {name} 800\nsentinel failover-timeout {name} 3000\n"
        )
        self.sentinel = Server(folder, "--sentinel", file="sentinel.conf", settings=settings)
        until(lambda: self.sentinel.client.sentinel_master(name)["num-slaves"] == 1)
        self.url = f"redis+sentinel://127.0.0.1:{free_port()},127.0.0.1:{self.sentinel.port}/{name}"  # the first is away

    def stop(self) -> None:
        for server in (self.sentinel, self.replica, self.master):
            server.kill()
