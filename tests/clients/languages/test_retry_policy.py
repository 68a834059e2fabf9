"""retry_policy.json: true to the contract, taken by a gRPC library, and it retries UNAVAILABLE and CANCELLED and nothing else."""

import json
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from engines.registry import games
from service.contract import load_contract
from tests.clients.languages.conftest import ROOT
from tests.clients.languages.relay import Handing, Relay

POLICY = (ROOT / "proto" / "umpire" / "v1" / "retry_policy.json").read_text()
CONTRACT = load_contract(games())
CONFIGS = json.loads(POLICY)["methodConfig"]
METHODS = [name for config in CONFIGS for name in config["name"]]
CALLS = [path for path, rpc in CONTRACT.rpcs.items() if not rpc.server_streaming]
RETRIED = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED]  # CANCELLED: a worker that stops has no other word for what it has not begun
NOT_RETRIED = [code for code in grpc.StatusCode if code not in (grpc.StatusCode.OK, *RETRIED)]


def failing(code: grpc.StatusCode, times: int) -> Handing:
    """Fails the first so many calls, then answers with an empty message."""
    left = [times]

    def between(_path: str, _request: bytes, _ask: Callable[[], bytes], context: Any) -> bytes:
        left[0] -= 1
        if left[0] >= 0:
            context.abort(code, "as the test wants it")
        return b""

    return between


def call(relay: Relay, path: str, policy: str = POLICY, **more: Any) -> bytes:
    options = [("grpc.service_config", policy), ("grpc.use_local_subchannel_pool", 1)] if policy else []
    with grpc.insecure_channel(relay.address, options=options) as channel:
        return channel.unary_unary(path)(b"as it was", **more)


def test_it_names_every_rpc_once_and_no_other() -> None:
    named = [f"/{name['service']}/{name['method']}" for name in METHODS]
    assert sorted(named) == sorted(CONTRACT.rpcs)


def test_the_rpcs_that_need_a_request_id_stand_apart() -> None:
    plain, with_request_id, _streams = CONFIGS
    for config, expected in ((plain, False), (with_request_id, True)):
        for name in config["name"]:
            request = CONTRACT.pool.FindServiceByName(name["service"]).FindMethodByName(name["method"]).input_type
            assert ("request_id" in request.fields_by_name) is expected, name


def test_streams_have_neither_retries_nor_a_timeout() -> None:
    assert CONFIGS[2].keys() == {"name"}
    assert {f"/{name['service']}/{name['method']}" for name in CONFIGS[2]["name"]} == CONTRACT.rpcs.keys() - CALLS


def test_it_keeps_to_what_all_libraries_take() -> None:
    for config in CONFIGS[:2]:
        retry = config["retryPolicy"]
        assert retry["retryableStatusCodes"] == [code.name for code in RETRIED]
        assert 2 <= retry["maxAttempts"] <= 5
        assert retry.keys() == {"maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes"}


@pytest.mark.parametrize("code", RETRIED, ids=lambda code: code.name)
@pytest.mark.parametrize("path", CALLS)
def test_it_is_asked_again_with_the_same_request(path: str, code: grpc.StatusCode) -> None:
    with Relay("127.0.0.1:1", failing(code, 1)) as relay:
        assert call(relay, path) == b""
        assert relay.calls == [(path, b"as it was")] * 2


@pytest.mark.parametrize("path", sorted(CONTRACT.rpcs.keys() - CALLS))
def test_a_stream_is_not_asked_again_by_the_library(path: str) -> None:
    with Relay("127.0.0.1:1", failing(grpc.StatusCode.UNAVAILABLE, 1)) as relay:
        with pytest.raises(grpc.RpcError):
            call(relay, path)
        assert len(relay.calls) == 1


def test_it_gives_up_after_five_attempts() -> None:
    with Relay("127.0.0.1:1", failing(grpc.StatusCode.UNAVAILABLE, 9)) as relay:
        with pytest.raises(grpc.RpcError) as refused:
            call(relay, "/umpire.v1.MatchService/ApplyMove")
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert len(relay.calls) == 5


@pytest.mark.parametrize("code", NOT_RETRIED, ids=lambda code: code.name)
def test_no_other_code_is_asked_again(code: grpc.StatusCode) -> None:
    with Relay("127.0.0.1:1", failing(code, 1)) as relay:
        with pytest.raises(grpc.RpcError) as refused:
            call(relay, "/umpire.v1.MatchService/ApplyMove")
        assert refused.value.code() is code
        assert len(relay.calls) == 1


def test_without_it_nothing_is_asked_again() -> None:
    with Relay("127.0.0.1:1", failing(grpc.StatusCode.UNAVAILABLE, 1)) as relay:
        with pytest.raises(grpc.RpcError):
            call(relay, "/umpire.v1.MatchService/ApplyMove", policy="")
        assert len(relay.calls) == 1
