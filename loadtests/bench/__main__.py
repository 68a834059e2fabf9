"""Measure the service against a bare echo, in one run: ``python -m loadtests.bench [--rounds 3] [--in-flight 1 16 64] [--only TEXT] [--json FILE]``."""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from loadtests.bench.calls import Calls, Drive
from loadtests.bench.measure import WARM_UP, Cost, Row, cost_of, summarise
from loadtests.bench.processes import Echo, Umpire, pin, resident_mb
from loadtests.bench.sizes import Size, measure_sizes

if TYPE_CHECKING:
    from loadtests.bench.in_process import Alone

_ECHO = "echo, bare grpc.aio"
_FEWER_WHEN_ALONE = 4


def catalogue(calls: Calls) -> dict[str, Callable[[int], Drive]]:
    """Name every call that is measured; the baseline comes first."""
    return {
        _ECHO: lambda n: calls.echo("Echo", n),
        "echo and one commit": lambda n: calls.echo("Commit", n),
        "echo on streams, both told": calls.tell,
        "ApplyMove, gRPC": lambda n: calls.apply_by_grpc(n, lean=False),
        "ApplyMove, REST": lambda n: calls.apply_by_http(n, lean=False),
        "ApplyMove without view and moves, gRPC": lambda n: calls.apply_by_grpc(n, lean=True),
        "ApplyMove without view and moves, REST": lambda n: calls.apply_by_http(n, lean=True),
        "a move on PlayMatch, both seats": calls.play,
        "ListLegalMoves, gRPC": lambda n: calls.read_by_grpc("ListLegalMoves", n),
        "ListLegalMoves, REST": lambda n: calls.read_by_http("/legal-moves", n),
        "GetMatch, gRPC": lambda n: calls.read_by_grpc("GetMatch", n),
        "GetMatch, REST": lambda n: calls.read_by_http("", n),
        "CreateMatch, gRPC": calls.create_by_grpc,
        "CreateMatch, REST": calls.create_by_http,
    }


def measure_calls(umpire: Umpire, echo: Echo, options: argparse.Namespace) -> list[Row]:
    """Run everything in turn, round by round, so that what else the machine does falls on all alike."""
    rows = []
    for in_flight in options.in_flight:
        calls = Calls(umpire, echo, options.calls // (_FEWER_WHEN_ALONE if in_flight == 1 else 1))
        chosen = {name: prepare for name, prepare in catalogue(calls).items() if name == _ECHO or options.only in name}
        costs: dict[str, list[Cost]] = {name: [] for name in chosen}
        for _ in range(WARM_UP + options.rounds):
            for name, prepare in chosen.items():
                server = echo.pid if name.startswith("echo") else umpire.worker
                costs[name].append(cost_of(prepare(in_flight), server, umpire.redis))
        rows += [summarise(costs[_ECHO], name, in_flight, costs[name]) for name in chosen]
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m loadtests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds that count, after one that does not")
    parser.add_argument("--in-flight", type=int, nargs="+", default=[1, 16, 64], help="how many calls are under way at once")
    parser.add_argument("--calls", type=int, default=4000, help="about so many calls in each drive")
    parser.add_argument("--only", default="", help="measure only the calls that have this in their name, and the echo")
    parser.add_argument("--json", type=Path, help="write all figures there too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        umpire = Umpire(Path(folder))
        echo = Echo(umpire.redis_url)
        try:
            # What is measured and what measures must not take turns on one core.
            for pid, core in ((umpire.worker, 0), (echo.pid, 0), (umpire.redis, 1), (os.getpid(), 1)):
                pin(pid, core)
            time.sleep(1)
            calls = measure_calls(umpire, echo, options)
            resident = resident_mb(umpire.worker)
            sizes = [] if options.only else measure_sizes(f"http://127.0.0.1:{umpire.http_port}", umpire.redis_url)
        finally:
            echo.stop()
            umpire.stop()
    alone = [] if options.only else _alone(options.rounds + WARM_UP)
    report(calls, alone, sizes, resident)
    if options.json:
        found = {"calls": calls, "in_process": alone, "sizes": sizes}
        figures = {name: [row._asdict() for row in rows] for name, rows in found.items()} | {"worker_mb": resident}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def _alone(rounds: int) -> "list[Alone]":
    from loadtests.bench.in_process import measure_in_process  # noqa: PLC0415 - needs requirements/bench.txt, the calls do not

    return measure_in_process(rounds)


def report(calls: list[Row], alone: "list[Alone]", sizes: list[Size], resident: float) -> None:
    """Print the tables."""
    print(f"{'':42}{'at once':>8}{'x':>7}{'server µs':>11}{'redis µs':>10}{'calls/s':>9}{'p50 ms':>8}{'p99 ms':>8}")
    for row in calls:
        print(f"{row.what:42}{row.in_flight:8}{row.ratio:7.2f}{row.server_us:11.0f}{row.redis_us:10.0f}{row.per_second:9.0f}{row.p50_ms:8.2f}{row.p99_ms:8.2f}")
    print("\nCPU µs of server and Redis a call; x: calls a server-CPU-second relative to the bare echo of the same run")
    if alone:
        print(f"\n{'in one process, without doors and store':42}{'µs a move':>10}{'x chess':>9}")
    for one in alone:
        print(f"{one.what:42}{one.us:10.1f}{one.ratio:9.2f}")
    if sizes:
        print(f"\n{'':62}{'mean':>8}{'largest':>9}")
    for size in sizes:
        print(f"{size.what:62}{size.mean:8.0f}{size.largest:9}")
    print(f"\nresident memory of the worker: {resident:.0f} MB")


if __name__ == "__main__":
    main()
