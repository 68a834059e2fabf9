"""What is tested here: the files of deploy/, read."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
PROMETHEUS = ROOT / "deploy" / "prometheus"
GRAFANA = ROOT / "deploy" / "grafana"
RUNBOOK = ROOT / "deploy" / "RUNBOOK.md"
CONFIGS = ("prometheus.yml", "by_hand.yml", "kubernetes.yml")
DASHBOARDS = ("service", "rules", "redis", "envoy")

needs_prometheus = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")), reason="no prometheus and promtool on PATH: apt-get install prometheus"
)


def rules() -> list[dict[str, Any]]:
    """Read all rules, of records and alerts."""
    groups = yaml.safe_load((PROMETHEUS / "rules.yml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def alerts() -> dict[str, dict[str, Any]]:
    """Read the alerts, by name."""
    return {rule["alert"]: rule for rule in rules() if "alert" in rule}


def dashboard(name: str) -> dict[str, Any]:
    """Read a dashboard."""
    found: dict[str, Any] = json.loads((GRAFANA / "dashboards" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def metrics_of(expression: str) -> set[str]:
    """Name the metrics in an expression, and what rules have recorded."""
    bare = re.sub(r'"[^"]*"', "", expression)
    return set(re.findall(r"[a-z_:]*(?:umpire|grpc_server|http_server|connect_server|process|envoy|redis)_[a-z0-9_:]*[a-z0-9]", bare)) - _LABELS


_LABELS = {"envoy_cluster_name", "envoy_response_code_class", "envoy_http_conn_manager_prefix"}


def panels(shown: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Go through a dashboard's panels, each with the title of its row; those of a row that is shut lie inside it."""
    row = ""
    for panel in shown["panels"]:
        if panel["type"] == "row":
            row = panel["title"]
            for inner in panel["panels"]:
                yield row, inner
        else:
            yield row, panel
