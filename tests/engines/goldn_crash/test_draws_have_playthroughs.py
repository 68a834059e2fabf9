"""An empty deck can end a match with a winner and without one; both have a playthrough."""

from pathlib import Path

FILES = sorted((Path(__file__).parent / "playthroughs").glob("*.play"))


def test_an_empty_deck_with_a_winner_and_without() -> None:
    outcomes = [line for path in FILES for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("outcome DECK_EMPTY")]
    drawn = [line for line in outcomes if "winners none" in line]
    assert drawn
    assert len(drawn) < len(outcomes)
