"""The wire cases: each over gRPC, REST and Connect, with both status codes."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from redis import Redis

from service.private_redis import PrivateRedis
from tests.serving import API_KEY, Caller
from tests.wire.situations import Situations

CASES = [case | {"file": path.stem} for path in sorted(Path(__file__).parent.glob("cases/*.yaml")) for case in yaml.safe_load(path.read_text())]
_KEYS = {"name", "file", "given", "call", "as", "api_key", "request", "expect"}
_EXPECTED = {"code", "status", "reason", "metadata", "fields", "message", "retry", "answer"}


@pytest.fixture
def situations(caller: Caller, redis_server: PrivateRedis) -> Situations:
    return Situations(caller, Redis.from_url(redis_server.url))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any], caller: Caller, situations: Situations) -> None:
    assert set(case) <= _KEYS, "a case has a word that is not known"
    expect = case["expect"]
    assert set(expect) <= _EXPECTED, "an expectation has a word that is not known"
    situation = situations.make(case.get("given", "nothing"))
    credential = situation.fill_in(case.get("as", ""))
    answer = caller.call(case["call"], situation.fill_in(case["request"]), credential, case.get("api_key", API_KEY))
    assert (answer.code, answer.reason) == (expect["code"], expect["reason"]), answer
    assert answer.status == {"grpc": 0, "rest": expect["status"], "connect": _connect_status(expect)}[caller.transport]
    assert answer.message
    if "fields" in expect:
        assert sorted(answer.fields) == sorted(expect["fields"])
    else:
        assert answer.fields == []
    wanted = situation.fill_in(expect.get("metadata", {}))
    assert answer.metadata.items() >= wanted.items()
    assert answer.retry is (expect["code"] == "UNAVAILABLE")
    if "message" in expect:
        assert answer.message == expect["message"]
    secrets = [value for name, value in situation.items() if name in {"seat1", "seat2", "creator", "spectator", "asked", "idle", "forged"}]
    assert not any(value and value.encode() in answer.raw for value in secrets), "an error tells a credential"


def _connect_status(expect: dict[str, Any]) -> int:
    """Connect has a table of its own, where a precondition that failed is 400 and an abort 409, as in REST, but a refused size stays 429."""
    return {"RESOURCE_EXHAUSTED": 429, "UNIMPLEMENTED": 501}.get(expect["code"], expect["status"])
