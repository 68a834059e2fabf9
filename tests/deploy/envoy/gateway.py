"""A real Envoy for tests, as a process of its own, with a rendered configuration."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from deploy.envoy.render import render
from tests.serving import Address, Serving, free_port

CERTIFICATES = Path(__file__).parent / "certificates"
AUTHORITY = CERTIFICATES / "authority.crt"
TLS = ("--tls-cert", str(CERTIFICATES / "proxy.crt"), "--tls-key", str(CERTIFICATES / "proxy.key"))
UNLIMITED = ("--rate", "0", "--client-rate", "0")
ENVOY = Path(sys.executable).parent / "envoy"


class Gateway:
    """Envoy in front of workers. ``changed`` may change the text of the configuration: for what is only tried here."""

    def __init__(self, folder: Path, workers: list[Serving], *options: str, changed: Callable[[str], str] = str) -> None:
        self.port, self.admin_port, self.stats_port = free_port(), free_port(), free_port()
        self.log = folder / "access.log"
        self._folder = folder
        self._is_tls = "--tls-cert" in options
        ports = ("--listen", "127.0.0.1", "--port", str(self.port), "--admin-port", str(self.admin_port), "--stats-port", str(self.stats_port))
        at = [part for one in workers for part in ("--worker", f"127.0.0.1:{one.http_port}:{one.grpc_port}:{one.ops_ports[0]}")]
        self.text = changed(render([*at, *ports, "--log", str(self.log), *options]))
        self._workers = len(workers)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> Address:
        at = f"127.0.0.1:{self.port}"
        return Address(at, at, AUTHORITY if self._is_tls else None)

    def start(self) -> "Gateway":
        file = self._folder / "envoy.yaml"
        file.write_text(self.text)
        with (self._folder / "envoy.log").open("wb") as said:
            command = [ENVOY, "-c", file, "--concurrency", "2", "--disable-hot-restart", "--log-level", "warning", "--file-flush-interval-msec", "100"]
            self._process = subprocess.Popen(command, stderr=said, stdout=said)
        self.wait_for(lambda: self.healthy() == {"workers_grpc": self._workers, "workers_http": self._workers})
        return self

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)

    def wait_for(self, holds: Callable[[], bool], timeout: float = 30.0) -> None:
        """Wait until something holds; nobody listening yet counts as no."""
        deadline = time.monotonic() + timeout
        while True:
            with contextlib.suppress(httpx.TransportError):
                if holds():
                    return
            assert self._process is not None and self._process.poll() is None, (self._folder / "envoy.log").read_text()
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.05)

    def healthy(self) -> dict[str, int]:
        """How many workers are taken for healthy, by cluster."""
        clusters = httpx.get(f"http://127.0.0.1:{self.admin_port}/clusters?format=json", timeout=5).json()["cluster_statuses"]
        return {
            one["name"]: sum(all(_is_well(key, value) for key, value in host["health_status"].items()) for host in one.get("host_statuses", ()))
            for one in clusters
            if one["name"].startswith("workers_")
        }

    def logged(self, number: int) -> list[dict[str, Any]]:
        """Return the lines of the access log, once there are so many."""
        self.wait_for(lambda: self.log.exists() and self.log.read_text().count("\n") >= number)
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def _is_well(key: str, value: Any) -> bool:
    return value == "HEALTHY" if key == "eds_health_status" else not value


def validate(text: str, folder: Path) -> str:
    """Have Envoy look at a configuration; returns what it finds wrong or warns of, "" if nothing."""
    file = folder / "validated.yaml"
    file.write_text(text)
    done = subprocess.run([ENVOY, "--mode", "validate", "-c", file, "--log-level", "warning"], check=False, capture_output=True, text=True, timeout=60)
    return done.stderr or ("" if done.returncode == 0 else done.stdout)
