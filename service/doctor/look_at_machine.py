"""Facts about this machine: ports, files, limits."""

import contextlib
import os
import resource
import shutil
import socket
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import grpc
import msgspec
from grpc_health.v1 import health_pb2, health_pb2_grpc

from service.config import ConfigError, Settings
from service.private_redis import find_server

_TIMEOUT_S = 2.0


class PortState(StrEnum):
    """What became of an attempt to take a port."""

    FREE = "free"
    OURS = "used by Umpire"
    TAKEN = "used by something else"
    REFUSED = "refused"


class PortFact(msgspec.Struct, frozen=True):
    """A port, the setting that names it, and why it was refused."""

    setting: str
    port: int
    state: PortState
    reason: str = ""


class FileFact(msgspec.Struct, frozen=True, kw_only=True):
    """A file or directory: its permission bits, and whether it belongs to another user; ``content`` of a small file, never to be shown."""

    exists: bool
    is_directory: bool = False
    mode: int = 0
    is_anothers: bool = False
    is_writable: bool = False
    content: str | None = None


class MachineFacts(msgspec.Struct, frozen=True, kw_only=True):
    """``ports`` of the host asked; ``memory`` is what is available, in bytes (None: unknown); the last four are of ``serve`` only."""

    host: str
    ports: tuple[PortFact, ...]
    open_files: int
    memory: int | None
    cores: int
    state_dir: Path
    state: FileFact
    key: FileFact
    disk_free: int | None
    redis_server: str


def look_at_machine(command: str, settings: Settings) -> MachineFacts:
    """Gather the facts."""
    state_dir = settings.state_dir
    return MachineFacts(
        host=settings.host,
        ports=tuple(_ports(command, settings)),
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        memory=_available_memory(),
        cores=os.cpu_count() or 1,
        state_dir=state_dir,
        state=_file(state_dir),
        key=_file(state_dir / "signing.key"),
        disk_free=_disk_free(state_dir),
        redis_server=_redis_server() if command == "serve" and not settings.redis_url else "",
    )


def _ports(command: str, settings: Settings) -> Iterator[PortFact]:
    numbers = range(settings.workers) if command == "serve" else (settings.index,)
    yield _port("http-port", settings.host, settings.http_port)
    yield _port("grpc-port", settings.host, settings.grpc_port)
    for number in numbers:
        yield _port("ops-port", settings.host, settings.ops_port + number)


def _port(setting: str, host: str, port: int) -> PortFact:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the workers do; not SO_REUSEPORT, which would share a port that is taken
        try:
            probe.bind((host, port))
            probe.listen()
        except (OSError, OverflowError) as error:
            if not isinstance(error, OSError) or error.errno != 98:
                return PortFact(setting, port, PortState.REFUSED, getattr(error, "strerror", None) or str(error))
        else:
            return PortFact(setting, port, PortState.FREE)
    return PortFact(setting, port, PortState.OURS if _answers_like_umpire(setting, _reachable(host), port) else PortState.TAKEN)


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not listened on


def _answers_like_umpire(setting: str, host: str, port: int) -> bool:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        if setting == "grpc-port":
            with grpc.insecure_channel(place) as channel:
                health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="umpire.v1.MatchService"), timeout=_TIMEOUT_S)
            return True
        path, sign = ("/healthz", b"ok\n") if setting == "ops-port" else ("/v1/games", b'{"games":')
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://{place}{path}", timeout=_TIMEOUT_S) as answer:
            return bool(answer.read(len(sign)) == sign)
    except (OSError, ValueError, urllib.error.URLError, grpc.RpcError):
        return False


def _file(path: Path) -> FileFact:
    try:
        found = path.stat()
    except OSError:
        return FileFact(exists=False)
    content = None
    if stat.S_ISREG(found.st_mode):
        with contextlib.suppress(OSError, ValueError), path.open(encoding="utf-8") as file:
            content = file.read(4_096)
    return FileFact(
        exists=True,
        is_directory=stat.S_ISDIR(found.st_mode),
        mode=stat.S_IMODE(found.st_mode),
        is_anothers=found.st_uid != os.getuid(),
        is_writable=os.access(path, os.W_OK | os.X_OK) if stat.S_ISDIR(found.st_mode) else os.access(path, os.W_OK),
        content=content,
    )


def _disk_free(path: Path) -> int | None:
    for place in (path, *path.resolve().parents):
        with contextlib.suppress(OSError):
            return shutil.disk_usage(place).free
    return None


def _available_memory() -> int | None:
    """Return the smaller of what the machine has left and what its control group leaves."""
    left = []
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        left.append(next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")))
    with contextlib.suppress(OSError, ValueError):  # "max" is no number: no limit
        group = Path("/sys/fs/cgroup")
        left.append(int((group / "memory.max").read_text(encoding="ascii")) - int((group / "memory.current").read_text(encoding="ascii")))
    return min(left, default=None)


def _redis_server() -> str:
    try:
        return str(find_server())
    except ConfigError:
        return ""
