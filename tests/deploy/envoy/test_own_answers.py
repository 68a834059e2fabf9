"""What Envoy decides by itself: limits, time, who can be reached; told in the form of the API's errors, over each transport."""

import socket
from collections.abc import Iterator

import grpc
import httpx
import pytest
from google.rpc import error_details_pb2, status_pb2

from tests.deploy.envoy.conftest import Start
from tests.deploy.envoy.echo import Echo
from tests.deploy.envoy.gateway import TLS, UNLIMITED, Gateway
from tests.serving import CALLERS, Answer, Caller, GrpcCaller, RestCaller, Serving
from umpire_client import Client, ResourceExhausted, RetryPolicy, Unavailable


@pytest.fixture(scope="module")
def echo() -> Iterator[Echo]:
    made = Echo()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def before_echo(start_gateway: Start, echo: Echo) -> Gateway:
    return start_gateway([echo], *UNLIMITED, "--call-timeout", "1")


@pytest.fixture(scope="module")
def limited(start_gateway: Start, serving: Serving) -> Gateway:
    """Two requests, then one a second, for each address."""
    return start_gateway([serving], *TLS, "--rate", "0", "--client-rate", "1")


def refused(caller: Caller) -> Answer:
    for _ in range(20):
        answer = caller.call("ListGames")
        if not answer.ok:
            return answer
    raise AssertionError("nothing was refused")


def test_who_asks_too_often_is_told_when_to_come_again(limited: Gateway) -> None:
    for name, kind in CALLERS.items():
        caller = kind(limited.address)
        answer = refused(caller)
        assert (answer.code, answer.reason, answer.retry) == ("RESOURCE_EXHAUSTED", "RATE_LIMITED", True), name
        assert answer.status == {"grpc": 0}.get(name, 429)
        assert answer.message == "too many requests; try again later"
        caller.close()


def test_the_python_client_reads_a_limit_as_its_own_error(limited: Gateway) -> None:
    caller = GrpcCaller(limited.address)
    refused(caller)
    assert limited.address.authority is not None
    with (
        Client(limited.address.grpc, tls=grpc.ssl_channel_credentials(limited.address.authority.read_bytes())) as client,
        pytest.raises(ResourceExhausted) as error,
    ):
        for _ in range(20):
            client.list_games()
    assert error.value.retry_after == 1.0
    caller.close()


def test_a_limit_for_all_together(start_gateway: Start, serving: Serving) -> None:
    gateway = start_gateway([serving], "--rate", "1", "--client-rate", "0")
    caller = RestCaller(gateway.address)
    assert refused(caller).reason == "RATE_LIMITED"
    caller.close()


def test_a_limit_counts_each_address_alone(start_gateway: Start, serving: Serving) -> None:
    gateway = start_gateway([serving], "--rate", "0", "--client-rate", "1", "--trusted-hops", "1")
    statuses: dict[str, list[int]] = {}
    for number in range(12):
        for address in ("192.0.2.1", "192.0.2.2", f"198.51.100.{number}"):
            answer = httpx.get(f"{gateway.address.http}/v1/games", headers={"x-forwarded-for": address})
            statuses.setdefault(address, []).append(answer.status_code)
    assert 429 in statuses["192.0.2.1"]
    assert 429 in statuses["192.0.2.2"]
    assert all(seen == [200] for address, seen in statuses.items() if address.startswith("198.51.100."))


def test_nobody_can_choose_an_address_for_the_limit(start_gateway: Start, serving: Serving) -> None:
    gateway = start_gateway([serving], "--rate", "0", "--client-rate", "1")
    statuses = [httpx.get(f"{gateway.address.http}/v1/games", headers={"x-forwarded-for": f"192.0.2.{number}"}).status_code for number in range(12)]
    assert 429 in statuses


def test_a_worker_that_is_too_slow(before_echo: Gateway) -> None:
    answer = httpx.get(f"{before_echo.address.http}/v1/slow", timeout=10)
    error = answer.json()
    assert (answer.status_code, error["code"], answer.headers["content-type"]) == (504, 14, "application/json")
    assert error["details"][0] | {"reason": "WORKER_TOO_SLOW", "metadata": {"applied": "UNKNOWN"}} == error["details"][0]


def test_a_request_that_does_not_come(before_echo: Gateway, echo: Echo) -> None:
    with socket.create_connection(("127.0.0.1", before_echo.port), timeout=20) as line:
        line.sendall(b"POST /v1/half HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf")
        answer = line.recv(65_536).decode()
    assert answer.startswith("HTTP/1.1 408 ")
    assert '"reason": "REQUEST_TOO_SLOW"' in answer
    assert "/v1/half" not in [path for path, _ in echo.asked]


def test_nobody_there(start_gateway: Start) -> None:
    gone = Echo()
    gateway = start_gateway([gone], *UNLIMITED)
    gone.stop()
    for name, kind in CALLERS.items():
        caller = kind(gateway.address)
        answer = caller.call("ListGames")
        assert (answer.code, answer.reason, answer.metadata, answer.retry) == ("UNAVAILABLE", "WORKER_UNAVAILABLE", {"applied": "UNKNOWN"}, True), name
        assert answer.status == {"grpc": 0}.get(name, 503)
        caller.close()
    with Client(gateway.address.grpc, retry=RetryPolicy(deadline=0.5)) as client, pytest.raises(Unavailable) as error:
        client.list_games()
    assert error.value.retry_after == 1.0


def test_too_many_bytes_over_grpc(gateway: Gateway) -> None:
    caller = GrpcCaller(gateway.address)
    with pytest.raises(grpc.RpcError) as refusal:
        caller.channel.unary_unary(caller.rpc("CreateMatch").path)(b"\x0a\x80\x89\x04" + b"x" * 66_688, timeout=20)
    assert refusal.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    details = dict(refusal.value.trailing_metadata())["grpc-status-details-bin"]
    info = error_details_pb2.ErrorInfo()
    assert status_pb2.Status.FromString(details).details[0].Unpack(info)
    assert (info.domain, info.reason, info.metadata["limit"]) == ("umpire", "TOO_LARGE", "65536")
    caller.close()


def test_a_worker_that_says_that_it_is_unwell_is_not_asked_twice_whatever_the_client_wants(before_echo: Gateway, echo: Echo) -> None:
    wishes = {"x-envoy-retry-on": "5xx,retriable-4xx", "x-envoy-max-retries": "5", "x-envoy-retriable-status-codes": "503"}
    answer = httpx.post(f"{before_echo.address.http}/v1/unwell", headers=wishes)
    assert answer.status_code == 503
    assert [path for path, _ in echo.asked].count("/v1/unwell") == 1


def test_headers_that_steer_envoy_are_not_taken_from_clients(before_echo: Gateway, echo: Echo) -> None:
    httpx.get(f"{before_echo.address.http}/v1/steered", headers={"x-envoy-upstream-rq-timeout-ms": "1", "x-envoy-external-address": "192.0.2.1"})
    (headers,) = [headers for path, headers in echo.asked if path == "/v1/steered"]
    assert {name: value for name, value in headers.items() if name.startswith("x-envoy-")} == {"x-envoy-external-address": "127.0.0.1"}


def test_ids_of_requests_and_traces_pass_as_they_are(before_echo: Gateway, echo: Echo) -> None:
    sent = {
        "x-request-id": "0f8fad5b-d9cb-469f-a165-70867728950e",
        "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "tracestate": "vendor=1",
        "authorization": "Bearer abc",
    }
    httpx.get(f"{before_echo.address.http}/v1/traced", headers=sent)
    (headers,) = [headers for path, headers in echo.asked if path == "/v1/traced"]
    assert headers.items() >= sent.items()
    httpx.get(f"{before_echo.address.http}/v1/untraced")
    (made,) = [headers for path, headers in echo.asked if path == "/v1/untraced"]
    assert made["x-request-id"]
    assert "traceparent" not in made
