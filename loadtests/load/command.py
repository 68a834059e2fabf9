"""Load on an Umpire, headless: ``python -m loadtests.load`` (``make load``).

Without --http it starts one for itself, with a Redis of its own, and stops it again. Ends with 0, with 1 if a match was lost or is contradictory or a call
failed that must not, with 2 if it cannot begin.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from locust.env import Environment

from loadtests.bench.processes import Umpire
from loadtests.load import profiles, report
from loadtests.load.seen import Refused
from loadtests.load.target import Target
from loadtests.load.users import Plan, players
from loadtests.load.verdicts import Bounds, growth, knee
from loadtests.load.weights import read_weights

_CLOSING_S = 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a load; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        weights = read_weights(options.weights)
        weights = weights if options.think is None else weights._replace(think=options.think)
        with _service(options) as (target, ops):
            return _run(options, Plan(target, weights), ops)
    except (ValueError, OSError, Refused) as error:
        print(f"load: {error}{getattr(error, 'detail', '') and ': '}{getattr(error, 'detail', '')}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, plan: Plan, ops: Sequence[str]) -> int:
    environment = Environment(user_classes=players(plan.weights), stop_timeout=_CLOSING_S)
    environment.umpire_plan = plan  # type: ignore[attr-defined]
    runner = environment.create_local_runner()
    begun, used = time.monotonic(), time.process_time()
    more = _play(options, environment, ops)
    runner.stop()
    generator = (time.process_time() - used) / (time.monotonic() - begun)
    summary = report.summarise(environment, plan.tally, generator_core=generator) | more
    if more.get("growth"):
        summary["status"] = 1
    runner.quit()
    report.tell(summary)
    for line in (*more.get("growth", ()), *filter(None, (more.get("knee"),))):
        print(line)
    if options.json:
        options.json.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    return int(summary["status"])


def _play(options: argparse.Namespace, environment: Environment, ops: Sequence[str]) -> dict[str, Any]:
    match options.profile:
        case "steps":
            bounds = Bounds(options.p99, options.failed)
            seen = profiles.steps(environment, options.users, options.factor, options.step_seconds, options.most_users, options.spawn_rate, bounds)
            return {"steps": [step._asdict() for step in seen], "knee": knee(seen)}
        case "soak":
            samples = profiles.soak(environment, options.users, options.spawn_rate, options.seconds, ops)
            return {"memory_mb": samples, "growth": growth(samples)}
        case _:
            profiles.steady(environment, options.users, options.spawn_rate, options.seconds, options.matches)
            return {}


@contextlib.contextmanager
def _service(options: argparse.Namespace) -> Iterator[tuple[Target, list[str]]]:
    """The service that is played on, and the addresses of its workers' ops ports."""
    if options.http:
        if not options.grpc:
            raise ValueError("--http needs --grpc beside it")
        if options.profile == "soak" and not options.ops:
            raise ValueError("--profile soak needs --ops: whose memory shall be looked at?")
        yield Target(options.grpc, options.http, options.api_key, str(options.ca or "")), options.ops
        return
    with tempfile.TemporaryDirectory(prefix="umpire-load-") as folder:
        umpire = Umpire(Path(folder), workers=options.workers)
        try:
            yield Target(f"127.0.0.1:{umpire.grpc_port}", f"http://127.0.0.1:{umpire.http_port}"), umpire.ops
        finally:
            umpire.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loadtests.load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_argument_group("where")
    where.add_argument("--http", default="", help="an Umpire that runs elsewhere: http://HOST:PORT or https://HOST:PORT")
    where.add_argument("--grpc", default="", help="its gRPC address, HOST:PORT; with TLS if --http has it")
    where.add_argument("--ca", type=Path, help="check TLS by the certificates in this file")
    where.add_argument("--api-key", default=os.environ.get("UMPIRE_API_KEY", ""), help="for creating matches [UMPIRE_API_KEY]")
    where.add_argument("--ops", nargs="+", default=[], metavar="URL", help="its workers' ops ports, for --profile soak: http://HOST:PORT each")
    where.add_argument("--workers", type=int, default=2, help="without --http: how many workers to start")
    what = parser.add_argument_group("what")
    what.add_argument("--profile", choices=("steady", "steps", "soak"), default="steady")
    what.add_argument("--users", type=int, default=40, help="users; with steps: of the first step")
    what.add_argument("--spawn-rate", type=float, default=20.0, help="users that come a second")
    what.add_argument("--seconds", type=float, default=120.0)
    what.add_argument("--matches", type=int, default=100_000, help="end earlier, after so many matches")
    what.add_argument("--weights", type=Path, help="a file like loadtests/load/weights.toml, of what differs from it")
    what.add_argument("--think", type=float, help="seconds that a seat thinks on average, whatever the weights say")
    what.add_argument("--json", type=Path, help="write the summary there too")
    stairs = parser.add_argument_group("--profile steps")
    stairs.add_argument("--step-seconds", type=float, default=20.0)
    stairs.add_argument("--factor", type=float, default=1.5, help="each step has so many times the users of the one before")
    stairs.add_argument("--most-users", type=int, default=2_000)
    stairs.add_argument("--p99", type=float, default=250.0, help="milliseconds that a step's p99 may have")
    stairs.add_argument("--failed", type=float, default=0.001, help="share of a step's calls that may fail")
    return parser
