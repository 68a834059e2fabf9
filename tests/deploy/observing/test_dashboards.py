"""The dashboards and what hands them to Grafana, which cannot run here: that their structure is sound. Their expressions are executed in test_live.py."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.deploy.observing.material import DASHBOARDS, GRAFANA, dashboard, panels, rules
from tests.scripts import script

BUILT_IN = {"__rate_interval", "__range"}
UNITS = {"none", "s", "ms", "bytes", "percentunit", "reqps", "cps", "ops", "Bps"}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def written(name: str) -> str:
    text: str = script("write_dashboards").dashboard(name)
    return text


def texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from texts(inner)
        case list():
            for inner in value:
                yield from texts(inner)


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_is_as_its_panels_say(name: str) -> None:
    committed = (GRAFANA / "dashboards" / f"{name}.json").read_text(encoding="utf-8")
    assert committed == written(name), "stale: run `make readme`"


def test_there_are_these_dashboards_and_their_ids_differ() -> None:
    for folder, ending in (("dashboards", "json"), ("panels", "toml")):
        assert sorted(path.name for path in (GRAFANA / folder).iterdir()) == sorted(f"{name}.{ending}" for name in DASHBOARDS)
    assert len({dashboard(name)["uid"] for name in DASHBOARDS}) == len(DASHBOARDS)
    assert len({dashboard(name)["title"] for name in DASHBOARDS}) == len(DASHBOARDS)


@pytest.mark.parametrize("name", DASHBOARDS)
def test_each_panel_says_what_it_shows_in_which_unit_and_from_where(name: str) -> None:
    shown = dashboard(name)
    everything = [*shown["panels"], *(inner for panel in shown["panels"] for inner in panel.get("panels", ()))]
    numbers = [panel["id"] for panel in everything]
    assert len(set(numbers)) == len(numbers)
    for _, panel in panels(shown):
        assert panel["title"] and panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert panel["datasource"] == SOURCE and panel["targets"], panel["title"]
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        for target in panel["targets"]:
            assert target["datasource"] == SOURCE and target["expr"] and target["legendFormat"], panel["title"]
    titles = [panel["title"] for row, panel in panels(shown) if "optional" not in row]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", DASHBOARDS)
def test_panels_lie_within_the_grid_and_not_on_each_other(name: str) -> None:
    taken: set[tuple[int, int]] = set()
    shown = dashboard(name)["panels"]
    for panel in [*shown, *(inner for one in shown for inner in one.get("panels", ()))]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells


@pytest.mark.parametrize("name", DASHBOARDS)
def test_variables_are_there_and_used(name: str) -> None:
    shown = dashboard(name)
    variables = {variable["name"] for variable in shown["templating"]["list"]}
    used = {found for text in texts(shown["panels"]) for found in re.findall(r"\$\{?(\w+)", text)}
    assert used - BUILT_IN == variables


@pytest.mark.parametrize("name", DASHBOARDS)
def test_labels_in_legends_are_kept_by_the_expression(name: str) -> None:
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    for _, panel in panels(dashboard(name)):
        for target in panel["targets"]:
            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                kept = {name for names in re.findall(r"by \(([^)]*)\)", target["expr"]) for name in names.split(", ")}
                kept |= {part for name in recorded if name in target["expr"] for part in name.split(":")[0].split("_")}
                assert label in kept or "by (" not in target["expr"], (panel["title"], label)


def test_grafana_is_told_of_the_source_and_of_the_folder_of_dashboards() -> None:
    sources = yaml.safe_load((GRAFANA / "provisioning/datasources/prometheus.yaml").read_text(encoding="utf-8"))
    (source,) = sources["datasources"]
    assert (source["type"], source["url"], source["isDefault"]) == ("prometheus", "http://prometheus:9090", True)
    providers = yaml.safe_load((GRAFANA / "provisioning/dashboards/umpire.yaml").read_text(encoding="utf-8"))
    (provider,) = providers["providers"]
    assert (provider["type"], provider["options"]["path"]) == ("file", "/var/lib/grafana/dashboards")
