"""The load test, whole, against a worker of the test: it passes when all is well, and not when an answer on the way was lost or doctored."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from engines.registry import games
from service.private_redis import PrivateRedis
from tests.loadtests.doctoring import Doctoring
from tests.serving import API_KEY, Serving, free_port

COLUMNS = "door call calls 1/s p50 ms p95 ms p99 ms failed"
ONLY_REST = """
[users]
grpc = 0
stream = 0
[move]
retry = 0.3
"""


def load(serving: Serving, folder: Path, *options: str, http: str = "", weights: str = "") -> tuple[int, dict[str, Any], str]:
    """Run the command; returns its status, its summary and what it printed."""
    (folder / "weights.toml").write_text(weights)
    command = [sys.executable, "-m", "loadtests.load", "--http", http or serving.http, "--grpc", serving.grpc, "--api-key", API_KEY, "--spawn-rate", "20"]
    command += ["--weights", str(folder / "weights.toml"), "--think", "0", "--json", str(folder / "found.json"), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert (folder / "found.json").exists(), done.stderr
    return done.returncode, json.loads((folder / "found.json").read_text()), done.stdout


@pytest.fixture
def doctored(serving: Serving, request: pytest.FixtureRequest) -> Iterator[Doctoring]:
    proxy = Doctoring(serving.http, request.param)
    yield proxy
    proxy.stop()


def test_whole_matches_of_every_game_pass_and_the_table_has_all_columns(serving: Serving, tmp_path: Path) -> None:
    status, found, table = load(serving, tmp_path, "--users", "6", "--seconds", "60", "--matches", "24")
    assert status == 0, table
    assert {name.split()[0] for name in found["finished"]} == set(games())
    assert found["findings"] == [] and found["failures"] == {} and found["unjudged"] == []
    assert found["checked"]["moves"] > 100 and found["checked"]["retries"] > 0 and found["checked"]["steps watched"] > 0
    assert found["expected_refusals"]["ILLEGAL_MOVE"] > 0
    assert {(row["door"], row["call"]) for row in found["calls"]} >= {
        ("grpc", "ApplyMove"),
        ("rest", "ApplyMove"),
        ("grpc", "PlayMatch, move to verdict"),
        ("grpc", "ListEvents"),
        ("rest", "ListEvents"),
    }
    header, *rows = table.strip().split("\n")
    assert " ".join(header.split()) == COLUMNS
    assert all(re.fullmatch(r"(grpc|rest)( +\S.*?)( +[\d.]+){6}", row) for row in rows[: len(found["calls"])])


_ANSWERS = count()


def _lose(method: str, path: str, answer: dict[str, Any]) -> dict[str, Any] | None:
    """Lose the answer to every twentieth move, after it was applied."""
    return None if "appliedVersion" in answer and next(_ANSWERS) % 20 == 7 else answer


@pytest.mark.parametrize("doctored", [_lose], indirect=True)
def test_answers_that_are_lost_are_asked_for_again_and_no_failure(doctored: Doctoring, serving: Serving, tmp_path: Path) -> None:
    status, found, table = load(serving, tmp_path, "--users", "3", "--seconds", "3", http=doctored.http, weights=ONLY_REST)
    assert status == 0, table
    assert doctored.changed and sum(number for what, number in found["repeated"].items() if what.endswith("CONNECTION_LOST")) >= 1


def _forget(method: str, path: str, answer: dict[str, Any]) -> dict[str, Any] | None:
    """A history without its last step, as a store would tell it that has lost a commit."""
    return answer | {"updates": answer["updates"][:-1]} if "nextSinceVersion" in answer and not answer["nextSinceVersion"] else answer


def _twice(method: str, path: str, answer: dict[str, Any]) -> dict[str, Any] | None:
    """A history in which a step stands twice."""
    return answer | {"updates": [*answer["updates"][:2], *answer["updates"][1:]]} if "nextSinceVersion" in answer else answer


_SEEN: set[tuple[str, int]] = set()


def _applied_again(method: str, path: str, answer: dict[str, Any]) -> dict[str, Any] | None:
    """A service that answers a retry as if it had played the move once more."""
    key = (path, answer.get("appliedVersion", 0))
    if not key[1] or key not in _SEEN:
        _SEEN.add(key)
        return answer
    return answer | {"appliedVersion": answer["appliedVersion"] + 1}


@pytest.mark.parametrize(
    ("doctored", "kind", "says"),
    [
        (_forget, "lost", "was acknowledged as version"),
        (_twice, "contradictory", "has version 2 where 3 must follow"),
        (_applied_again, "contradictory", "sent again"),
    ],
    indirect=["doctored"],
)
def test_a_lost_or_contradictory_match_is_named_and_ends_it_with_1(doctored: Doctoring, kind: str, says: str, serving: Serving, tmp_path: Path) -> None:
    status, found, table = load(serving, tmp_path, "--users", "2", "--seconds", "4", http=doctored.http, weights=ONLY_REST)
    assert status == 1 and doctored.changed
    named = [finding for finding in found["findings"] if finding["kind"] == kind and says in finding["what"]]
    assert named and f"{kind.upper()} match {named[0]['match_id']}: {named[0]['what']}" in table


def test_a_call_that_is_refused_and_must_not_be_ends_it_with_1(serving: Serving, tmp_path: Path) -> None:
    status, found, _ = load(serving, tmp_path, "--users", "2", "--seconds", "1", "--api-key", "not-this-one")
    assert status == 1
    assert {what.rpartition(": ")[2] for what in found["failures"]} == {"API_KEY_INVALID"}


def test_steps_go_on_until_a_bound_is_passed(serving: Serving, tmp_path: Path) -> None:
    status, found, table = load(serving, tmp_path, "--profile", "steps", "--users", "1", "--step-seconds", "1", "--factor", "2", "--most-users", "2")
    assert status == 0, table
    assert found["steps"][0]["users"] == 1 and "knee" in found
    status, found, table = load(serving, tmp_path, "--profile", "steps", "--users", "2", "--step-seconds", "1", "--p99", "0.001")
    assert found["steps"][0]["holds"] is False and len(found["steps"]) == 1
    assert "not even the first step kept the bounds" in table


def test_a_soak_looks_at_the_memory_of_the_workers(serving: Serving, tmp_path: Path) -> None:
    ops = f"http://127.0.0.1:{serving.ops_ports[0]}"
    status, found, table = load(serving, tmp_path, "--profile", "soak", "--users", "2", "--seconds", "3", "--ops", ops)
    assert len(found["memory_mb"][ops]) >= 3 and all(10 < sample < 2_000 for sample in found["memory_mb"][ops])
    assert status == (1 if found["growth"] else 0), table


def _wait_until_it_has_work(served: Serving) -> None:
    moves = re.compile(r"^umpire_moves_total\{.* ([0-9.]+)$", re.MULTILINE)
    while sum(map(float, moves.findall(httpx.get(f"http://127.0.0.1:{served.ops_ports[0]}/metrics").text))) < 50:
        time.sleep(0.05)


def _kill_once_it_has_work(two: Serving) -> None:
    _wait_until_it_has_work(two)
    two.processes[0].kill()


def _be_full_for_a_while(served: Serving, url: str) -> None:
    _wait_until_it_has_work(served)
    with redis.Redis.from_url(url) as client:
        client.config_set("maxmemory", "1")
        time.sleep(2)
        client.config_set("maxmemory", "0")


ONLY_STREAMS = """
[users]
grpc = 0
rest = 0
[move]
retry = 0.3
"""


def test_moves_on_streams_that_redis_refuses_for_a_while_are_sent_again(redis_server: PrivateRedis, key_prefix: str, tmp_path: Path) -> None:
    served = Serving(redis_server.url, key_prefix=key_prefix).start()
    filling = threading.Thread(target=_be_full_for_a_while, args=(served, redis_server.url))
    filling.start()
    try:
        status, found, table = load(served, tmp_path, "--users", "8", "--seconds", "60", "--matches", "24", "--think", "0.01", weights=ONLY_STREAMS)
    finally:
        filling.join()
        served.stop()
    assert status == 0, table
    assert found["repeated"]["grpc PlayMatch, move to verdict: STORE_UNAVAILABLE"] >= 1


def test_a_worker_that_is_killed_is_seen_nowhere_in_the_clients(redis_server: PrivateRedis, key_prefix: str, tmp_path: Path) -> None:
    two = Serving(redis_server.url, workers=2, key_prefix=key_prefix).start()
    killing = threading.Thread(target=_kill_once_it_has_work, args=(two,), daemon=True)
    killing.start()
    try:
        weights = "[match]\nspectator = 1\n"
        status, found, table = load(two, tmp_path, "--users", "8", "--seconds", "60", "--matches", "24", "--think", "0.01", weights=weights)
    finally:
        two.stop()
    assert two.processes[0].returncode == -signal.SIGKILL
    assert status == 0, table
    assert found["repeated"], "nobody has played on the worker that was killed"
    assert found["checked"]["moves"] > 50


def test_locusts_own_command_plays_with_a_master_and_a_worker(serving: Serving, tmp_path: Path) -> None:
    port = str(free_port())
    (tmp_path / "weights.toml").write_text("[move]\nthink = 0\n")
    command = [str(Path(sys.executable).parent / "locust"), "-f", "loadtests/load/locustfile.py", "--host", serving.http, "--grpc", serving.grpc]
    command += ["--weights", str(tmp_path / "weights.toml")]
    environment = os.environ | {"UMPIRE_API_KEY": API_KEY}
    worker = subprocess.Popen([*command, "--worker", "--master-port", port], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        headless = ["--headless", "-u", "3", "-r", "3", "-t", "4", "-s", "30", "--expect-workers", "1", "--only-summary"]
        master = [*command, "--master", "--master-bind-port", port, *headless]
        done = subprocess.run(master, env=environment, capture_output=True, text=True, timeout=120, check=False)
        worker.wait(30)
    finally:
        worker.kill()
    assert done.returncode == 0, done.stdout + done.stderr
    compared = re.search(r"compared\n(?: +\d+  .*\n)*? +(\d+)  moves", done.stdout)
    assert compared and int(compared[1]) > 10
