"""Every playthrough replays to the letter, and every ending of every game has one."""

from pathlib import Path

import pytest

from engines.registry import games
from tests.engines.playthrough import read, write

FILES = sorted(Path(__file__).parent.glob("*/playthroughs/*.play"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_it_replays_to_the_letter(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert write(*read(text)) == text


@pytest.mark.parametrize("game", games())
def test_every_ending_has_one(game: str) -> None:
    endings = {line.split()[1] for path in FILES if path.parts[-3] == game for line in path.read_text().splitlines() if line.startswith("outcome ")}
    assert endings == set(games()[game].end_reasons)


def test_a_changed_step_is_noticed() -> None:
    text = FILES[0].read_text(encoding="utf-8")
    first_event = next(line for line in text.splitlines() if line.startswith("  "))
    changed = text.replace(first_event, f"{first_event} and more", 1)
    assert write(*read(changed)) != changed
