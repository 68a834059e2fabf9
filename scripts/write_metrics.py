"""Write the tables of metrics into deploy/METRICS.md, from the code. Run by ``make readme``."""

import re
import sys
from pathlib import Path

from service.telemetry.declared import metrics_tables

PAGE = Path(__file__).resolve().parent.parent / "deploy" / "METRICS.md"
_PLACE = re.compile(r"(<!-- metrics -->\n).*?(<!-- /metrics -->\n)", re.DOTALL)


def with_metrics(text: str) -> str:
    """Return the page's text with the tables as the code has them."""
    return _PLACE.sub(lambda place: f"{place[1]}\n{metrics_tables()}\n{place[2]}", text)


if __name__ == "__main__":
    PAGE.write_text(with_metrics(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(0)
