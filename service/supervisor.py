"""``umpire serve``: a private Redis and N workers on one machine, until Ctrl-C or SIGTERM.

Order: lock the state directory, probe the ports, start Redis, make the signing key, start the workers. A worker that dies is started again.
"""

import fcntl
import json
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from service.config import ConfigError, Settings, worker_environment
from service.credentials import SigningKey
from service.private_redis import PrivateRedis, die_with_parent

_START_S = 30.0
_DRAIN_S = 15.0
_PAUSES_S = (0.1, 0.5, 2.0, 5.0)
_STEADY_S = 30.0


class Supervisor:
    """Keeps what ``umpire serve`` starts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stopping = threading.Event()
        self._workers: list[_WorkerProcess] = []

    def run(self) -> int:
        """Serve until told to stop; returns the exit status.

        Raises:
            ConfigError: something that it needs is taken or cannot be had; the message says which setting to change.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._stopping.set())
        state_dir = self._settings.state_dir
        _make_private(state_dir)
        with _locked(state_dir):
            _probe_ports(self._settings)
            redis = None if self._settings.redis_url else PrivateRedis(state_dir)
            try:
                if redis is not None:
                    redis.start()
                settings = msgspec.structs.replace(self._settings, redis_url=redis.url if redis else self._settings.redis_url)
                keys = self._settings.signing_keys or (_signing_key(state_dir / "signing.key"),)
                self._workers = [_WorkerProcess(settings, keys, index) for index in range(settings.workers)]
                return self._watch(redis)
            finally:
                _stop(self._workers)
                if redis is not None:
                    redis.stop()

    def _watch(self, redis: PrivateRedis | None) -> int:
        for worker in self._workers:
            worker.start()
        announced = False
        deadline = time.monotonic() + _START_S
        while not self._stopping.wait(0.1):
            if not announced:
                if all(worker.is_ready() for worker in self._workers):
                    _announce(self._settings)
                    announced = True
                elif time.monotonic() > deadline:
                    raise ConfigError(f"the workers did not become ready within {_START_S:.0f} s; what they say stands above")
            if redis is not None and not redis.is_running() and not self._stopping.is_set():
                print("umpire: the private Redis has ended; starting it again", file=sys.stderr, flush=True)
                redis.start()
            for worker in self._workers:
                worker.revive()
        return 0


class _WorkerProcess:
    """One worker's process, started again when it dies; the pause before that grows while it keeps dying."""

    def __init__(self, settings: Settings, keys: tuple[SigningKey, ...], index: int) -> None:
        self._environment = worker_environment(settings, keys)
        self._health = f"http://{_bracketed(settings.host)}:{settings.ops_port + index}/readyz"
        self._index = index
        self._deaths = 0
        self._started = 0.0
        self._due: float | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._started = time.monotonic()
        self._due = None
        # A session of its own keeps the terminal's Ctrl-C from it: the supervisor stops it in order.
        self.process = subprocess.Popen(  # noqa: S603 - this same program
            [sys.executable, "-m", "service.cli", "worker", "--index", str(self._index)],
            env=self._environment,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - runs no Python code that could deadlock
        )

    def revive(self) -> None:
        """Start the worker again if it has died, after a pause."""
        now = time.monotonic()
        if self._due is not None:
            if now >= self._due:
                self.start()
            return
        if self.process is None or self.process.poll() is None:
            return
        self._deaths = 0 if now - self._started > _STEADY_S else self._deaths + 1
        pause = _PAUSES_S[min(self._deaths, len(_PAUSES_S) - 1)]
        print(f"umpire: worker {self._index} ended with status {self.process.returncode}; starting it again in {pause} s", file=sys.stderr, flush=True)
        self._due = now + pause

    def is_ready(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            return False
        try:
            with urllib.request.urlopen(self._health, timeout=1):  # noqa: S310 - our own worker's address
                return True
        except (OSError, urllib.error.URLError):
            return False


def _stop(workers: list[_WorkerProcess]) -> None:
    running = [worker.process for worker in workers if worker.process is not None and worker.process.poll() is None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + _DRAIN_S
    for process in running:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _make_private(state_dir: Path) -> None:
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"the state directory {state_dir} cannot be made ({error.strerror}); choose another: --state-dir or UMPIRE_STATE_DIR") from error


class _locked:  # noqa: N801 - reads as a word
    """Holds a state directory for one supervisor."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / "lock"
        self._file: IO[str] | None = None

    def __enter__(self) -> None:
        self._file = self._path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise ConfigError(f"the state directory {self._path.parent} is in use by another umpire; choose another: --state-dir or UMPIRE_STATE_DIR") from None

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _probe_ports(settings: Settings) -> None:
    """Check that all ports are free, without sharing: workers share theirs, so a second start would go unnoticed."""
    for port, setting in _ports(settings):
        with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((settings.host, port))
                probe.listen()
            except OSError as error:
                variable = "UMPIRE_" + setting.upper().replace("-", "_")
                raise ConfigError(f"port {port} on {settings.host} cannot be had ({error.strerror}); choose another: --{setting} or {variable}") from None


def _ports(settings: Settings) -> Iterator[tuple[int, str]]:
    yield settings.http_port, "http-port"
    yield settings.grpc_port, "grpc-port"
    for index in range(settings.workers):
        yield settings.ops_port + index, "ops-port"


def _signing_key(path: Path) -> SigningKey:
    """Read the state directory's signing key, made on the first start; credentials live as long as it does."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    digits = path.read_text().strip()
    try:
        return SigningKey("local", bytes.fromhex(digits))
    except ValueError:
        raise ConfigError(f"{path} holds no key; remove it to have a new one made (credentials given out before are then void)") from None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _announce(settings: Settings) -> None:
    host = _bracketed(settings.host)
    http = f"http://{host}:{settings.http_port}"
    last = settings.ops_port + settings.workers - 1
    with_key, key_header = ("UMPIRE_API_KEY=… ", " -H 'x-api-key: …'") if settings.api_keys else ("", "")
    ops = f"{settings.ops_port}" if last == settings.ops_port else f"{settings.ops_port} to {last}"
    print(
        f"""
Umpire is ready: {settings.workers} worker{"s" if settings.workers > 1 else ""}. Ctrl-C stops it; the matches are kept in {settings.state_dir}.

  REST and Connect   {http}/v1/games
  gRPC               {host}:{settings.grpc_port}
  health, metrics    http://{host}:{ops}  /healthz /readyz /metrics

Play, in another terminal:

  {with_key}{_umpire()} play {_first_game()} --server {_reached(settings.host)}:{settings.grpc_port}

Create a match:

  curl -s {http}/v1/matches{key_header} -d '{_example()}'
""",
        flush=True,
    )


def _umpire() -> str:
    """Name this program as it was called."""
    program = sys.argv[0]
    return "umpire" if program.endswith(".py") or shutil.which("umpire") == program else shlex.quote(program)


def _reached(host: str) -> str:
    """Say at which address a client on this machine finds a server that listens on ``host``."""
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(host, _bracketed(host))  # noqa: S104 - compared only


def _first_game() -> str:
    from engines.registry import games  # noqa: PLC0415 - loads the rules, which only the workers need otherwise

    return next(iter(games()))


def _example() -> str:
    """Make the body of a creation: the first game, a person against its last house bot."""
    from engines.registry import games  # noqa: PLC0415 - likewise

    game = games()[_first_game()]
    seats = [{}, *({"houseBot": list(game.bots)[-1]} for _ in range(game.modes[0].min_seats - 1))]
    return json.dumps({"game": game.id, "seats": seats})
