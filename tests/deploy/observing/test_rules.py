"""The configurations, the rules and the alerts, as promtool sees them; each alert on made-up series."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.observing.material import CONFIGS, DASHBOARDS, PROMETHEUS, RUNBOOK, alerts, dashboard, needs_prometheus, panels, rules

CASES = sorted((Path(__file__).parent / "alerts").glob("*.yml"))
ELSEWHERE_FOUND = {"kubernetes_sd_configs"}  # Debian's Prometheus is built without it


def promtool(*arguments: str) -> str:
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_prometheus
@pytest.mark.parametrize("name", CONFIGS)
def test_promtool_takes_the_configuration_with_its_rules(name: str, tmp_path: Path) -> None:
    config: dict[str, Any] = yaml.safe_load((PROMETHEUS / name).read_text(encoding="utf-8"))
    for job in config["scrape_configs"]:
        for found in ELSEWHERE_FOUND & job.keys():
            del job[found]
    (tmp_path / "rules.yml").write_bytes((PROMETHEUS / "rules.yml").read_bytes())
    (tmp_path / name).write_text(yaml.safe_dump(config), encoding="utf-8")
    assert f"SUCCESS: {len(rules())} rules found" in promtool("check", "config", str(tmp_path / name))


@needs_prometheus
def test_promtool_finds_nothing_to_say_of_the_rules() -> None:
    assert "duplicate" not in promtool("check", "rules", "--lint=all", "--lint-fatal", str(PROMETHEUS / "rules.yml"))


@needs_prometheus
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_alerts_fire_when_they_should_and_only_then(case: Path) -> None:
    assert "SUCCESS" in promtool("test", "rules", str(case))


def test_each_alert_has_a_case_in_which_it_fires() -> None:
    fired = {name for case in CASES for name in re.findall(r'\{alertname="(\w+)"', case.read_text(encoding="utf-8"))}
    assert fired == alerts().keys()


@pytest.mark.parametrize("name", sorted(alerts()))
def test_each_alert_says_how_bad_it_is_what_is_the_matter_and_where_help_stands(name: str) -> None:
    alert = alerts()[name]
    assert alert["labels"]["severity"] in {"critical", "warning"}
    assert alert["annotations"]["summary"].endswith(".")
    assert alert["annotations"]["runbook"] == f"RUNBOOK.md#{name.lower()}"


def test_the_runbook_has_a_section_for_each_alert_in_their_order_and_no_other() -> None:
    sections = re.split(r"^### ", RUNBOOK.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert [section.split("\n", 1)[0] for section in sections] == list(alerts())
    for section in sections:
        assert [word for word in ("**Means**", "**Look**", "**Do**") if word in section] == ["**Means**", "**Look**", "**Do**"], section


def test_the_runbook_names_panels_that_there_are_and_alerts_that_there_are() -> None:
    text = RUNBOOK.read_text(encoding="utf-8")
    titles = {panel["title"] for name in DASHBOARDS for _, panel in panels(dashboard(name))}
    named = set(re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", text))
    assert named
    assert {name for name in named if not any(title.startswith(name) for title in titles)} == set()
    assert set(re.findall(r"\bUmpire[A-Z]\w+", text)) == alerts().keys()


def test_all_configurations_scrape_the_same_jobs_with_the_same_paths() -> None:
    for name in CONFIGS:
        jobs = {job["job_name"]: job for job in yaml.safe_load((PROMETHEUS / name).read_text(encoding="utf-8"))["scrape_configs"]}
        assert {"umpire", "envoy"} <= jobs.keys()
        assert "metrics_path" not in jobs["umpire"], "Prometheus' own default is what a worker serves"
        assert jobs["envoy"]["metrics_path"] == "/stats/prometheus"
