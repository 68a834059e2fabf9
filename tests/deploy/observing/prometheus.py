"""A real Prometheus for tests, with the rules of deploy/ and all times in them made short."""

import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.deploy.observing.material import PROMETHEUS
from tests.serving import free_port

FASTER = 300
EVERY_MS = 500
SHORTEST_RANGE_MS = 3_000
"""A range must hold a few samples, also where the machine is busy."""
_UNITS_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def hastened(text: str) -> str:
    """Make the times in rules or in an expression shorter: ranges, offsets, and how long something must hold."""
    text = re.sub(r"\[(\d+)([smhd])\]", lambda found: f"[{max(SHORTEST_RANGE_MS, _short(found))}ms]", text)
    text = re.sub(r"offset (\d+)([smhd])", lambda found: f"offset {max(SHORTEST_RANGE_MS, _short(found))}ms", text)
    return re.sub(r"(?<=for: )(\d+)([smhd])$", lambda found: f"{_short(found)}ms", text, flags=re.MULTILINE)


def _short(found: re.Match[str]) -> int:
    return int(found[1]) * _UNITS_MS[found[2]] // FASTER


class Prometheus:
    """Scrapes what it is told, by job; ``targets`` are ``host:port``."""

    def __init__(self, folder: Path, targets: Mapping[str, Sequence[str]]) -> None:
        self.port = free_port()
        self._folder = folder
        config: dict[str, Any] = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text(encoding="utf-8"))
        config["global"] = {"scrape_interval": f"{EVERY_MS}ms", "evaluation_interval": f"{EVERY_MS}ms", "scrape_timeout": f"{EVERY_MS}ms"}
        jobs = [job for job in config["scrape_configs"] if job["job_name"] in targets]
        assert len(jobs) == len(targets)
        for job in jobs:
            for found in [key for key in job if key.endswith("_sd_configs")]:
                del job[found]
            job["static_configs"] = [{"targets": list(targets[job["job_name"]])}]
        config["scrape_configs"] = jobs
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
        (folder / "rules.yml").write_text(hastened((PROMETHEUS / "rules.yml").read_text(encoding="utf-8")), encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}/api/v1/", timeout=20)

    def start(self) -> "Prometheus":
        where = [f"--config.file={self._folder}/prometheus.yml", f"--storage.tsdb.path={self._folder}/data", f"--web.listen-address=127.0.0.1:{self.port}"]
        with (self._folder / "prometheus.log").open("wb") as said:
            self._process = subprocess.Popen(["prometheus", *where, "--log.level=warn"], stderr=said, stdout=said)
        self.wait_until(self._answers, "Prometheus answers")
        return self

    def stop(self) -> None:
        self._client.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)

    def wait_until(self, holds: Callable[[], Any], what: str, timeout: float = 60.0) -> None:
        """Wait until something is so."""
        deadline = time.monotonic() + timeout
        while not holds():
            assert self._process is not None and self._process.poll() is None, (self._folder / "prometheus.log").read_text()
            assert time.monotonic() < deadline, f"waited in vain: {what}; firing: {sorted(self.firing())}"
            time.sleep(0.1)

    def ask(self, path: str, **parameters: Any) -> Any:
        """Ask its API; what cannot be executed fails."""
        answer = self._client.get(path, params=parameters).json()
        assert answer["status"] == "success", (parameters, answer)
        return answer["data"]

    def series(self, expression: str) -> list[dict[str, Any]]:
        """Evaluate an expression now."""
        found: list[dict[str, Any]] = self.ask("query", query=expression)["result"]
        return found

    def has_shown(self, expression: str, seconds: float) -> bool:
        """Whether an expression had a value, a number, at any moment of the last seconds."""
        now = time.time()
        found = self.ask("query_range", query=expression, start=now - seconds, end=now, step="500ms")["result"]
        return any(value != "NaN" for one in found for _, value in one["values"])

    def firing(self, *labels: str) -> set[tuple[str, ...]]:
        """Which alerts fire, each with some of its labels."""
        found = self.series('ALERTS{alertstate="firing"}')
        return {(one["metric"]["alertname"], *(one["metric"].get(label, "") for label in labels)) for one in found}

    def _answers(self) -> bool:
        try:
            return self._client.get("query", params={"query": "up"}).status_code == 200
        except httpx.TransportError:
            return False
