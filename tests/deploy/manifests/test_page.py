"""The production page: what it has operators paste makes what the manifests ask for; where it points to is there."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from service.config import read_settings
from tests.deploy.manifests.reading import KUBERNETES, ROOT, SECRETS, Object, build, compose, compose_variables, environment_of, kustomization, named, pod_of

PAGE = (ROOT / "deploy" / "README.md").read_text()


def block(name: str, language: str = "sh") -> str:
    (found,) = re.findall(rf"<!-- {name} -->\n```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def run(script: str, folder: Path) -> None:
    done = subprocess.run(["bash", "-eu"], input=script, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_env_file_for_compose_is_made_by_one_command(tmp_path: Path) -> None:
    folder = tmp_path / "deploy" / "compose"
    folder.mkdir(parents=True)
    (folder / ".env.example").write_text((ROOT / "deploy" / "compose" / ".env.example").read_text())
    run(block("compose").partition("sudo chown")[0], tmp_path)
    made = dict(line.split("=", 1) for line in (folder / ".env").read_text().splitlines() if line and not line.startswith("#"))
    assert made.keys() == compose_variables()
    given = {name: re.sub(r"0f{2,}(?:0f)*", made["REDIS_PASSWORD"], str(value)) for name, value in compose()["services"]["worker"]["environment"].items()}
    settings = read_settings("worker", {}, given | {name: value for name, value in made.items() if name.startswith("UMPIRE_") and name in given})
    assert [key.key_id for key in settings.signing_keys] == ["k1"]
    assert list(settings.api_keys) == ["site"]
    assert len(made["REDIS_PASSWORD"]) == 48
    assert made["GRAFANA_PASSWORD"]
    assert (folder / ".env").stat().st_mode & 0o077 == 0
    assert {path.name for path in (folder / "tls").iterdir()} == {"tls.crt", "tls.key"}


def test_the_secrets_for_kubernetes_are_made_by_its_commands(tmp_path: Path) -> None:
    folder = tmp_path / "deploy" / "kubernetes" / "secrets"
    folder.mkdir(parents=True)
    (folder / "kustomization.yaml").write_text((KUBERNETES / "secrets" / "kustomization.yaml").read_text())
    commands = [line for line in block("kubernetes").splitlines() if line.startswith(("cd ", "printf "))]
    run("\n".join([*commands, "touch tls.crt tls.key"]), tmp_path)
    named_in_the_kustomization = {name for generator in kustomization(folder)["secretGenerator"] for name in generator["files"]}
    assert {path.name for path in folder.iterdir()} == named_in_the_kustomization | {"kustomization.yaml"}
    made = {"UMPIRE_SIGNING_KEYS": (folder / "signing-keys").read_text(), "UMPIRE_API_KEYS": (folder / "api-keys").read_text()}
    settings = read_settings("worker", {}, made | {"UMPIRE_REDIS_URL": f"redis://:{(folder / 'password').read_text()}@umpire-redis:6379/0"})
    assert (len(settings.signing_keys), len(settings.api_keys)) == (1, 1)


@pytest.fixture
def own_overlay(tmp_path: Path) -> list[Object]:
    there = os.path.relpath(ROOT / "deploy", tmp_path.resolve())
    (tmp_path / "kustomization.yaml").write_text(block("overlay", "yaml").replace("../deploy", there).replace("REGISTRY", "registry.example"))
    made = build(tmp_path)
    if made is None:
        pytest.skip("needs kubectl or kustomize on PATH")
    return made


def test_an_overlay_of_ones_own_has_the_image_and_the_components_that_it_names(own_overlay: list[Object]) -> None:
    (worker,) = pod_of(named(own_overlay, "Deployment", "umpire-worker"))["containers"]
    assert worker["image"] == "registry.example/umpire:0.1.0"
    assert {item["metadata"]["name"] for item in own_overlay if item["kind"] == "ServiceMonitor"} == {"umpire-worker", "umpire-envoy"}
    settings = read_settings("worker", {}, environment_of(worker))
    assert settings.otlp_endpoint == "http://otel-collector.tracing:4317"
    assert named(own_overlay, "NetworkPolicy", "umpire-tracing")["spec"]["egress"][0]["ports"] == [{"protocol": "TCP", "port": 4317}]
    assert SECRETS[("umpire-redis", "password")] in settings.redis_url


def test_what_it_points_to_is_there() -> None:
    headings = {re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in PAGE.splitlines() if line.startswith("## ")}
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        if target.startswith("#"):
            assert target[1:] in headings, target
        else:
            assert (ROOT / "deploy" / target).exists(), target


def test_the_alerts_become_a_rule_of_the_operator(tmp_path: Path) -> None:
    words = block("rules for the operator").replace("kubectl apply -f -", f"cat > {tmp_path / 'made.yaml'}")
    run(words, ROOT)
    made = yaml.safe_load((tmp_path / "made.yaml").read_text())
    assert (made["kind"], made["metadata"]["namespace"]) == ("PrometheusRule", kustomization(KUBERNETES / "base")["namespace"])
    assert made["spec"] == yaml.safe_load((ROOT / "deploy" / "prometheus" / "rules.yml").read_text())


def test_a_prometheus_of_another_namespace_finds_the_pods() -> None:
    jobs = yaml.safe_load((ROOT / "deploy" / "prometheus" / "kubernetes.yml").read_text())["scrape_configs"]
    found = [one["namespaces"] for job in jobs for one in job.get("kubernetes_sd_configs", ())]
    assert found == [{"names": [kustomization(KUBERNETES / "base")["namespace"]]}] * 2
