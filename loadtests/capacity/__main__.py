"""Measure what a move and a match cost, with one and with two workers: ``python -m loadtests.capacity`` (``make capacity``).

Writes the figures into ``deploy/capacity.json`` and the tables of ``deploy/CAPACITY.md``.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from redis import Redis

from loadtests.bench.processes import Umpire, resident_mb
from loadtests.capacity import measuring
from loadtests.capacity.arithmetic import ASSUMPTIONS, derive
from loadtests.capacity.page import fill
from loadtests.capacity.recorded import kinds, record

_DEPLOY = Path(__file__).parents[2] / "deploy"
_SEEDS = 4
_WARM_UP = 1


class _Way(NamedTuple):
    door: str
    spread: bool
    watched: bool


def _ways(workers: int) -> list[_Way]:
    plain = [_Way(door, spread=False, watched=False) for door in ("rest", "grpc")]
    if workers == 1:
        return [*plain, _Way("rest", spread=False, watched=True)]
    return [*plain, *(way._replace(spread=True) for way in plain)]


def measure(workers: int, number: int, rounds: int, only: str) -> dict[str, Any]:
    """Measure with so many workers; sizes and creations with one only."""
    with tempfile.TemporaryDirectory(prefix="umpire-capacity-") as folder:
        umpire = Umpire(Path(folder), workers=workers)
        try:
            with Redis.from_url(umpire.redis_url) as redis:
                return _measure(umpire, redis, number, rounds, only)
        finally:
            umpire.stop()


def _measure(umpire: Umpire, redis: "Redis", number: int, rounds: int, only: str) -> dict[str, Any]:
    meter, http = measuring.Meter(umpire, redis), f"http://127.0.0.1:{umpire.http_port}"
    found: dict[str, Any] = {
        "idle": {"workers": len(umpire.workers)} | meter.idle._asdict(),
        "moves": [],
        "sizes": [],
        "creation": [],
        "redis": redis.info("server")["redis_version"],
    }  # type: ignore[index]
    for kind in (kind for kind in kinds(http) if only in kind.name):
        print(f"{len(umpire.workers)} workers, {kind.name}", file=sys.stderr, flush=True)
        recordings = [record(http, kind, seed) for seed in range(min(_SEEDS, number))]
        costs: dict[_Way, list[measuring.Cost]] = {way: [] for way in _ways(len(umpire.workers))}
        for _ in range(_WARM_UP + rounds):
            for way, taken in costs.items():
                taken.append(measuring.cost_of_moves(meter, kind, recordings, number, way.door, spread=way.spread, watched=way.watched))
        found["moves"] += [_middle([cost._asdict() for cost in taken[_WARM_UP:]]) for taken in costs.values()]
        if len(umpire.workers) == 1:
            found["sizes"].append(measuring.size_of_matches(meter, kind, recordings, number)._asdict())
            found["creation"].append(_middle([measuring.cost_of_creation(meter, kind, 4 * number)._asdict() for _ in range(_WARM_UP + rounds)][_WARM_UP:]))
    return found | {"worker_mb": round(max(map(resident_mb, umpire.workers)), 1)}


def _middle(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Take the median of each figure over the rounds."""
    return {name: round(statistics.median(one[name] for one in rounds), 2) if type(value) in {int, float} else value for name, value in rounds[0].items()}


def _machine(redis: str, load: float) -> dict[str, Any]:
    cpu = next(
        (line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if line.startswith("model name")), "?"
    )
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cores": len(os.sched_getaffinity(0)),
        "cpu": cpu,
        "python": platform.python_version(),
        "redis": redis,
        "load": round(load, 1),
    }


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m loadtests.capacity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=64, help="matches of each drive")
    parser.add_argument("--rounds", type=int, default=3, help="rounds that count, after one that does not")
    parser.add_argument("--only", default="", help="measure only the games and modes that have this in their name")
    parser.add_argument("--json", type=Path, default=_DEPLOY / "capacity.json")
    parser.add_argument("--page", type=Path, default=_DEPLOY / "CAPACITY.md")
    parser.add_argument("--only-page", action="store_true", help="measure nothing: write the page again from the figures that are there")
    options = parser.parse_args()
    if options.only_page:
        measured = json.loads(options.json.read_text(encoding="utf-8"))["measured"]
    else:
        load = os.getloadavg()[0]
        one, two = (measure(workers, options.matches, options.rounds, options.only) for workers in (1, 2))
        measured = {
            "machine": _machine(one["redis"], load),
            "matches": options.matches,
            "rounds": options.rounds,
            "idle": [one["idle"], two["idle"]],
            "moves": one["moves"] + two["moves"],
            "sizes": one["sizes"],
            "creation": one["creation"],
            "worker_mb": [one["worker_mb"], two["worker_mb"]],
        }
    figures = {"measured": measured, "assumptions": ASSUMPTIONS, "derived": derive(measured, ASSUMPTIONS)}
    options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    options.page.write_text(fill(options.page.read_text(encoding="utf-8"), figures), encoding="utf-8")
    print(f"{options.json} and {options.page} are written")


if __name__ == "__main__":
    main()
