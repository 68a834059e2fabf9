"""The configuration: Envoy itself accepts each variant without a warning, and what must hold of it holds."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.envoy.options import OptionsError
from deploy.envoy.render import made_by, render
from engines.registry import games
from service.contract import load_contract
from tests.deploy.envoy.gateway import CERTIFICATES, TLS, validate

ROOT = Path(__file__).resolve().parents[3]
MUTUAL = (
    *("--worker-ca", str(CERTIFICATES / "authority.crt"), "--worker-cert", str(CERTIFICATES / "proxy.crt")),
    *("--worker-key", str(CERTIFICATES / "proxy.key"), "--worker-name", "umpire-worker"),
)
WORKERS = ("--worker", "10.0.0.1", "--worker", "10.0.0.2:8081:50052:9465")
VARIANTS = {
    "plain": WORKERS,
    "tls": (*WORKERS, *TLS),
    "a name": ("--worker", "umpire-worker", *TLS),
    "mutual tls with workers": ("--worker", "umpire-worker", *TLS, *MUTUAL),
    "addresses of version 6": ("--worker", "[fd00::1]", "--worker", "[fd00::2]:8081:50052:9465", "--listen", "::"),
    "no limits": (*WORKERS, "--rate", "0", "--client-rate", "0"),
    "one limit": (*WORKERS, "--rate", "0"),
    "the other limit": (*WORKERS, "--client-rate", "0"),
}
COMMITTED = ("deploy/compose/envoy.yaml", "deploy/kubernetes/base/envoy.yaml")


def loaded(*arguments: str) -> dict[str, Any]:
    return yaml.safe_load(render(arguments))


def manager(configuration: dict[str, Any], listener: int = 0) -> dict[str, Any]:
    return configuration["static_resources"]["listeners"][listener]["filter_chains"][0]["filters"][0]["typed_config"]


def routes(configuration: dict[str, Any]) -> list[dict[str, Any]]:
    return manager(configuration)["route_config"]["virtual_hosts"][0]["routes"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_envoy_accepts_each_variant_without_a_warning(variant: str, tmp_path: Path) -> None:
    assert validate(render(VARIANTS[variant]), tmp_path) == ""


@pytest.mark.parametrize("file", COMMITTED)
def test_a_committed_file_is_what_its_first_line_makes(file: str) -> None:
    text = (ROOT / file).read_text()
    assert text == render(made_by(text)), f"stale: python -m deploy.envoy --again {file}"


def test_a_rendered_file_has_nothing_of_the_template_left() -> None:
    for arguments in VARIANTS.values():
        text = render(arguments)
        assert not re.search(r"^\s*#(if|end)\b|\$\w", text, re.MULTILINE)
        assert made_by(text) == list(arguments)


def test_every_stream_of_the_contract_has_a_route_without_an_end() -> None:
    streams = {rpc.path for rpc in load_contract(games()).rpcs.values() if rpc.is_stream}
    assert streams == {"/umpire.v1.MatchService/WatchMatch", "/umpire.v1.MatchService/PlayMatch"}
    endless = [route for route in routes(loaded(*WORKERS)) if route["route"]["timeout"] == "0s"]
    assert {route["match"]["path"] for route in endless if "path" in route["match"]} == streams
    (over_http,) = [route["match"]["safe_regex"]["regex"] for route in endless if "safe_regex" in route["match"]]
    templates = [rpc.http.template for rpc in load_contract(games()).rpcs.values() if rpc.is_stream and rpc.http]
    assert templates
    assert all(re.fullmatch(over_http, re.sub(r"\{\w+\}", "m-1", template)) for template in templates)
    assert not any("max_stream_duration" in route["route"] for route in endless)


def test_every_other_call_has_a_time_limit() -> None:
    bounded = [route["route"] for route in routes(loaded(*WORKERS, "--call-timeout", "7")) if route["route"]["timeout"] != "0s"]
    assert bounded
    assert all((route["timeout"], route["max_stream_duration"]) == ("7s", {"max_stream_duration": "14s"}) for route in bounded)


def test_only_what_has_not_reached_a_worker_is_tried_again() -> None:
    (host,) = manager(loaded(*WORKERS))["route_config"]["virtual_hosts"]
    assert set(host["retry_policy"]["retry_on"].split(",")) == {"connect-failure", "refused-stream", "reset-before-request"}
    assert not any("retry_policy" in route["route"] for route in host["routes"])


def test_the_admin_interface_is_on_loopback_and_shows_two_pages_outside() -> None:
    configuration = loaded(*WORKERS)
    assert configuration["admin"]["address"]["socket_address"] == {"address": "127.0.0.1", "port_value": 9901}
    shown = manager(configuration, 1)["route_config"]["virtual_hosts"][0]["routes"]
    assert [route["match"]["path"] for route in shown] == ["/stats/prometheus", "/ready"]
    ports = [listener["address"]["socket_address"]["port_value"] for listener in configuration["static_resources"]["listeners"]]
    assert ports == [8000, 9902]
    assert loaded(*WORKERS, *TLS)["static_resources"]["listeners"][0]["address"]["socket_address"]["port_value"] == 8443


def test_each_worker_is_asked_at_its_own_ops_port() -> None:
    for cluster, ports in (("workers_grpc", [50051, 50052]), ("workers_http", [8080, 8081])):
        (found,) = [one for one in loaded(*WORKERS)["static_resources"]["clusters"] if one["name"] == cluster]
        endpoints = [one["endpoint"] for one in found["load_assignment"]["endpoints"][0]["lb_endpoints"]]
        assert [one["address"]["socket_address"]["port_value"] for one in endpoints] == ports
        assert [one["health_check_config"]["port_value"] for one in endpoints] == [9464, 9465]
        assert [check["http_health_check"]["path"] for check in found["health_checks"]] == ["/readyz"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--worker is required"),
        ((*WORKERS, "--tls-cert", "a"), "--tls-cert and --tls-key"),
        ((*WORKERS, "--worker-ca", "a"), "--worker-ca, --worker-cert and --worker-key"),
        ((*WORKERS, "--worker-name", "a"), "--worker-name is checked with"),
        ((*WORKERS, "--worker-ca", "a", "--worker-cert", "a", "--worker-key", "a"), "--worker-ca needs --worker-name"),
    ],
)
def test_options_that_do_not_fit_together_are_named(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(OptionsError, match=said):
        render(arguments)


@pytest.mark.parametrize("text", ["", "host:1", "host:1:2", "host:1:2:70000", "host:a:b:c", ":1:2:3"])
def test_a_worker_that_is_no_address_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        render(["--worker", text])
    assert "is not HOST or HOST:HTTP:GRPC:OPS" in capsys.readouterr().err
