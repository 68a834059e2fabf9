"""Redis servers of every kind of set-up."""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import AuthenticationError, RedisError

from service.private_redis import find_server

StartRedis = Callable[..., str]


@pytest.fixture
def start_redis(tmp_path: Path) -> Iterator[StartRedis]:
    """Start a Redis with these settings, on a socket, and return its address; without any, it is as Umpire wants it but for what is given."""
    running: list[subprocess.Popen[bytes]] = []

    def start(**settings: str) -> str:
        folder = tmp_path / f"redis-{len(running)}"
        folder.mkdir()
        socket = folder / "s"
        wanted = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""}
        wanted |= {name.replace("_", "-"): value for name, value in settings.items()}
        fixed = {"port": "0", "unixsocket": str(socket), "dir": str(folder), "daemonize": "no"}
        arguments = [part for name, value in (wanted | fixed).items() for part in (f"--{name}", *([value] if name == "save" else value.split(" ")))]
        running.append(subprocess.Popen([str(find_server()), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        deadline = time.monotonic() + 20
        while True:
            try:
                Redis(unix_socket_path=str(socket)).ping()
            except AuthenticationError:
                break
            except RedisError:
                assert time.monotonic() < deadline, "it does not come up"
                time.sleep(0.02)
            else:
                break
        return f"unix://{socket}"

    yield start
    for process in running:
        process.kill()
        process.wait()
