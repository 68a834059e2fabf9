"""What Envoy writes down and shows: each call, with its worker, and no secret."""

import httpx

from tests.deploy.envoy.conftest import Start
from tests.deploy.envoy.gateway import TLS, UNLIMITED, Gateway
from tests.matchmaking import create
from tests.serving import API_KEY, CALLERS, Serving


def test_the_access_log_has_each_call_and_no_credential(start_gateway: Start, serving: Serving) -> None:
    gateway = start_gateway([serving], *TLS, *UNLIMITED)
    secrets = {API_KEY}
    for kind in CALLERS.values():
        caller = kind(gateway.address)
        match = create(caller)
        match.legal()
        secrets |= {match.creator, match.spectator, *match.credentials.values()}
        caller.close()
    headers = {"authorization": "Bearer a-secret-of-a-header", "x-api-key": "a-secret-key", "cookie": "a-secret-cookie", "x-request-id": "found-again"}
    secrets |= {"a-secret-of-a-header", "a-secret-key", "a-secret-cookie", "a-secret-of-a-query"}
    httpx.get(f"{gateway.address.http}/v1/games?credential=a-secret-of-a-query", headers=headers, verify=False)
    lines = gateway.logged(7)
    text = gateway.log.read_text()
    assert [secret for secret in secrets if secret in text] == []
    assert [line["route"] for line in lines] == ["grpc", "grpc", "http", "http", "http", "http", "http"]
    assert [line["grpc_status"] for line in lines[:2]] == ["OK", "OK"]
    assert {line["status"] for line in lines[:6]} == {200}
    assert {line["worker"] for line in lines} == {f"127.0.0.1:{serving.grpc_port}", f"127.0.0.1:{serving.http_port}"}
    assert (lines[-1]["path"], lines[-1]["request_id"], lines[-1]["client"]) == ("/v1/games", "found-again", "127.0.0.1")


def test_nobody_fills_the_disk_with_long_lines(start_gateway: Start, serving: Serving) -> None:
    gateway = start_gateway([serving], *UNLIMITED)
    much = "m" * 10_000
    headers = dict.fromkeys(("user-agent", "traceparent", "x-request-id"), much)
    httpx.get(f"{gateway.address.http}/v1/games/{much}", headers=headers)
    httpx.request(much, f"{gateway.address.http}/v1/games")
    gateway.logged(2)
    assert max(map(len, gateway.log.read_text().splitlines())) < 2_000


def test_the_stats_port_shows_metrics_and_readiness_and_nothing_else(gateway: Gateway) -> None:
    shown = f"http://127.0.0.1:{gateway.stats_port}"
    httpx.get(f"{gateway.address.http}/v1/games", verify=False)
    assert httpx.get(f"{shown}/ready").text == "LIVE\n"
    text = httpx.get(f"{shown}/stats/prometheus").text
    assert 'envoy_http_downstream_rq_xx{envoy_response_code_class="2",envoy_http_conn_manager_prefix="umpire"}' in text
    for cluster in ("workers_grpc", "workers_http"):
        assert f'envoy_cluster_membership_healthy{{envoy_cluster_name="{cluster}"}} 1' in text
    for path in ("/", "/config_dump", "/stats", "/clusters", "/quitquitquit", "/certs", "/stats/prometheus/../../config_dump"):
        assert httpx.get(f"{shown}{path}").status_code == 404, path
    for path in ("/quitquitquit", "/ready", "/stats/prometheus", "/healthcheck/fail"):
        assert httpx.post(f"{shown}{path}").status_code == 404, path
