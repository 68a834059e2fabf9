"""The Redis of the manifests, started with the command that stands in them."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError
from redis.exceptions import ConnectionError as Away
from redis.retry import Retry

from service.private_redis import die_with_parent, find_server
from tests.deploy.manifests.reading import COMPOSE, KUBERNETES, OVERLAYS, PASSWORD, compose, named, objects, pod_of
from tests.serving import free_port

PLACES = ("compose", *OVERLAYS)


def command_of(place: str) -> tuple[str, Path]:
    """The shell's words, and the redis.conf that they include."""
    if place == "compose":
        service = compose()["services"]["redis"]
        assert service["command"][:2] == ["sh", "-c"]
        return service["command"][2], COMPOSE / "redis.conf"
    (container,) = pod_of(named(objects(place), "StatefulSet", "umpire-redis"))["containers"]
    assert container["command"][:2] == ["sh", "-c"]
    return container["command"][2], KUBERNETES / "overlays" / place / "redis.conf"


@pytest.fixture(params=PLACES)
def started(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Redis, subprocess.Popen[bytes]]]:
    words, path = command_of(request.param)
    port = free_port()
    (tmp_path / "redis.conf").write_text(path.read_text().replace("dir /data", f"dir {tmp_path}"))
    assert "include /etc/redis/redis.conf" in words
    words = words.replace("/etc/redis/redis.conf", str(tmp_path / "redis.conf")).replace("redis-server", str(find_server()))
    words = words.replace("\nend", f"\nport {port}\nbind 127.0.0.1\nlogfile {tmp_path / 'log'}\nend")
    process = subprocess.Popen(["sh", "-c", words], env={"REDIS_PASSWORD": PASSWORD, "POD_IP": "127.0.0.1"}, preexec_fn=die_with_parent)  # noqa: PLW1509 - as the service does
    client = Redis(port=port, password=PASSWORD, socket_timeout=5)
    try:
        wait_for(client)
        yield client, process
    finally:
        client.close()
        process.terminate()
        assert process.wait(20) == 0


def wait_for(client: Redis) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            client.ping()
        except Away:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return


def test_it_keeps_every_acknowledged_move_and_throws_nothing_away(started: tuple[Redis, subprocess.Popen[bytes]]) -> None:
    client, _ = started
    wanted = {"appendonly": "yes", "appendfsync": "always", "save": "", "maxmemory-policy": "noeviction", "maxmemory": str(1 << 30)}
    assert {name: client.config_get(name)[name] for name in wanted} == wanted


def test_it_asks_for_the_password_which_stands_in_no_list_of_processes(started: tuple[Redis, subprocess.Popen[bytes]]) -> None:
    client, process = started
    with Redis(port=client.get_connection_kwargs()["port"], retry=Retry(NoBackoff(), 0)) as stranger, pytest.raises(AuthenticationError):
        stranger.ping()
    assert PASSWORD.encode() not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
