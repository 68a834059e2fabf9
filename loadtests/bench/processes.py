"""Starting what is measured: a worker with a Redis of its own, and the echo; and reading how much CPU a process has used."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path


def free_port() -> int:
    """Choose a port that nobody listens on, below those that the kernel gives to outgoing connections: such a one could be taken before it is used."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _free_row(ports: int) -> int:
    """Choose the first of so many free ports in a row."""
    while True:
        first = free_port()
        with contextlib.ExitStack() as probes, contextlib.suppress(OSError):
            for port in range(first, first + ports):
                probes.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that a process has used, in user and system, to the nanosecond: Linux has such a clock for each process, named by its pid."""
    return time.clock_gettime((~pid << 3) | 2)


def resident_mb(pid: int) -> float:
    """Return the megabytes (10^6 bytes) of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def pin(pid: int, core: int) -> None:
    """Keep a process to one core, where there are several: what is measured and what measures must not take turns on one."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {cores[core % len(cores)]})


class Umpire:
    """``umpire serve``, by default with one worker, its log thrown away."""

    def __init__(self, state_dir: Path, workers: int = 1) -> None:
        self.http_port, self.grpc_port, self.ops_port = free_port(), free_port(), _free_row(workers)
        self.ops = [f"http://127.0.0.1:{self.ops_port + index}" for index in range(workers)]
        environment = os.environ | {
            "UMPIRE_STATE_DIR": str(state_dir),
            "UMPIRE_WORKERS": str(workers),
            "UMPIRE_HTTP_PORT": str(self.http_port),
            "UMPIRE_GRPC_PORT": str(self.grpc_port),
            "UMPIRE_OPS_PORT": str(self.ops_port),
        }
        command = [str(Path(sys.executable).with_name("umpire")), "serve"]
        self._process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.workers = self._wait_for_workers()
        self.worker = self.workers[0]
        self.redis = next(pid for pid in self._children(self._process.pid) if pid not in self.workers)
        self.redis_url = f"unix://{self._redis_socket()}"

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)

    def _wait_for_workers(self) -> list[int]:
        deadline = time.monotonic() + 30
        for url in self.ops:
            while time.monotonic() < deadline and self._process.poll() is None:
                try:
                    with urllib.request.urlopen(f"{url}/readyz", timeout=1):
                        break
                except OSError:
                    time.sleep(0.1)
        return [pid for pid in self._children(self._process.pid) if b"worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def _redis_socket(self) -> str:
        """Where the private Redis listens; it names itself by it: ``redis-server unixsocket:/…``."""
        title = Path(f"/proc/{self.redis}/cmdline").read_bytes().rstrip(b"\0 ").decode()
        return title.partition("unixsocket:")[2]

    @staticmethod
    def _children(pid: int) -> list[int]:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


class Echo:
    """The bare grpc.aio echo; for its commits it uses the Redis of the service that it is compared with."""

    def __init__(self, redis_url: str) -> None:
        self.port = free_port()
        self._process = subprocess.Popen([sys.executable, "-m", "loadtests.bench.echo_server", str(self.port), redis_url])
        self.pid = self._process.pid
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.05)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)
