"""How the load goes over time: steady; in steps until a bound is passed; or for long, with an eye on the workers' memory."""

import re
import sys
import time
import urllib.request
from collections.abc import Sequence
from typing import Any

import gevent
from locust.env import Environment

from loadtests.load.verdicts import Bounds, StepSeen

_OF_STREAMS = "watch"
_MEMORY = re.compile(r"^process_resident_memory_bytes ([0-9.e+]+)$", re.MULTILINE)


def steady(environment: Environment, users: int, rate: float, seconds: float, most_matches: int) -> None:
    """Play with so many users for so long, or until so many matches are over."""
    environment.runner.start(users, rate)
    _wait(environment, seconds, most_matches)


def steps(environment: Environment, first: int, factor: float, seconds: float, most: int, rate: float, bounds: Bounds) -> list[StepSeen]:
    """Play with more and more users, a step after the other, until a bound is passed or there are ``most``."""
    window: list[tuple[float, bool]] = []

    def keep(name: str, response_time: float, exception: Exception | None, **_: Any) -> None:
        if not name.startswith(_OF_STREAMS):
            window.append((response_time, exception is not None))

    environment.events.request.add_listener(keep)
    seen: list[StepSeen] = []
    users = first
    while not seen or (seen[-1].holds and users <= most):
        environment.runner.start(users, rate)
        gevent.sleep(users / rate if not seen else (users - seen[-1].users) / rate)
        window.clear()
        begun = time.monotonic()
        gevent.sleep(seconds)
        taken, elapsed = sorted(window), time.monotonic() - begun
        p99 = taken[int(len(taken) * 0.99)][0] if taken else float("inf")
        failed = sum(1 for _, has_failed in taken if has_failed) / max(len(taken), 1)
        holds = p99 <= bounds.p99_ms and failed <= bounds.failed
        seen.append(StepSeen(users, round(len(taken) / elapsed, 1), round(p99, 1), round(failed, 5), holds))
        print(_line(seen[-1]), file=sys.stderr, flush=True)
        users = max(users + 1, round(users * factor))
    environment.events.request.remove_listener(keep)
    return seen


def soak(environment: Environment, users: int, rate: float, seconds: float, ops: Sequence[str]) -> dict[str, list[float]]:
    """Play for long; returns each worker's memory in MB, over time."""
    samples: dict[str, list[float]] = {url: [] for url in ops}
    environment.runner.start(users, rate)
    until, pause = time.monotonic() + seconds, max(seconds / 120, 0.5)
    while time.monotonic() < until:
        gevent.sleep(min(pause, max(until - time.monotonic(), 0.01)))
        for url, taken in samples.items():
            taken.append(_memory_mb(url))
    return samples


def _wait(environment: Environment, seconds: float, most_matches: int) -> None:
    until = time.monotonic() + seconds
    tally = environment.umpire_plan.tally  # type: ignore[attr-defined]
    while time.monotonic() < until and tally.checked["matches"] < most_matches:
        gevent.sleep(0.1)


def _memory_mb(url: str) -> float:
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        found = _MEMORY.search(answer.read().decode())
    if found is None:
        raise ValueError(f"{url}/metrics has no process_resident_memory_bytes")
    return float(found[1]) / 1e6


def _line(step: StepSeen) -> str:
    return f"{step.users:6} users {step.per_second:9.1f} calls/s   p99 {step.p99_ms:8.1f} ms   {step.failed:7.2%} failed{'' if step.holds else '   too much'}"
