"""Write Grafana's dashboards (deploy/grafana/dashboards/) from what stands in deploy/grafana/panels/. Run by ``make readme``.

A panel there says what it shows; where it stands, how it looks and its number are worked out here, the same for all.
"""

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

GRAFANA = Path(__file__).resolve().parent.parent / "deploy" / "grafana"
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_WIDTH, _USUAL_WIDTH, _USUAL_HEIGHT, _STAT_HEIGHT = 24, 8, 8, 4
_SCHEMA = 41  # of Grafana 12; later ones read it as well


def dashboard(name: str) -> str:
    """Return a dashboard's JSON, as it is to be committed."""
    read = tomllib.loads((GRAFANA / "panels" / f"{name}.toml").read_text(encoding="utf-8"))
    written = {
        "uid": f"umpire-{name}",
        "title": read["title"],
        "description": read["description"],
        "tags": ["umpire"],
        "schemaVersion": _SCHEMA,
        "editable": True,
        "graphTooltip": 1,
        "time": {"from": "now-1h", "to": "now"},
        "refresh": "30s",
        "links": [{"type": "dashboards", "title": "Umpire", "tags": ["umpire"], "asDropdown": False, "keepTime": True, "includeVars": False}],
        "templating": {"list": [_DATASOURCE, *(_variable(*variable) for variable in read["variables"].items())]},
        "annotations": {"list": [_ALERTS]},
        "panels": list(_panels(read["rows"])),
    }
    return json.dumps(written, indent=1, ensure_ascii=False) + "\n"


_DATASOURCE = {"type": "datasource", "name": "datasource", "label": "Prometheus", "query": "prometheus", "refresh": 1, "hide": 0}
_ALERTS = {
    "name": "Alerts",
    "enable": True,
    "iconColor": "red",
    "datasource": _SOURCE,
    "expr": 'ALERTS{alertstate="firing", alertname=~"Umpire.*"}',
    "titleFormat": "{{alertname}}",
    "step": "30s",
}


def _variable(name: str, query: str) -> dict[str, Any]:
    return {
        "type": "query",
        "name": name,
        "label": name.capitalize(),
        "datasource": _SOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def _panels(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    numbers, y = count(1), 0
    for row in rows:
        is_optional = row.get("optional", False)
        head = {"id": next(numbers), "type": "row", "title": row["title"], "collapsed": is_optional, "gridPos": {"x": 0, "y": y, "w": _WIDTH, "h": 1}}
        y += 1
        x, height, inside = 0, 0, []
        for panel in row["panels"]:
            width, tall = panel.get("width", _USUAL_WIDTH), _STAT_HEIGHT if panel.get("kind") == "stat" else _USUAL_HEIGHT
            if x + width > _WIDTH:
                x, y, height = 0, y + height, 0
            inside.append(_panel(next(numbers), panel, {"x": x, "y": y, "w": width, "h": tall}))
            x, height = x + width, max(height, tall)
        y += height
        # Grafana keeps the panels of a row that is shut inside it.
        yield head | {"panels": inside if is_optional else []}
        if not is_optional:
            yield from inside


def _panel(number: int, panel: Mapping[str, Any], place: Mapping[str, int]) -> dict[str, Any]:
    kind = panel.get("kind", "timeseries")
    look = _LOOKS[kind]
    targets = [
        {
            "refId": chr(ord("A") + index),
            "datasource": _SOURCE,
            "expr": expression,
            "legendFormat": legend,
            "range": True,
            "format": "heatmap" if kind == "heatmap" else "time_series",
        }
        for index, (expression, legend) in enumerate(panel["targets"])
    ]
    return {
        "id": number,
        "type": kind,
        "title": panel["title"],
        "description": panel["description"],
        "gridPos": dict(place),
        "datasource": _SOURCE,
        "targets": targets,
        "fieldConfig": {"defaults": {"unit": panel["unit"], "min": 0, "custom": look["custom"]}, "overrides": []},
        "options": look["options"] | ({"yAxis": {"unit": panel["unit"]}} if kind == "heatmap" else {}),
    }


_LOOKS: dict[str, dict[str, dict[str, Any]]] = {
    "timeseries": {
        "custom": {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 8, "showPoints": "never", "spanNulls": False},
        "options": {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True}, "tooltip": {"mode": "multi", "sort": "desc"}},
    },
    "stat": {
        "custom": {},
        "options": {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "value", "graphMode": "area", "textMode": "value"},
    },
    "heatmap": {
        "custom": {},
        "options": {"calculate": False, "cellGap": 1, "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64}, "legend": {"show": True}},
    },
}


if __name__ == "__main__":
    for source in sorted((GRAFANA / "panels").glob("*.toml")):
        (GRAFANA / "dashboards" / f"{source.stem}.json").write_text(dashboard(source.stem), encoding="utf-8")
    sys.exit(0)
