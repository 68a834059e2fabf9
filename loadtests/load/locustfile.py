"""For Locust's own command, with its master, workers and page: ``locust -f loadtests/load/locustfile.py``. Locust has patched the standard library by now."""

from pathlib import Path
from typing import Any

from locust import events
from locust.env import Environment
from locust.runners import WorkerRunner

import loadtests.load.patched_grpc  # noqa: F401
from loadtests.load import report, users
from loadtests.load.target import Target
from loadtests.load.weights import read_weights

GrpcPlayer, RestPlayer, StreamPlayer = users.GrpcPlayer, users.RestPlayer, users.StreamPlayer

_plans: list[users.Plan] = []
"""The one of this process, once there is one."""


@events.init_command_line_parser.add_listener
def _options(parser: Any) -> None:
    parser.add_argument("--grpc", default="127.0.0.1:50051", help="gRPC address of the Umpire, HOST:PORT; --host is its HTTP address")
    parser.add_argument("--ca", default="", help="check TLS by the certificates in this file")
    parser.add_argument("--api-key", env_var="UMPIRE_API_KEY", default="", is_secret=True, help="for creating matches")
    parser.add_argument("--weights", default="", help="a file like loadtests/load/weights.toml")


@events.init.add_listener
def _prepare(environment: Environment, **_: Any) -> None:
    options = environment.parsed_options
    weights = read_weights(Path(options.weights) if options.weights else None)
    for kind in (GrpcPlayer, RestPlayer, StreamPlayer):
        kind.weight = weights.users[kind.kind]
    target = Target(options.grpc, (environment.host or "http://127.0.0.1:8080").rstrip("/"), options.api_key, options.ca)
    environment.umpire_plan = users.Plan(target, weights)
    _plans.append(environment.umpire_plan)


@events.report_to_master.add_listener
def _hand_over(data: dict[str, Any], **_: Any) -> None:
    for plan in _plans:  # a worker reports before it is prepared, too
        data["umpire"] = plan.tally.take()


@events.worker_report.add_listener
def _take_over(data: dict[str, Any], **_: Any) -> None:
    for plan in _plans if "umpire" in data else ():
        plan.tally.add(data["umpire"])


@events.quitting.add_listener
def _conclude(environment: Environment, **_: Any) -> None:
    """Print what Locust does not know, and end with 1 where it must. A worker has handed everything over."""
    if isinstance(environment.runner, WorkerRunner):
        return
    summary = report.summarise(environment, _plans[0].tally)
    report.tell(summary)
    if summary["status"]:
        environment.process_exit_code = 1
