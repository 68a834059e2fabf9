"""The page of metrics is written from the code, and what a worker exposes is what the code declares."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.telemetry.declared import DECLARED, HISTOGRAM
from service.telemetry.metrics import Metrics
from tests.matchmaking import at_random, create
from tests.scripts import script
from tests.service.telemetry import exposed
from tests.serving import CALLERS, Caller, Serving

ROOT = Path(__file__).parents[3]


def test_the_page_of_metrics_is_made_from_the_code() -> None:
    module = script("write_metrics")
    page = (ROOT / "deploy" / "METRICS.md").read_text()
    assert module.with_metrics(page) == page, "run `make readme`"
    for name in DECLARED:
        assert page.count(f"| `{name}` |") == 1


def test_a_worker_exposes_what_is_declared_and_nothing_else() -> None:
    families = {family.name: family for family in text_string_to_metric_families(Metrics().exposition().decode())}
    declared = {name.removesuffix("_total"): metric for name, metric in DECLARED.items()}
    assert set(families) == set(declared)
    for name, family in families.items():
        assert family.type == declared[name].kind, name
        assert declared[name].is_given or family.documentation == declared[name].meaning


def test_units_stand_at_the_end_of_names_and_buckets_go_up() -> None:
    for metric in DECLARED.values():
        assert (metric.kind == "counter") == metric.name.endswith("_total"), metric.name
        assert (metric.kind == HISTOGRAM) == bool(metric.bounds)
        assert metric.kind != HISTOGRAM or metric.name.endswith("_seconds")
        assert list(metric.bounds) == sorted(set(metric.bounds))
        assert metric.meaning.endswith(".")


def test_the_extra_is_what_the_pinned_requirements_are_made_from() -> None:
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["tracing"]
    lines = (ROOT / "requirements" / "tracing.in").read_text().splitlines()
    assert extra == [line for line in lines if line and not line.startswith(("#", "-"))]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool: apt-get install prometheus")
def test_promtool_finds_no_fault_with_the_metrics_of_a_worker_that_was_used(serving: Serving, callers: dict[str, Caller]) -> None:
    for name in CALLERS:
        create(callers[name]).play_out(at_random(3))
        assert callers[name].call("GetGame", {"game": "none"}).reason == "GAME_NOT_FOUND"
    done = subprocess.run(["promtool", "check", "metrics"], input=exposed.text(serving), capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
