"""Every scenario of the specification, as written, and further ones: each condition, each effect, Dr. Entropy's tables, ends."""

from pathlib import Path

import pytest

from engines.monster_mash_up import GAME
from engines.monster_mash_up.state import GameMode
from tests.engines.monster_mash_up.words import MashUpWords
from tests.engines.scenario import Runner, Scenario, ScenarioError, parse, read_scenarios

FOLDER = Path(__file__).parent / "scenarios"
SCENARIOS = [(mode, scenario) for mode in GameMode for scenario in read_scenarios(FOLDER / mode.lower())]
FURTHER = [(mode, scenario) for mode in GameMode for scenario in read_scenarios(FOLDER / f"further_{mode.lower()}")]


def run(mode: GameMode, scenario: Scenario) -> None:
    words = MashUpWords(mode)
    Runner(words, words.engine(), seats=2).run(scenario)


def test_all_57_are_there() -> None:
    assert sorted(scenario.id for _, scenario in SCENARIOS) == [f"S{number:02}" for number in range(1, 58)]


@pytest.mark.parametrize(("mode", "scenario"), SCENARIOS + FURTHER, ids=lambda value: f"{value.id} {value.title}" if isinstance(value, Scenario) else value)
def test_scenario(mode: GameMode, scenario: Scenario) -> None:
    run(mode, scenario)


@pytest.mark.parametrize("text", [
    "#### S99 t\ngiven 1.front = nobody",
    "#### S99 t\ngiven 3.energy = 1",
    "#### S99 t\ngiven speed = 1",
    "#### S99 t\ndo 1 fly",
    "#### S99 t\nrolls 3 4 2 6\nthen 1.pocket = none",
    "#### S99 t\nrolls 3 4 2 6 5",
    "#### S99 t\nrolls",
    "#### S99 t",
])  # fmt: skip
def test_what_cannot_be_read_is_an_error(text: str) -> None:
    with pytest.raises(ScenarioError):
        for scenario in parse(text):
            run(GameMode.DUEL, scenario)


def test_the_titles_cite_rules_that_there_are() -> None:
    rules = {rule.rule for rule in GAME.rules}
    cited = [word.strip("(),") for _, scenario in SCENARIOS + FURTHER for word in scenario.title.split() if word.strip("(),").count("-") == 1]
    assert [word for word in cited if word[-1].isdigit() and word not in rules] == []
