"""Objects for Kubernetes: valid, restricted, in agreement with the code. What an overlay comes to is put together by hand, and by kubectl if there is one."""

import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
from kubernetes_validate.utils import all_versions

from service.app import _GRACE_S
from service.ops import Ops
from service.redis_address import read_address
from service.telemetry.metrics import Metrics
from tests.deploy.manifests.conftest import Started
from tests.deploy.manifests.reading import (
    KUBERNETES,
    OVERLAYS,
    ROOT,
    SECRETS,
    Object,
    build,
    default_ports,
    documents,
    environment_of,
    envoy_configuration,
    is_safe,
    kustomization,
    labels_of,
    listening,
    named,
    object_files,
    objects,
    of_kind,
    pod_of,
    upstreams,
    with_pods,
)

OLDEST = "1.30.0"
VERSIONS = [version for version in all_versions() if int(version.split(".")[1]) >= int(OLDEST.split(".")[1])]
OF_THE_OPERATOR = "monitoring.coreos.com/v1"
SCRIPTS = sorted(KUBERNETES.rglob("*.sh"))


@pytest.fixture(params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def found(overlay: str) -> list[Object]:
    return objects(overlay)


def validate(item: Object) -> None:
    for version in (VERSIONS[0], VERSIONS[-1]):
        kubernetes_validate.validate(item, version, strict=True)


def without_hash(name: str) -> str:
    """kustomize hangs a hash of what a ConfigMap holds on its name."""
    return re.sub(r"-[bcdfghkmt24-9]{10}$", "", name)


@pytest.mark.parametrize("path", object_files(), ids=lambda path: str(path.relative_to(KUBERNETES)))
def test_each_object_is_valid_in_the_oldest_version_that_we_mean_and_in_the_newest(path: Path) -> None:
    assert VERSIONS[0] == OLDEST
    for item in documents(path):
        if item["apiVersion"] != OF_THE_OPERATOR:  # a schema that no wheel carries; what stands in it is looked at below
            validate(item)


def test_kubectl_makes_the_same_of_it(overlay: str, found: list[Object]) -> None:
    built = build(KUBERNETES / "overlays" / overlay)
    if built is None:
        pytest.skip("needs kubectl or kustomize on PATH")
    for item in built:
        validate(item)
        assert item["metadata"].get("namespace", "umpire") == "umpire"
        assert item["metadata"]["labels"]["app.kubernetes.io/part-of"] == "umpire"
    configuration = {("ConfigMap", "umpire-envoy"), ("ConfigMap", "umpire-redis")}
    assert {(item["kind"], without_hash(item["metadata"]["name"])) for item in built} == {
        (item["kind"], item["metadata"]["name"]) for item in found
    } | configuration
    for item in with_pods(found):
        (ours,), (theirs,) = pod_of(item)["containers"], pod_of(named(built, item["kind"], item["metadata"]["name"]))["containers"]
        assert theirs["env"] == ours["env"] if "env" in ours else "env" not in theirs
        assert theirs["image"] == (ours["image"] if ours["image"] != "umpire" else "umpire:0.1.0")


def test_kubectl_makes_the_secrets_that_are_referred_to(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text((KUBERNETES / "secrets" / "kustomization.yaml").read_text())
    for generator in kustomization(tmp_path)["secretGenerator"]:
        for name in generator["files"]:
            (tmp_path / name).write_text("something")
    made = build(tmp_path)
    if made is None:
        pytest.skip("needs kubectl or kustomize on PATH")
    for item in made:
        validate(item)
    keys = {(item["metadata"]["name"], key) for item in made for key in item["data"]}
    assert keys == SECRETS.keys() | {("umpire-tls", "tls.crt"), ("umpire-tls", "tls.key")}


def test_secrets_are_referred_to_and_never_written_down(found: list[Object]) -> None:
    made = {(generator["name"], name) for generator in kustomization(KUBERNETES / "secrets")["secretGenerator"] for name in generator["files"]}
    used = set()
    for item in with_pods(found):
        for container in pod_of(item)["containers"]:
            for variable in container.get("env", ()):
                if "valueFrom" not in variable:
                    assert not re.search(r"://[^$]*:[^$]*@", variable["value"])
                elif "secretKeyRef" in variable["valueFrom"]:
                    used.add((variable["valueFrom"]["secretKeyRef"]["name"], variable["valueFrom"]["secretKeyRef"]["key"]))
    assert used == SECRETS.keys()
    assert used < made
    (volume,) = [each for each in pod_of(named(found, "Deployment", "umpire-envoy"))["volumes"] if "secret" in each]
    assert {name for owner, name in made if owner == volume["secret"]["secretName"]} == {"tls.crt", "tls.key"}
    assert (KUBERNETES / "secrets" / ".gitignore").read_text().splitlines()[0] == "*"


def test_every_pod_meets_the_restricted_standard_and_knows_nothing_of_the_cluster(found: list[Object]) -> None:
    assert named(found, "Namespace", "umpire")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    for item in with_pods(found):
        pod = pod_of(item)
        assert pod["automountServiceAccountToken"] is False
        # A Service called umpire-NAME would become a variable UMPIRE_NAME_…, where settings are looked for.
        assert pod["enableServiceLinks"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            assert "memory" in container["resources"]["limits"]
    (user,) = re.findall(r"^USER (\d+):", (ROOT / "deploy" / "docker" / "Dockerfile").read_text(), re.MULTILINE)
    assert pod_of(named(found, "Deployment", "umpire-worker"))["securityContext"]["runAsUser"] == int(user)


def test_what_a_worker_is_given_are_settings_that_it_takes(overlay: str, found: list[Object], started: Started) -> None:
    (worker,) = pod_of(named(found, "Deployment", "umpire-worker"))["containers"]
    variables = environment_of(worker)
    assert not [value for value in variables.values() if "$(" in value], "a reference to what is not there yet"
    settings = started(worker["args"], variables)
    assert is_safe(settings)
    assert {"http": settings.http_port, "grpc": settings.grpc_port, "ops": settings.ops_port} == default_ports()
    assert settings.host == "0.0.0.0"
    address = read_address(settings.redis_url)
    assert address.has_password
    redis = named(found, "StatefulSet", "umpire-redis")
    hosts = re.findall(r"([\w.-]+):6379", settings.redis_url)
    pods = {f"umpire-redis-{number}.{redis['spec']['serviceName']}" for number in range(redis["spec"]["replicas"])}
    assert set(hosts) <= pods | {redis["spec"]["serviceName"]}


def test_ports_are_those_of_the_code(found: list[Object]) -> None:
    (worker,) = pod_of(named(found, "Deployment", "umpire-worker"))["containers"]
    assert {port["name"]: port["containerPort"] for port in worker["ports"]} == default_ports()
    service = named(found, "Service", "umpire-worker")
    assert service["spec"]["clusterIP"] == "None", "Envoy wants the addresses of all"
    assert {port["name"]: port["port"] for port in service["spec"]["ports"]} == default_ports()
    for each in of_kind(found, "Service"):
        (pod,) = [item for item in with_pods(found) if each["spec"]["selector"].items() <= labels_of(item).items()]
        ports = {port["name"] for container in pod_of(pod)["containers"] for port in container.get("ports", ())}
        assert {port["targetPort"] for port in each["spec"]["ports"]} <= ports


async def test_probes_ask_for_what_the_ops_port_has(found: list[Object]) -> None:
    async def nothing_is_wrong() -> str:
        return ""

    (worker,) = pod_of(named(found, "Deployment", "umpire-worker"))["containers"]
    ops, paths = Ops(Metrics(), nothing_is_wrong), {}
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = worker[name]["httpGet"]
        assert probe["port"] == "ops"
        paths[name] = probe["path"]
        sent: list[Any] = []

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        await ops({"type": "http", "path": probe["path"]}, None, send)
        assert sent[0]["status"] == 200
    # A store that is away is no reason to restart workers.
    assert paths == {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}


def test_a_worker_goes_on_serving_until_nobody_sends_it_calls_and_is_given_the_time_to_end(found: list[Object]) -> None:
    pod = pod_of(named(found, "Deployment", "umpire-worker"))
    (worker,) = pod["containers"]
    python, option, text = worker["lifecycle"]["preStop"]["exec"]["command"]
    assert (python, option) == ("python", "-c")
    pause = int(re.fullmatch(r"import time; time\.sleep\((\d+)\)", text)[1])  # type: ignore[index]
    unready = worker["readinessProbe"]["periodSeconds"] * worker["readinessProbe"]["failureThreshold"]
    assert pause > unready
    assert pod["terminationGracePeriodSeconds"] >= pause + 2 * _GRACE_S + 10
    (envoy,) = pod_of(named(found, "Deployment", "umpire-envoy"))["containers"]
    assert pod_of(named(found, "Deployment", "umpire-envoy"))["terminationGracePeriodSeconds"] > int(envoy["lifecycle"]["preStop"]["exec"]["command"][1])


def test_envoy_calls_workers_by_their_name_and_is_open_where_the_manifests_say(found: list[Object]) -> None:
    configuration = envoy_configuration(KUBERNETES / "base" / "envoy.yaml")
    others = {place for place in upstreams(configuration) if place[0] != "127.0.0.1"}
    assert others == {("umpire-worker", port) for port in default_ports().values()}
    (envoy,) = pod_of(named(found, "Deployment", "umpire-envoy"))["containers"]
    ports = {port["name"]: port["containerPort"] for port in envoy["ports"]}
    assert listening(configuration) == {ports["https"]: "0.0.0.0", ports["stats"]: "0.0.0.0", 9901: "127.0.0.1"}
    mounts = {mount["mountPath"]: mount for mount in envoy["volumeMounts"]}
    assert envoy["command"][2] in mounts
    tls = re.findall(r'filename: "([^"]+)"', (KUBERNETES / "base" / "envoy.yaml").read_text())
    assert sorted(tls) == ["/etc/envoy/tls/tls.crt", "/etc/envoy/tls/tls.key"]
    assert "/etc/envoy/tls" in mounts
    for name in ("readinessProbe", "livenessProbe"):
        assert envoy[name]["httpGet"]["port"] == "stats"
        assert f"path: {envoy[name]['httpGet']['path']}," in (KUBERNETES / "base" / "envoy.yaml").read_text()


def test_scaling_and_disruption_are_about_pods_that_are_there(found: list[Object]) -> None:
    for budget in of_kind(found, "PodDisruptionBudget"):
        assert budget["spec"]["maxUnavailable"] == 1
        assert [item for item in with_pods(found) if budget["spec"]["selector"]["matchLabels"].items() <= labels_of(item).items()]
    (scaler,) = of_kind(found, "HorizontalPodAutoscaler")
    target = named(found, scaler["spec"]["scaleTargetRef"]["kind"], scaler["spec"]["scaleTargetRef"]["name"])
    assert "replicas" not in target["spec"], "each `kubectl apply` would undo what the autoscaler did"
    assert "cpu" in pod_of(target)["containers"][0]["resources"]["requests"], "utilisation is of what was asked for"
    assert scaler["spec"]["behavior"]["scaleDown"]["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 300}]
    for item in with_pods(found):
        for constraint in pod_of(item).get("topologySpreadConstraints", ()):
            assert constraint["labelSelector"]["matchLabels"].items() <= labels_of(item).items()
        assert item["kind"] == "Job" or item["spec"]["selector"]["matchLabels"].items() <= labels_of(item).items()


def test_files_that_are_run_and_mounted_are_in_a_config_map(overlay: str, found: list[Object]) -> None:
    generated = {
        each["name"]: set(each["files"])
        for folder in (KUBERNETES / "base", KUBERNETES / "overlays" / overlay)
        for each in kustomization(folder)["configMapGenerator"]
    }
    page = (KUBERNETES.parent / "README.md").read_text() if overlay == "cluster" else ""
    text = str([pod_of(item) for item in with_pods(found)]) + page
    assert set(re.findall(r"/etc/redis/([\w.-]+)", text)) == generated["umpire-redis"]
    assert generated["umpire-envoy"] == {"envoy.yaml"}
    for item in with_pods(found):
        maps = {volume["configMap"]["name"] for volume in pod_of(item).get("volumes", ()) if "configMap" in volume}
        assert maps <= generated.keys()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_scripts_can_be_read_by_a_plain_shell(script: Path) -> None:
    done = subprocess.run(["sh", "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_prometheus_finds_the_pods_with_and_without_its_operator(found: list[Object]) -> None:
    pods = {labels_of(item)["app.kubernetes.io/name"]: pod_of(item)["containers"][0] for item in of_kind(found, "Deployment")}
    jobs = {job["job_name"]: job for job in documents(ROOT / "deploy" / "prometheus" / "kubernetes.yml")[0]["scrape_configs"]}
    monitors = {
        item["metadata"]["name"]: item["spec"]["endpoints"][0] for item in documents(KUBERNETES / "components" / "prometheus-operator" / "monitors.yaml")
    }
    for job, name, path in (("umpire", "umpire-worker", "/metrics"), ("envoy", "umpire-envoy", "/stats/prometheus")):
        (kept,) = [rule for rule in jobs[job]["relabel_configs"] if rule.get("action") == "keep"]
        pod, port = kept["regex"].split(";")
        assert (pod, jobs[job].get("metrics_path", "/metrics")) == (name, path)
        assert port in {each["name"] for each in pods[name]["ports"]}
        assert monitors[name]["port"] in {each["name"] for each in named(found, "Service", name)["spec"]["ports"]}
        assert monitors[name]["path"] == path
        assert [rule["replacement"] for rule in monitors[name]["relabelings"] if rule["targetLabel"] == "job"] == [job]
