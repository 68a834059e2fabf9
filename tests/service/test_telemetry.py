"""Logs and metrics say what happened, and never what was in it."""

import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from service.private_redis import PrivateRedis
from tests.matchmaking import at_random, create
from tests.serving import CALLERS, Serving


@pytest.fixture
def logged(redis_server: PrivateRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Serving, Path]]:
    """A worker whose log goes to a file."""
    log = tmp_path / "log"
    popen = subprocess.Popen
    with log.open("wb") as file:
        monkeypatch.setattr(subprocess, "Popen", lambda *args, **more: popen(*args, stderr=file, **more))
        serving = Serving(redis_server.url, log_level="info").start()
        monkeypatch.undo()
        yield serving, log
        serving.stop()


def test_one_line_a_call_and_nothing_of_its_content(logged: tuple[Serving, Path]) -> None:
    serving, log = logged
    secrets: list[str] = []
    for kind in CALLERS.values():
        caller = kind(serving)
        match = create(caller)
        secrets += [*match.credentials.values(), match.creator, match.spectator]
        match.play_out(at_random(1))
        refused = caller.call("ApplyMove", {"match_id": match.match_id, "decision_id": 1, "move_id": "draw"}, match.credentials[1])
        assert refused.reason == "MATCH_FINISHED"
        caller.close()
    text = log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    made = [line for line in lines if line["message"] == "call"]
    assert {line["transport"] for line in made} == set(CALLERS)
    for line in made:
        assert {"request_id", "rpc", "transport", "game", "match", "code", "reason", "ms", "level", "timestamp", "worker"} == set(line) - {"message"}
    assert len({line["request_id"] for line in made}) == len(made)
    assert {line["reason"] for line in made if line["code"] != "OK"} == {"MATCH_FINISHED"}
    assert not any(secret in text for secret in secrets)
    assert not re.search(r"(BOMB|BOARD|FISH|REINFORCE|SECURE|GOLD)_[1-9]", text)
    assert not re.search(r"play_card|discard_card|eyJ", text)


def test_metrics_count_calls_moves_and_refusals_by_codes_alone(logged: tuple[Serving, Path]) -> None:
    serving, _ = logged
    caller = CALLERS["grpc"](serving)
    match = create(caller)
    match.play("draw")
    match.apply("pass_turn")
    caller.close()
    text = httpx.get(f"http://127.0.0.1:{serving.ops_ports[0]}/metrics").text
    for line in (
        'grpc_server_started_total{grpc_method="ApplyMove",grpc_service="umpire.v1.MatchService",grpc_type="unary"} 2.0',
        'grpc_server_handled_total{grpc_code="OK",grpc_method="ApplyMove",grpc_service="umpire.v1.MatchService",grpc_type="unary"} 1.0',
        'grpc_server_handled_total{grpc_code="FAILED_PRECONDITION",grpc_method="ApplyMove",grpc_service="umpire.v1.MatchService",grpc_type="unary"} 1.0',
        'umpire_moves_total{cause="PERSON",game="goldn_crash",kind="ACTION"} 1.0',
        'umpire_refusals_total{reason="ILLEGAL_MOVE"} 1.0',
        'umpire_matches_created_total{game="goldn_crash",mode="DUEL"} 1.0',
        "umpire_ready 1.0",
    ):
        assert line in text, line
    assert match.match_id not in text
    assert not re.search(r"PASS_NOT_ALLOWED|(BOMB|BOARD|FISH|REINFORCE|SECURE|GOLD)_[1-9]", text)
    assert httpx.get(f"http://127.0.0.1:{serving.ops_ports[0]}/healthz").text == "ok\n"


def test_streams_have_their_line_and_their_type_too(logged: tuple[Serving, Path]) -> None:
    serving, log = logged
    caller = CALLERS["grpc"](serving)
    match = create(caller)
    match.must("ResignSeat", match.credentials[1])
    assert httpx.get(f"{serving.http}/v1/matches/{match.match_id}/events:watch?since_version=0", headers={"authorization": f"Bearer {match.spectator}"}).text
    caller.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (line,) = [line for line in lines if line["message"] == "call" and line["rpc"].endswith("WatchMatch")]
    assert (line["code"], line["transport"], line["match"], line["sent"]) == ("OK", "rest", match.match_id, 2)
    text = httpx.get(f"http://127.0.0.1:{serving.ops_ports[0]}/metrics").text
    for metric in (
        'http_server_handled_total{http_code="OK",http_method="WatchMatch",http_service="umpire.v1.MatchService",http_type="server_stream"} 1.0',
        "umpire_watchers 0.0",
        "umpire_watchers_too_slow_total 0.0",
    ):
        assert metric in text, metric


def test_callers_that_leave_in_the_middle_of_a_stream_are_no_fault(logged: tuple[Serving, Path]) -> None:
    serving, log = logged
    caller = CALLERS["grpc"](serving)
    match = create(caller)
    match.play_out(at_random(1))
    request = caller.message("WatchMatch", "request")(match_id=match.match_id, since_version=0).SerializeToString()
    run = caller.channel.unary_stream(caller.rpc("WatchMatch").path)  # type: ignore[attr-defined]
    for _ in range(60):
        stream = run(request, metadata=(("authorization", f"Bearer {match.spectator}"),))
        next(stream)
        stream.cancel()
    deadline = time.monotonic() + 20
    while len(ended := [line for line in log.read_text().splitlines() if "WatchMatch" in line]) < 60:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    caller.close()
    assert {json.loads(line)["code"] for line in ended} <= {"CANCELLED", "OK"}
    assert '"level":"error"' not in log.read_text()


def test_reflection_and_health_checking_answer(serving: Serving) -> None:
    with grpc.insecure_channel(serving.grpc) as channel:
        for name in ("", "umpire.v1.MatchService", "umpire.v1.CatalogService"):
            answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        [listed] = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([request]))
        names = {service.name for service in listed.list_services_response.service}
        assert {"umpire.v1.MatchService", "umpire.v1.CatalogService", "grpc.health.v1.Health"} <= names
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="umpire.v1.MatchService")
        [found] = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([request]))
        assert found.file_descriptor_response.file_descriptor_proto
