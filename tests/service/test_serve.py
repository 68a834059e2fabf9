"""``umpire serve`` as an operator meets it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.cli import main
from service.config import ConfigError, read_settings
from service.supervisor import _announce
from tests.matchmaking import create
from tests.serving import RestCaller, free_port


class Served:
    """A running ``umpire serve`` with two workers; looks enough like Serving for a caller."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir
        self.http_port, self.grpc_port = free_port(), free_port()
        self.ops_port = free_port()  # and the next one: the kernel hands out every other port
        self.process: subprocess.Popen[str]
        self.http, self.grpc = f"http://127.0.0.1:{self.http_port}", f"127.0.0.1:{self.grpc_port}"

    def command(self, **changed: object) -> list[str]:
        settings = {"state-dir": self.state_dir, "http-port": self.http_port, "grpc-port": self.grpc_port, "ops-port": self.ops_port, "workers": 2}
        options = [part for name, value in (settings | changed).items() for part in (f"--{name}", str(value))]
        return [sys.executable, "-m", "service.cli", "serve", *options]

    def start(self) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UMPIRE_")}
        self.process = subprocess.Popen(self.command(), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        said = ""
        while "curl" not in said:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read() if self.process.stderr else ""
            said += line
        return said

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(30) == 0

    def children(self) -> list[int]:
        return [int(child) for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()]

    def named(self, what: str) -> list[int]:
        return [pid for pid in self.children() if what in Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")]

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + 20
        for port in (self.ops_port, self.ops_port + 1):
            while True:
                try:
                    if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=2).status_code == 200:
                        break
                except httpx.HTTPError:
                    pass
                assert time.monotonic() < deadline, "it does not heal"
                time.sleep(0.05)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    running = Served(tmp_path / "state")
    yield running
    running.stop()


def test_it_says_where_it_is_and_keeps_matches_and_credentials_over_a_restart(served: Served) -> None:
    said = served.start()
    assert re.search(rf"REST and Connect +http://127\.0\.0\.1:{served.http_port}/", said)
    assert re.search(rf"gRPC +127\.0\.0\.1:{served.grpc_port}\n", said)
    (playing,) = re.findall(r"^  (umpire play .*)$", said, re.MULTILINE)
    assert playing.endswith(f" --server 127.0.0.1:{served.grpc_port}")
    caller = RestCaller(served)  # type: ignore[arg-type]
    match = create(caller)
    played = match.play("draw")
    children = served.children()
    served.stop()
    assert not any(Path(f"/proc/{pid}").exists() for pid in children), "it stops everything that it started"
    served.start()
    assert match.view(match.spectator)["version"] == played["version"]
    assert (served.state_dir / "signing.key").stat().st_mode & 0o777 == 0o600
    assert served.state_dir.stat().st_mode & 0o777 == 0o700


def test_a_second_start_says_what_is_taken_and_what_to_change(served: Served, tmp_path: Path) -> None:
    served.start()
    for changed, said in (
        ({}, r"state directory .* in use.*--state-dir or UMPIRE_STATE_DIR"),
        ({"state-dir": tmp_path / "other"}, rf"port {served.http_port} .*--http-port or UMPIRE_HTTP_PORT"),
        ({"state-dir": tmp_path / "other", "http-port": free_port()}, rf"port {served.grpc_port} .*--grpc-port or UMPIRE_GRPC_PORT"),
    ):
        second = subprocess.run(served.command(**changed), capture_output=True, text=True, timeout=20, check=False)
        assert second.returncode == 2
        assert second.stderr.count("\n") == 1
        assert re.search(said, second.stderr), second.stderr


def test_workers_and_redis_that_die_are_started_again(served: Served) -> None:
    served.start()
    caller = RestCaller(served)  # type: ignore[arg-type]
    match = create(caller)
    match.play("draw")
    for what in ("service.cli worker", "redis-server"):
        before = served.named(what)
        os.kill(before[0], signal.SIGKILL)
        deadline = time.monotonic() + 20
        while len([pid for pid in served.named(what) if pid not in before[:1]]) < len(before):
            assert time.monotonic() < deadline, what
            time.sleep(0.05)
        served.wait_until_ready()
        caller = RestCaller(served)  # type: ignore[arg-type]
        match.caller = caller
        assert match.view(match.spectator)["version"] == 2


def test_a_supervisor_that_is_killed_leaves_nobody_behind(served: Served) -> None:
    served.start()
    children = served.children()
    served.process.kill()
    served.process.wait()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_text() for pid in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(("command", "variables", "said"), [
    ("worker", {}, "--redis-url.*--signing-keys.*--api-keys.*--insecure"),
    ("worker", {"UMPIRE_REDIS_URL": "redis://x"}, "--signing-keys.*--api-keys"),
    ("worker", {"UMPIRE_REDIS_URL": "redis://x", "UMPIRE_API_KEYS": "a:b"}, "--signing-keys"),
    ("serve", {"UMPIRE_HTTP_PORT": "many"}, "UMPIRE_HTTP_PORT must be a number"),
    ("serve", {"UMPIRE_HTTP_PORT": "70000"}, "UMPIRE_HTTP_PORT must be a number"),
    ("serve", {"UMPIRE_WORKERS": "0"}, "UMPIRE_WORKERS"),
    ("serve", {"UMPIRE_LOG_LEVEL": "loud"}, "UMPIRE_LOG_LEVEL"),
    ("serve", {"UMPIRE_INSECURE": "maybe"}, "UMPIRE_INSECURE must be 1 or 0"),
    ("serve", {"UMPIRE_SIGNING_KEYS": "a:00ff"}, "UMPIRE_SIGNING_KEYS: entry 1"),
    ("serve", {"UMPIRE_API_KEYS": "a:b,a:c"}, "UMPIRE_API_KEYS: entry 2"),
    ("worker", {"UMPIRE_TLS_CERT": "a.crt"}, "UMPIRE_TLS_KEY.* go together"),
    ("worker", {"UMPIRE_TLS_CLIENT_CA": "a.crt"}, "UMPIRE_TLS_CLIENT_CA.* with both"),
    ("worker", {"UMPIRE_TLS_CERT": "README.md", "UMPIRE_TLS_KEY": "README.md"}, "UMPIRE_TLS_KEY.* cannot be used"),
])  # fmt: skip
def test_settings_that_cannot_be_used_are_named(command: str, variables: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_settings(command, {}, variables)


def test_an_option_stands_above_the_environment_and_that_above_the_default() -> None:
    assert read_settings("serve", {}, {}).http_port == 8080
    assert read_settings("serve", {}, {"UMPIRE_HTTP_PORT": "8081"}).http_port == 8081
    assert read_settings("serve", {"http_port": "8082"}, {"UMPIRE_HTTP_PORT": "8081"}).http_port == 8082
    assert read_settings("serve", {}, {}).insecure is True
    assert read_settings("serve", {"insecure": False}, {}).insecure is False
    safe = {"UMPIRE_REDIS_URL": "redis://x", "UMPIRE_API_KEYS": "a:b", "UMPIRE_SIGNING_KEYS": "k:" + "0" * 64}
    assert read_settings("worker", {}, safe).insecure is False


@pytest.mark.parametrize("command", ["serve", "worker", "doctor", "admin match show"])
def test_an_option_that_a_command_does_not_have_shows_the_usage_of_that_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*command.split(), *(["a-match"] if "match" in command else []), "--bogus"])
    said = capsys.readouterr().err
    assert caught.value.code == 2
    assert said.startswith(f"usage: umpire {command} ")
    assert said.endswith("unrecognized arguments: --bogus\n")


@pytest.mark.parametrize(("host", "reached"), [("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("10.1.2.3", "10.1.2.3")])
def test_the_banner_names_an_address_that_can_be_reached(host: str, reached: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/umpire", "serve"])
    _announce(read_settings("serve", {"host": host, "grpc_port": "50099"}, {}))
    assert re.search(rf"^  \.venv/bin/umpire play \w+ --server {re.escape(reached)}:50099$", capsys.readouterr().out, re.MULTILINE)


def test_with_api_keys_it_says_how_one_is_given_and_shows_none(capsys: pytest.CaptureFixture[str]) -> None:
    _announce(read_settings("serve", {"api_keys": "shop:a-secret"}, {}))
    said = capsys.readouterr().out
    assert re.search(r"^  curl .* -H 'x-api-key: …' ", said, re.MULTILINE)
    assert re.search(r"^  UMPIRE_API_KEY=… \S+ play ", said, re.MULTILINE)
    assert "a-secret" not in said


def test_a_worker_refuses_to_start_without_keys() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UMPIRE_")}
    done = subprocess.run([sys.executable, "-m", "service.cli", "worker"], env=environment, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("umpire: a worker needs")
