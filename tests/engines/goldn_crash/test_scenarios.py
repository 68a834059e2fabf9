"""Every scenario of the specification, as written (S01 to S54), and what the rulings say besides (from S55 on)."""

from collections import Counter
from pathlib import Path

import pytest

from engines.goldn_crash import GAME
from engines.goldn_crash.rules import GoldnCrash
from engines.kit.chance import Generator, match_key
from engines.kit.table import Table
from tests.engines.goldn_crash.words import CARDS, GoldnCrashWords
from tests.engines.scenario import Runner, Scenario, ScenarioError, parse, read_scenarios

SCENARIOS = read_scenarios(Path(__file__).parent / "scenarios")


def test_all_64_are_there() -> None:
    assert [scenario.id for scenario in SCENARIOS] == [f"S{number:02}" for number in range(1, 65)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: f"{scenario.id} {scenario.title}")
def test_scenario(scenario: Scenario) -> None:
    Runner(GoldnCrashWords(), GoldnCrash(CARDS), seats=2).run(scenario)


@pytest.mark.parametrize("seed", range(200))
def test_the_deal_holds_for_every_seed(seed: int) -> None:
    """S01's prose: the crews differ; all guests are different; each seat has one whole deck of its crew and the robustness values 1, 2, 3."""
    Runner(GoldnCrashWords(), GoldnCrash(CARDS), seats=2, seed=seed).run(SCENARIOS[0])
    table: Table = Table(Generator(match_key(seed.to_bytes(32, "big"))))
    GoldnCrashWords().deal(GoldnCrash(CARDS), table, "0")
    state = table.state
    assert {own.crew for own in state.seats} == {"OCTOPIRATE", "MEOWMURAI"}
    guests = [guest for own in state.seats for guest in own.guests] + state.box
    assert Counter(guests) == Counter(list(CARDS.guests))
    for own in state.seats:
        assert Counter([*own.deck, *own.hidden, *own.discard]) == Counter(CARDS.decks[own.crew])
        assert sorted(zeppelin.robustness for zeppelin in own.zeppelins) == [1, 2, 3]


@pytest.mark.parametrize("text", [
    "#### S99 t\ngiven 1.hand = Bomb9x",
    "#### S99 t\ngiven 3.hand = Bomb1",
    "#### S99 t\ndo 1 fly",
    "#### S99 t\nthen 1.pocket = none",
    "#### S99 t\nsometimes 1 draw",
    "#### S99 t\ngiven 1.hand",
    "#### S99 t",
])  # fmt: skip
def test_what_cannot_be_read_is_an_error(text: str) -> None:
    with pytest.raises(ScenarioError):
        for scenario in parse(text):
            Runner(GoldnCrashWords(), GoldnCrash(CARDS), seats=2).run(scenario)


def test_the_titles_cite_rules_that_there_are() -> None:
    rules = {rule.rule for rule in GAME.rules}
    cited = [word.strip("(),") for scenario in SCENARIOS for word in scenario.title.split() if word.strip("(),").count("-") == 1]
    assert [word for word in cited if word[-1].isdigit() and word not in rules] == []
