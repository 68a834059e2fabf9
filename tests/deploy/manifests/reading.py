"""The manifests as data: compose's with its variables filled in, and Kubernetes' objects as an overlay puts them together."""

import copy
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from service.config import Settings, settings_of

ROOT = Path(__file__).parents[3]
COMPOSE = ROOT / "deploy" / "compose"
KUBERNETES = ROOT / "deploy" / "kubernetes"
OVERLAYS = ("single", "cluster")

PASSWORD = "0f" * 24
VALUES = {"UMPIRE_SIGNING_KEYS": "k1:" + "5a" * 32, "UMPIRE_API_KEYS": "site:a-key", "REDIS_PASSWORD": PASSWORD, "GRAFANA_PASSWORD": "another"}
SECRETS = {
    ("umpire-keys", "signing-keys"): VALUES["UMPIRE_SIGNING_KEYS"],
    ("umpire-keys", "api-keys"): VALUES["UMPIRE_API_KEYS"],
    ("umpire-redis", "password"): PASSWORD,
}

Object = dict[str, Any]
_VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}")


def compose() -> Object:
    """The compose file, as Docker would read it beside a filled-in `.env`."""
    read: Object = _interpolated(yaml.safe_load((COMPOSE / "compose.yaml").read_text()))
    return read


def compose_variables() -> set[str]:
    return {found[1] for found in _VARIABLE.finditer((COMPOSE / "compose.yaml").read_text())}


def _interpolated(node: Any) -> Any:
    match node:
        case str():
            return _VARIABLE.sub(_filled, node).replace("$$", "$")
        case dict():
            return {name: _interpolated(value) for name, value in node.items()}
        case list():
            return [_interpolated(value) for value in node]
        case _:
            return node


def _filled(found: re.Match[str]) -> str:
    name, kind, default = found.groups()
    return VALUES[name] if kind != "-" else str(default)


def documents(path: Path) -> list[Object]:
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def kustomization(folder: Path) -> Object:
    (read,) = documents(folder / "kustomization.yaml")
    return read


def object_files() -> list[Path]:
    """Every file with whole objects in it: named as a resource by a kustomization."""
    return [
        folder.parent / name
        for folder in sorted(KUBERNETES.rglob("kustomization.yaml"))
        for name in kustomization(folder.parent).get("resources", ())
        if name.endswith(".yaml")
    ]


def objects(overlay: str) -> list[Object]:
    """What an overlay comes to, put together by hand: where there is no kubectl, too. ``kubectl kustomize`` is compared with it."""
    folder = KUBERNETES / "overlays" / overlay
    found = list(_resources(folder))
    for patch in kustomization(folder).get("patches", ()):
        (change,) = documents(folder / patch["path"])
        target = next(each for each in found if (each["kind"], each["metadata"]["name"]) == (change["kind"], change["metadata"]["name"]))
        (before,), (added,) = pod_of(target)["containers"], pod_of(change)["containers"]
        assert added.keys() == {"name", "env"}, "only variables are patched; teach this function more"
        before["env"] = added["env"] + before["env"]
    return found


def _resources(folder: Path) -> Iterator[Object]:
    for name in kustomization(folder).get("resources", ()):
        if name.endswith(".yaml"):
            yield from copy.deepcopy(documents(folder / name))
        else:
            yield from _resources((folder / name).resolve())


def build(folder: Path) -> list[Object] | None:
    """What kubectl or kustomize makes of a folder; None if neither is here."""
    program = ["kubectl", "kustomize"] if shutil.which("kubectl") else ["kustomize", "build"]
    if shutil.which(program[0]) is None:
        return None
    done = subprocess.run([*program, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def named(found: list[Object], kind: str, name: str) -> Object:
    (only,) = [each for each in found if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return only


def of_kind(found: list[Object], kind: str) -> list[Object]:
    return [each for each in found if each["kind"] == kind]


def pod_of(item: Object) -> Object:
    spec: Object = item["spec"]["template"]["spec"]
    return spec


def with_pods(found: list[Object]) -> list[Object]:
    return [each for each in found if each["kind"] in {"Deployment", "StatefulSet", "Job"}]


def labels_of(item: Object) -> Object:
    labels: Object = item["spec"]["template"]["metadata"]["labels"]
    return labels


def environment_of(container: Object) -> dict[str, str]:
    """A container's variables as it sees them: secrets filled in, references to earlier ones followed, later ones not."""
    seen: dict[str, str] = {}
    for variable in container["env"]:
        if "valueFrom" in variable:
            reference = variable["valueFrom"]["secretKeyRef"]
            seen[variable["name"]] = SECRETS[reference["name"], reference["key"]]
        else:
            seen[variable["name"]] = re.sub(r"\$\((\w+)\)", lambda found: seen.get(found[1], found[0]), variable["value"])
    return seen


def default_ports() -> dict[str, int]:
    """The code's own ports, by the names that the manifests have for them."""
    return {setting.name.removesuffix("-port"): setting.default for setting in settings_of("worker") if setting.name.endswith("-port")}


def envoy_configuration(path: Path) -> Object:
    (read,) = documents(path)
    return read


def listening(configuration: Object) -> dict[int, str]:
    """Envoy's ports and the addresses that they are open on, its admin port among them."""
    places = [configuration["admin"], *configuration["static_resources"]["listeners"]]
    return {place["address"]["socket_address"]["port_value"]: place["address"]["socket_address"]["address"] for place in places}


def upstreams(configuration: Object) -> set[tuple[str, int]]:
    """Whom Envoy talks to, health checks included."""
    found = set()
    for cluster in configuration["static_resources"]["clusters"]:
        for group in cluster["load_assignment"]["endpoints"]:
            for endpoint in (each["endpoint"] for each in group["lb_endpoints"]):
                place = endpoint["address"]["socket_address"]
                ports = {place["port_value"], endpoint.get("health_check_config", {}).get("port_value", place["port_value"])}
                found |= {(place["address"], port) for port in ports}
    return found


def directives(path: Path) -> dict[str, str]:
    """A redis.conf as a mapping."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {name: value for name, _, value in (line.partition(" ") for line in lines)}


def is_safe(settings: Settings) -> bool:
    return not settings.insecure and not settings.allow_seeds and bool(settings.signing_keys) and bool(settings.api_keys)
