"""Write the tables of settings into the README, from the code. Run by ``make readme``."""

import re
import sys
from pathlib import Path

from service.config import settings_table

README = Path(__file__).resolve().parent.parent / "README.md"
_PLACE = re.compile(r"(<!-- settings: (serve|worker) -->\n)(?:\|.*\n)*")


def with_settings(text: str) -> str:
    """Return the README's text with the tables as the code has them."""
    return _PLACE.sub(lambda place: place[1] + settings_table(place[2]) + "\n", text)


if __name__ == "__main__":
    README.write_text(with_settings(README.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(0)
