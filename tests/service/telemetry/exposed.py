"""Reading what a worker exposes, as Prometheus does."""

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.serving import Serving

Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def text(serving: Serving, worker: int = 0) -> str:
    return httpx.get(f"http://127.0.0.1:{serving.ops_ports[worker]}/metrics", timeout=20).text


def series(serving: Serving, worker: int = 0) -> Series:
    """Every sample by its name and labels."""
    families = text_string_to_metric_families(text(serving, worker))
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for family in families for sample in family.samples}


def value(found: Series, name: str, **labels: str) -> float:
    """A sample's value; 0 if it is not there."""
    return found.get((name, tuple(sorted(labels.items()))), 0.0)
