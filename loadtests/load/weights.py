"""The weights of the load, from ``weights.toml`` or a file like it."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

_OWN = Path(__file__).with_name("weights.toml")


class Weights(NamedTuple):
    """What is played how often: relative weights of users and games, and shares of matches and moves."""

    users: dict[str, float]
    games: dict[str, float]
    house_bot: float
    spectator: float
    late_spectator: float
    think: float
    illegal: float
    retry: float
    read: float


def read_weights(path: Path | None = None) -> Weights:
    """Read the weights; a file of one's own needs only what it changes.

    Raises:
        ValueError: it has a name that is not known, or something that is no number of 0 or more.
    """
    found = _tables(_OWN)
    for table, entries in (_tables(path) if path else {}).items():
        known = found.get(table)
        if known is None or (table != "games" and not entries.keys() <= known.keys()):
            raise ValueError(f"{path}: [{table}] has something that is not known")
        found[table] = known | entries
    return Weights(found["users"], found["games"], **found["match"], **found["move"])


def _tables(path: Path) -> dict[str, dict[str, Any]]:
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    for entries in tables.values():
        for name, value in entries.items():
            if not isinstance(value, int | float) or value < 0:
                raise ValueError(f"{path}: {name} must be a number of 0 or more")
    return tables
