"""Traces: a span a call over every door, going on its caller's trace, with the rules' and the store's share; no secrets in it, and nobody waits for it."""

import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from service.private_redis import PrivateRedis
from service.telemetry import tracing
from service.telemetry.traceparent import trace_id_of
from tests.matchmaking import Played, create
from tests.service.telemetry.collector import Collector, attributes
from tests.serving import API_KEY, GrpcCaller, RestCaller, Serving, free_port

SERVER, CLIENT, INTERNAL = 2, 3, 1


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    collecting = Collector()
    yield collecting
    collecting.close()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("traced") / "log"


@pytest.fixture(scope="module")
def traced(redis_server: PrivateRedis, collector: Collector, log: Path) -> Iterator[Serving]:
    """A worker that traces what its callers trace, and logs to a file."""
    yield from serving_with(redis_server.url, log, otlp_endpoint=collector.endpoint, otlp_ratio="0")


def serving_with(url: str, log: Path, **settings: str) -> Iterator[Serving]:
    popen = subprocess.Popen
    with log.open("wb") as file, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        patch.setattr(subprocess, "Popen", lambda *args, **more: popen(*args, stderr=file, **more))
        serving = Serving(url, log_level="info", **settings).start()
        patch.undo()
        yield serving
        serving.stop()
        assert all(process.returncode == 0 for process in serving.processes)


def new_trace(*, sampled: bool = True) -> tuple[str, str, str]:
    trace_id, span_id = secrets.token_hex(16), secrets.token_hex(8)
    return trace_id, span_id, f"00-{trace_id}-{span_id}-0{int(sampled)}"


def of(trace_id: str, kind: int = SERVER) -> Any:
    return lambda span: span.trace_id.hex() == trace_id and span.kind == kind


def post(serving: Serving, path: str, match: Played, body: Any, traceparent: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {match.asked}", "traceparent": traceparent, "tracestate": "vendor=1"}
    return httpx.post(f"{serving.http}{path}", json=body, headers=headers, timeout=20)


def line_of(log: Path, trace_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + 20
    while True:
        found = [json.loads(line) for line in log.read_text().splitlines() if trace_id in line]
        if found:
            return found[0]
        assert time.monotonic() < deadline
        time.sleep(0.05)


def move(match: Played, move_id: str = "draw") -> dict[str, Any]:
    assert match.decision is not None
    return {"decisionId": match.decision["decisionId"], "moveId": move_id}


def test_a_call_over_each_door_goes_on_its_callers_trace(traced: Serving, collector: Collector, log: Path) -> None:
    caller = RestCaller(traced)
    for door in ("rest", "connect", "grpc"):
        match = create(caller)
        trace_id, parent, traceparent = new_trace()
        if door == "rest":
            assert post(traced, f"/v1/matches/{match.match_id}/moves", match, move(match), traceparent).status_code == 200
        elif door == "connect":
            assert post(traced, "/umpire.v1.MatchService/ApplyMove", match, move(match) | {"matchId": match.match_id}, traceparent).status_code == 200
        else:
            with grpc.insecure_channel(traced.grpc) as channel:
                request = caller.message("ApplyMove", "request")(match_id=match.match_id, decision_id=move(match)["decisionId"], move_id="draw")
                metadata = (("authorization", f"Bearer {match.asked}"), ("traceparent", traceparent))
                assert channel.unary_unary("/umpire.v1.MatchService/ApplyMove")(request.SerializeToString(), metadata=metadata, timeout=20)
        (span,) = collector.wait_for(of(trace_id))
        assert span.parent_span_id.hex() == parent
        assert span.name == ("POST /v1/matches/{match_id}/moves" if door == "rest" else "umpire.v1.MatchService/ApplyMove")
        told = attributes(span)
        assert told["rpc.method"] == "umpire.v1.MatchService/ApplyMove"
        assert told.get("rpc.system.name") == {"rest": None, "connect": "connectrpc", "grpc": "grpc"}[door]
        assert told.get("http.route") == {"rest": "/v1/matches/{match_id}/moves", "connect": "/umpire.v1.MatchService/ApplyMove", "grpc": None}[door]
        assert told.get("http.response.status_code") == (200 if door == "rest" else None)
        assert (told["umpire.game"], told["umpire.decision.kind"], told["umpire.match_id"]) == ("goldn_crash", "ACTION", match.match_id)
        (commit,) = collector.wait_for(lambda span, trace_id=trace_id: of(trace_id, CLIENT)(span) and attributes(span)["umpire.store.command"] == "commit")
        assert attributes(commit)["db.system.name"] == "redis"
        assert attributes(commit)["db.operation.name"] == "EVALSHA"
        steps = collector.wait_for(of(trace_id, INTERNAL), 3)
        assert {attributes(step)["umpire.engine.step"] for step in steps} == {"apply", "view", "legal_moves"}
        for child in (commit, *steps):
            assert child.parent_span_id == span.span_id
            assert span.start_time_unix_nano <= child.start_time_unix_nano + 1_000_000
            assert child.end_time_unix_nano <= span.end_time_unix_nano + 1_000_000
        line = line_of(log, trace_id)
        assert (line["trace_id"], line["span_id"], line["transport"]) == (trace_id, span.span_id.hex(), door)
    caller.close()


def test_a_refusal_is_told_by_its_reason_and_only_faults_are_errors(traced: Serving, collector: Collector) -> None:
    caller = RestCaller(traced)
    match = create(caller)
    trace_id, _, traceparent = new_trace()
    assert post(traced, f"/v1/matches/{match.match_id}/moves", match, move(match, "secure_from(column=1)"), traceparent).status_code == 400
    (span,) = collector.wait_for(of(trace_id))
    told = attributes(span)
    assert (told["umpire.refusal.reason"], told["rpc.response.status_code"], told["http.response.status_code"]) == ("ILLEGAL_MOVE", "FAILED_PRECONDITION", 400)
    assert told["umpire.decision.kind"] == "ACTION"
    assert span.status.code == 0
    caller.close()


def test_a_stream_is_one_span_and_what_others_do_is_none_of_its_children(traced: Serving, collector: Collector) -> None:
    caller = RestCaller(traced)
    match = create(caller)
    trace_id, _, traceparent = new_trace()
    with httpx.stream(
        "GET",
        f"{traced.http}/v1/matches/{match.match_id}/events:watch?since_version=0",
        headers={"authorization": f"Bearer {match.spectator}", "traceparent": traceparent},
        timeout=30,
    ) as answer:
        lines = answer.iter_lines()
        next(lines)
        for _ in range(5):
            match.play(match.legal()["legalMoves"][0]["moveId"])
        match.must("ResignSeat", match.credentials[1])
        assert list(lines)
    (span,) = collector.wait_for(of(trace_id))
    told = attributes(span)
    assert told["umpire.stream.sent"] == 7
    assert told["rpc.response.status_code"] == "OK"
    children = collector.spans(lambda span: of(trace_id, CLIENT)(span) or of(trace_id, INTERNAL)(span))
    assert not any(attributes(child).get("umpire.store.command") == "commit" for child in children)
    caller.close()


def test_who_is_not_to_be_traced_is_not_and_his_trace_id_is_logged_all_the_same(traced: Serving, collector: Collector, log: Path) -> None:
    trace_id, _, traceparent = new_trace(sampled=False)
    assert httpx.get(f"{traced.http}/v1/games", headers={"traceparent": traceparent}).status_code == 200
    assert line_of(log, trace_id)["trace_id"] == trace_id
    after, _, traceparent = new_trace()
    assert httpx.get(f"{traced.http}/v1/games", headers={"traceparent": traceparent}).status_code == 200
    collector.wait_for(of(after))
    assert not collector.spans(of(trace_id))


def test_a_caller_that_says_nothing_is_traced_by_the_ratio(redis_server: PrivateRedis, collector: Collector, tmp_path: Path) -> None:
    serving = serving_with(redis_server.url, tmp_path / "log", otlp_endpoint=collector.endpoint)
    before = len(collector.spans(lambda span: span.name == "GET /v1/games"))
    assert httpx.get(f"{next(serving).http}/v1/games", headers={"traceparent": "00-nonsense"}).status_code == 200
    span = collector.wait_for(lambda span: span.name == "GET /v1/games", before + 1)[-1]
    assert span.parent_span_id == b""
    next(serving, None)


def test_no_span_holds_a_credential_a_move_or_a_secret(traced: Serving, collector: Collector) -> None:
    caller = GrpcCaller(traced)
    trace_id, _, traceparent = new_trace()
    seed = secrets.token_hex(32)
    body = {"game": "monster_mash_up", "seats": [{"displayName": "Annabelle"}, {}], "seed": seed}
    made = httpx.post(f"{traced.http}/v1/matches", json=body, headers={"x-api-key": API_KEY, "traceparent": traceparent}).json()
    match = Played(caller, made)
    for seat in (1, 2) * 2:
        if seat in match.open:
            credential = match.credentials[seat]
            legal = match.legal(credential)["legalMoves"][0]["moveId"]
            asked = {"decisionId": match.open[seat]["decisionId"], "moveId": legal}
            headers = {"authorization": f"Bearer {credential}", "traceparent": traceparent}
            match.follow(httpx.post(f"{traced.http}/v1/matches/{match.match_id}/moves", json=asked, headers=headers).json())
            name = legal.partition("(")[0].encode()
            assert name not in collector.raw
    collector.wait_for(of(trace_id), 3)
    for secret in (*match.credentials.values(), match.creator, match.spectator, API_KEY, seed, "Annabelle"):
        assert secret.encode() not in collector.raw
    caller.close()


def test_calls_do_not_wait_for_a_collector_that_is_away(redis_server: PrivateRedis, tmp_path: Path) -> None:
    running = serving_with(redis_server.url, tmp_path / "log", otlp_endpoint=f"http://127.0.0.1:{free_port()}")
    serving = next(running)
    caller = GrpcCaller(serving)
    match = create(caller)
    match.must("ResignSeat", match.credentials[1])
    caller.close()
    next(running, None)  # ends with status 0, and soon
    assert not [line for line in (tmp_path / "log").read_text().splitlines() if json.loads(line).get("code") not in {None, "OK"}]


# ---- without it


@pytest.mark.parametrize("installed", [True, False])
def test_without_an_endpoint_no_part_of_tracing_is_loaded_and_none_is_needed(installed: bool) -> None:
    # redis-py loads OpenTelemetry's metrics by itself, where they are installed.
    program = """if True:
        import sys
        if sys.argv[1] == "False":
            sys.modules["opentelemetry"] = None
        import service.cli, service.worker, service.supervisor
        loaded = {"opentelemetry.sdk.trace", "opentelemetry.exporter", "service.telemetry.tracing"} & set(sys.modules)
        sys.exit(str(loaded) if loaded else 0)
    """
    done = subprocess.run([sys.executable, "-c", program, str(installed)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_trace_id_is_logged_without_tracing_too(redis_server: PrivateRedis, tmp_path: Path) -> None:
    running = serving_with(redis_server.url, tmp_path / "log")
    serving = next(running)
    trace_id, _, traceparent = new_trace()
    assert httpx.get(f"{serving.http}/v1/games", headers={"traceparent": traceparent}).status_code == 200
    line = line_of(tmp_path / "log", trace_id)
    assert line["trace_id"] == trace_id
    assert "span_id" not in line
    next(running, None)


@pytest.mark.parametrize(
    ("header", "trace_id"),
    [
        (f"00-{'a' * 32}-{'b' * 16}-01", "a" * 32),
        (f"01-{'a' * 32}-{'b' * 16}-01-more", "a" * 32),
        (f"00-{'a' * 32}-{'b' * 16}-01-more", ""),
        (f"ff-{'a' * 32}-{'b' * 16}-01", ""),
        (f"00-{'0' * 32}-{'b' * 16}-01", ""),
        (f"00-{'a' * 32}-{'0' * 16}-01", ""),
        (f"00-{'A' * 32}-{'b' * 16}-01", ""),
        (f"00-{'a' * 32}-{'b' * 16}-01\n", ""),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_a_traceparent_is_taken_only_if_it_is_one(header: str, trace_id: str) -> None:
    assert trace_id_of(header) == trace_id


def start(**settings: str) -> "subprocess.CompletedProcess[str]":
    hidden = "import sys; sys.modules.update({'opentelemetry.sdk': None} if sys.argv.pop(1) == 'hide' else {}); from service.cli import main; sys.exit(main())"
    hide = settings.pop("hide", "")
    arguments = ["worker", "--insecure", "--redis-url", "redis://127.0.0.1:1", *[part for name, value in settings.items() for part in (f"--{name}", value)]]
    return subprocess.run([sys.executable, "-c", hidden, hide or "show", *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_a_worker_that_shall_trace_and_cannot_says_what_to_install() -> None:
    done = start(hide="hide", **{"otlp-endpoint": "http://127.0.0.1:4317"})
    assert done.returncode == 2
    assert "pip install 'umpire[tracing]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "settings",
    [{"otlp-endpoint": "127.0.0.1:4317"}, {"otlp-endpoint": "http://user:hush@h:4317"}, {"otlp-ratio": "2"}, {"otlp-ratio": "nan"}, {"otlp-ratio": "all"}],
)
def test_settings_that_cannot_be_used_are_told(settings: dict[str, str]) -> None:
    done = start(**settings)
    assert done.returncode == 2
    assert f"UMPIRE_{next(iter(settings)).upper().replace('-', '_')}" in done.stderr.replace("--otlp-ratio", "UMPIRE_OTLP_RATIO")
    assert "hush" not in done.stderr


def test_what_callers_send_as_trace_context_is_not_repeated_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    traceparent = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
    for headers in ({"traceparent": traceparent, "tracestate": "not a member" * 20}, {"traceparent": traceparent + "-x" * 500}):
        tracing._propagator.extract(headers)  # the one that workers use
    assert not caplog.records
