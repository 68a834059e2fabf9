"""What the steps of a step load and the samples of a soak have shown: pure."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

_GROWTH, _GROWTH_MB = 1.10, 8.0


class Bounds(NamedTuple):
    """What a step of the step load must keep: p99 of all calls in milliseconds, and the share that fails."""

    p99_ms: float
    failed: float


class StepSeen(NamedTuple):
    """One step."""

    users: int
    per_second: float
    p99_ms: float
    failed: float
    holds: bool


def knee(seen: Sequence[StepSeen]) -> str:
    """Say in a line what the steps have shown."""
    held = [step for step in seen if step.holds]
    if not held:
        return "not even the first step kept the bounds"
    best = held[-1]
    end = "the next step did not keep the bounds" if not seen[-1].holds else "and no bound was passed: the knee lies higher"
    return f"knee: {best.users} users, {best.per_second:.0f} calls/s, p99 {best.p99_ms:.0f} ms; {end}"


def growth(samples: dict[str, list[float]]) -> list[str]:
    """Say which workers hold clearly more memory in the last quarter than in the second: the first is for warming up."""
    found = []
    for url, taken in samples.items():
        quarter = len(taken) // 4
        if not quarter:
            found.append(f"{url}: too few samples")
            continue
        early, late = statistics.median(taken[quarter : 2 * quarter]), statistics.median(taken[-quarter:])
        if late > early * _GROWTH + _GROWTH_MB:
            found.append(f"{url}: {early:.0f} MB in the second quarter, {late:.0f} MB in the last")
    return found
