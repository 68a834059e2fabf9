"""A log that cannot be written costs lines, never calls and never the worker."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import httpx
import pytest

from service.private_redis import PrivateRedis
from service.telemetry import logs
from tests.serving import Serving


class Moody:
    """A stream that fails as often as it is told to."""

    def __init__(self) -> None:
        self.failures = 0
        self.taken = b""

    def write(self, data: bytes) -> None:
        if self.failures:
            self.failures -= 1
            raise BlockingIOError
        self.taken += data

    def flush(self) -> None:
        pass


@pytest.fixture
def moody(monkeypatch: pytest.MonkeyPatch) -> Moody:
    stream = Moody()
    monkeypatch.setattr(logs, "_short_way", logs._ShortWay(stream=logs._Forgiving(stream), tail=b',"worker":3}\n'))  # type: ignore[arg-type]
    return stream


def line(**changed: Any) -> dict[str, Any]:
    return {"request_id": "r", "rpc": "/a/B", "transport": "grpc", "game": "g", "match": "m", "code": "OK", "reason": "", "seconds": 0.0015} | changed


async def test_lines_of_one_turn_come_in_order_and_after_a_failure_the_next_ones_are_written(moody: Moody) -> None:
    log = logs.CallLog()
    log.write(**line(match="lost"))
    moody.failures = 1
    await asyncio.sleep(0.01)
    for match in ("one", "two"):
        log.write(**line(match=match))
    await asyncio.sleep(0.01)
    written = [json.loads(text) for text in moody.taken.splitlines()]
    assert [one["match"] for one in written] == ["one", "two"]
    assert written[0] | {"timestamp": ""} == {
        "timestamp": "", "level": "info", "message": "call", "request_id": "r", "rpc": "/a/B", "transport": "grpc", "game": "g", "match": "one",
        "code": "OK", "reason": "", "ms": 1.5, "worker": 3,
    }  # fmt: skip
    assert not log._lines


def test_a_worker_whose_log_nobody_reads_any_more_goes_on(redis_server: PrivateRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **more: popen(*args, stderr=subprocess.PIPE, **more))
    serving = Serving(redis_server.url, log_level="info").start()
    monkeypatch.undo()
    try:
        stream = serving.processes[0].stderr
        assert stream is not None
        stream.close()
        for _ in range(20):
            assert httpx.get(f"{serving.http}/v1/games").status_code == 200
            assert httpx.get(f"{serving.http}/v1/nothing").status_code == 404
        assert serving.processes[0].poll() is None
    finally:
        serving.stop()
    assert serving.processes[0].returncode == 0


@pytest.mark.parametrize("url", ["http://h", "redis://h:1?ssl_cert_reqs=none", "redis://h:1?retry=x", "redis://h:1?decode_responses=true", "redis://h:port"])
@pytest.mark.parametrize("command", ["worker", "serve", "doctor"])
def test_an_address_that_cannot_be_read_is_one_line_that_does_not_repeat_it(command: str, url: str) -> None:
    arguments = [sys.executable, "-m", "service.cli", command, "--redis-url", url.replace("//h", "//:hush-hush@h"), "--insecure"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 2
    assert "UMPIRE_REDIS_URL" in said
    assert "hush-hush" not in said
    assert "Traceback" not in said
