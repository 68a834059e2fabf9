"""proto/README.md: its limits are those of the service."""

from typing import Any

import grpc
import pytest

from service import app, config, grpc_server
from tests.clients.languages.test_page import PAGE
from tests.serving import API_KEY, GrpcCaller, RestCaller, Serving

HEARTBEAT = next(setting.default for setting in config.SETTINGS if setting.name == "heartbeat")


def test_a_request_has_at_most_as_many_bytes_as_it_says(serving: Serving) -> None:
    limit = 65_536
    assert f"| a request | {limit:,} bytes |" in PAGE
    over_grpc, over_http = GrpcCaller(serving), RestCaller(serving)
    for size, code in ((limit, "NOT_FOUND"), (limit + 1, "RESOURCE_EXHAUSTED")):
        text = b"x" * (size - 4)  # one byte says which field, three its length
        length = bytes([len(text) & 0x7F | 0x80, len(text) >> 7 & 0x7F | 0x80, len(text) >> 14])
        answer = over_grpc.call_bytes("GetGame", b"\x0a" + length + text)
        assert (answer.code, answer.reason) == (code, "GAME_NOT_FOUND" if code == "NOT_FOUND" else "")
    frame = len(b'{"game":""}')
    for size, status in ((limit, 400), (limit + 1, 413)):
        answer = over_http.send("POST", "/v1/matches", b'{"game":"' + b"x" * (size - frame) + b'"}', headers={"x-api-key": API_KEY})
        assert (answer.status, answer.reason) == (status, "INVALID_REQUEST" if status == 400 else "TOO_LARGE")
    over_grpc.close()
    over_http.close()


LIMITS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("`request_id`, `client_seed` | 64 printable ASCII characters", {"request_id": "x" * 64}, {"request_id": "x" * 65}),
    ("`display_name` | 64 printable characters", {"seats": [{"display_name": "ä" * 64}, {}]}, {"seats": [{"display_name": "ä" * 65}, {}]}),
    ("`metadata` of a seat | 1,024 characters", {"seats": [{"metadata": "ä" * 1024}, {}]}, {"seats": [{"metadata": "ä" * 1025}, {}]}),
    ("`seed` | 64 hexadecimal digits", {"seed": "0a" * 32}, {"seed": "0a" * 31}),
    ("`ttl` | one minute to 30 days", {"ttl": "60s"}, {"ttl": "59s"}),
    ("`ttl` | one minute to 30 days", {"ttl": "2592000s"}, {"ttl": "2592001s"}),
]


@pytest.mark.parametrize(("said", "good", "bad"), LIMITS)
def test_its_limits_are_those_of_the_service(serving: Serving, said: str, good: dict[str, Any], bad: dict[str, Any]) -> None:
    assert f"| {said}" in PAGE
    caller = GrpcCaller(serving)
    base = {"game": "goldn_crash", "seats": [{}, {}]}
    assert caller.call("CreateMatch", base | good).ok
    assert caller.call("CreateMatch", base | bad).reason == "INVALID_REQUEST"
    caller.close()


def test_its_limits_of_a_page_and_of_a_connection_are_those_of_the_service(serving: Serving) -> None:
    assert "| `page_size` | 1 to 500; 100 if 0 |" in PAGE
    caller = GrpcCaller(serving)
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}]}).body
    asked = {"match_id": created["match"]["matchId"]}
    assert caller.call("ListEvents", asked | {"page_size": 500}, created["spectatorCredential"]).ok
    assert caller.call("ListEvents", asked | {"page_size": 501}, created["spectatorCredential"]).reason == "INVALID_REQUEST"
    caller.close()
    assert f"| calls and streams under way on a gRPC connection | {dict(grpc_server._OPTIONS)['grpc.max_concurrent_streams']:,} |" in PAGE
    assert "about 10 minutes; calls and streams under way end in their own time" in PAGE
    options = dict(grpc_server._OPTIONS)
    assert options["grpc.max_connection_age_ms"] == 10 * 60_000
    assert "grpc.max_connection_age_grace_ms" not in options


def test_its_limits_of_streams_and_of_the_time_for_moves_are_those_of_the_service(serving: Serving) -> None:
    assert f"| a stream that is not read | {app._PATIENCE_IN_HEARTBEATS * HEARTBEAT} seconds" in PAGE
    assert config._LONGEST_HEARTBEAT_S == 15
    assert "| the pause between two messages of a stream | 15 seconds" in PAGE
    assert "| `move_timeout` | 5 seconds to 30 days; none if absent |" in PAGE
    caller = GrpcCaller(serving)
    for seconds, is_taken in ((4, False), (5, True), (30 * 86_400, True), (30 * 86_400 + 1, False)):
        made = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}], "move_timeout": f"{seconds}s"})
        assert (made.ok, made.reason) == (is_taken, "" if is_taken else "INVALID_REQUEST")
    caller.close()


def test_an_rpc_that_the_server_does_not_know_is_refused_as_it_says(serving: Serving) -> None:
    with grpc.insecure_channel(serving.grpc) as channel, pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary("/umpire.v1.MatchService/Later")(b"")
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    caller = RestCaller(serving)
    assert caller.send("POST", "/umpire.v1.MatchService/Later", b"{}").status == 404
    caller.close()
