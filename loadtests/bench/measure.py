"""What a drive cost, and what the rounds say together."""

import statistics
from collections.abc import Callable
from typing import NamedTuple

from loadtests.bench.driver import Driven
from loadtests.bench.processes import cpu_seconds

WARM_UP = 1
"""So many first rounds do not count."""


class Cost(NamedTuple):
    """What one drive cost: CPU µs a call of server and Redis, calls a second, milliseconds a call at the median and at the 99th percentile."""

    server_us: float
    redis_us: float
    per_second: float
    p50_ms: float
    p99_ms: float


class Row(NamedTuple):
    """One line of the table: medians over the rounds; ``ratio`` is calls a server-CPU-second relative to the bare echo of the same round."""

    what: str
    in_flight: int
    ratio: float
    server_us: float
    redis_us: float
    per_second: float
    p50_ms: float
    p99_ms: float


def cost_of(run: Callable[[], Driven], server: int, redis: int) -> Cost:
    """Run a drive and read what it cost the two processes."""
    server_before, redis_before = cpu_seconds(server), cpu_seconds(redis)
    driven = run()
    server_used, redis_used = cpu_seconds(server) - server_before, cpu_seconds(redis) - redis_before
    latencies = sorted(driven.latencies)
    p50, p99 = (latencies[int(len(latencies) * part)] * 1000 for part in (0.5, 0.99))
    return Cost(server_used / driven.calls * 1e6, redis_used / driven.calls * 1e6, driven.calls / driven.seconds, p50, p99)


def summarise(echo: list[Cost], what: str, in_flight: int, costs: list[Cost]) -> Row:
    """Put the rounds together. Each ratio is taken within its round, where both ran under the same weather."""
    counted = costs[WARM_UP:]
    ratio = statistics.median(bare.server_us / cost.server_us for bare, cost in zip(echo[WARM_UP:], counted, strict=True))
    return Row(what, in_flight, ratio, *(statistics.median(column) for column in zip(*counted, strict=True)))
