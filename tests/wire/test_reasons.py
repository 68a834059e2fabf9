"""Every error reason has a case: those that a request can bring about in ``cases/``, the others here and in ``tests/faults``."""

import asyncio
import json
import threading
from collections.abc import Iterator

import pytest
import uvloop

from service.app import Worker
from service.config import read_settings
from service.private_redis import PrivateRedis
from tests.serving import CALLERS, Caller, RestCaller, Serving, free_port
from tests.wire.test_cases import CASES

OF_HTTP = {"ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED", "TOO_LARGE"}
OF_THE_SERVER = {"SERVER_DRAINING"}
OF_STREAMS = {"WATCHER_TOO_SLOW", "MATCH_EXPIRED"}  # tests/end_to_end/test_watching.py
IN_FAULTS = {"STORE_UNAVAILABLE"}


def test_every_reason_of_the_contract_has_a_case(callers: dict[str, Caller]) -> None:
    enum = callers["grpc"].pool.FindEnumTypeByName("umpire.v1.ErrorReason")
    reasons = {value.name.removeprefix("ERROR_REASON_") for value in enum.values if value.number}
    assert {case["expect"]["reason"] for case in CASES} | OF_HTTP | OF_THE_SERVER | OF_STREAMS | IN_FAULTS == reasons


@pytest.fixture
def rest(callers: dict[str, Caller]) -> RestCaller:
    caller = callers["rest"]
    assert isinstance(caller, RestCaller)
    return caller


def test_a_path_that_there_is_not(rest: RestCaller) -> None:
    for path in ("/", "/v1", "/v1/match", "/v1/games/", "/umpire.v1.MatchService/Steal"):
        answer = rest.send("GET", path)
        assert (answer.status, answer.code, answer.reason) == (404, "NOT_FOUND", "ROUTE_NOT_FOUND"), path
        assert answer.metadata["path"] == path


def test_a_method_that_a_path_does_not_take(rest: RestCaller) -> None:
    answer = rest.send("PUT", "/v1/matches/x")
    assert (answer.status, answer.code, answer.reason) == (405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED")
    assert answer.metadata == {"method": "PUT", "allow": "DELETE, GET"}


def test_a_body_that_is_too_large(rest: RestCaller) -> None:
    body = json.dumps({"game": "x" * 70_000}).encode()
    answer = rest.send("POST", "/v1/matches", body)
    assert (answer.status, answer.code, answer.reason) == (413, "RESOURCE_EXHAUSTED", "TOO_LARGE")


@pytest.fixture
def draining(redis_server: PrivateRedis) -> Iterator[Serving]:
    """A worker in this process that still has its ports and takes no calls any more: the moment between the two."""
    serving = Serving(redis_server.url)
    variables = {
        "UMPIRE_REDIS_URL": redis_server.url,
        "UMPIRE_INSECURE": "1",
        "UMPIRE_HTTP_PORT": str(serving.http_port),
        "UMPIRE_GRPC_PORT": str(serving.grpc_port),
        "UMPIRE_OPS_PORT": str(free_port()),
    }
    started, stop = threading.Event(), threading.Event()

    async def run() -> None:
        worker = Worker(read_settings("worker", {}, variables))
        await worker.start()
        worker._dispatcher.drain()
        started.set()
        await asyncio.to_thread(stop.wait)
        await worker.stop()

    thread = threading.Thread(target=lambda: uvloop.run(run()))
    thread.start()
    assert started.wait(20)
    yield serving
    stop.set()
    thread.join(20)


def test_a_worker_that_is_going_away_says_so(draining: Serving) -> None:
    for kind in CALLERS.values():
        caller = kind(draining)
        answer = caller.call("ListGames")
        assert (answer.code, answer.reason, answer.metadata) == ("UNAVAILABLE", "SERVER_DRAINING", {"applied": "NO"})
        assert answer.status in {0, 503}
        assert answer.retry
        caller.close()
