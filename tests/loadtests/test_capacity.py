"""The capacity page says what its figures say, and the script that writes both runs."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines.registry import games
from loadtests.capacity.arithmetic import ASSUMPTIONS, averages, derive, limits, needs
from loadtests.capacity.page import fill

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture
def figures() -> dict[str, Any]:
    return json.loads((DEPLOY / "capacity.json").read_text())


def test_the_arithmetic_on_the_page_is_that_of_its_figures(figures: dict[str, Any]) -> None:
    assert derive(figures["measured"], figures["assumptions"]) == figures["derived"]
    assert figures["assumptions"] == ASSUMPTIONS


def test_the_page_says_what_its_figures_say(figures: dict[str, Any]) -> None:
    page = (DEPLOY / "CAPACITY.md").read_text()
    assert fill(page, figures) == page
    figures["measured"]["moves"][0]["server_us"] *= 2
    assert fill(page, figures) != page


def test_the_figures_cover_every_game_each_door_and_one_and_two_workers(figures: dict[str, Any]) -> None:
    found = {(row["kind"].split()[0], row["door"], row["workers"]) for row in figures["measured"]["moves"]}
    assert found == {(game, door, workers) for game in games() for door in ("rest", "grpc") for workers in (1, 2)}


def _cost(server: float, workers: int = 2, *, spread: bool = True, watched: bool = False, out: float = 1000) -> dict[str, Any]:
    used = {"server_us": server, "redis_us": 60, "redis_commands": 10, "redis_bytes_in": 2000, "redis_bytes_out": 500, "bytes_in": 400, "bytes_out": out}
    return {"kind": "a game", "door": "rest", "workers": workers, "spread": spread, "watched": watched, "moves_per_match": 100, **used}


MEASURED = {
    "moves": [_cost(300, 1, spread=False), _cost(400, 1, spread=False, watched=True, out=1500), _cost(500)],
    "sizes": [{"running_bytes": 10_000, "finished_bytes": 20_000}],
    "creation": [{"server_us": 1000, "redis_us": 100}],
    "idle": [{"workers": 1, "server_us": 100_000, "redis_us": 6_000, "redis_commands": 1000, "redis_bytes_in": 0, "redis_bytes_out": 0}],
}


def test_needs_by_hand() -> None:
    """10,000 matches, a move each 10 s: 1,000 moves and 10 creations a second; 0.61 core seconds a second, of which a worker may do 0.6 - 0.1."""
    average = averages(MEASURED)
    assert (average["server_us"], average["watch_us"], average["watch_bytes"]) == (500, 100, 500)
    need = needs(10_000, average, ASSUMPTIONS)
    assert (need["moves_s"], need["created_s"]) == (1000, 10)
    assert need["worker_cores"] == pytest.approx((0.5 + 0.1 + 0.01) / 0.5)
    assert need["redis_threads"] == pytest.approx((0.06 + 0.001 + 1.22 * 0.006) / 0.6)
    assert need["redis_commands_s"] == pytest.approx(10_000 + 1.22 * 1000)
    assert need["redis_gb"] == pytest.approx(0.1 + 10 * 7 * 86_400 * 20_000 / 1e9)
    assert need["out_mbit_s"] == pytest.approx(1000 * 1500 * 8 / 1e6)


def test_the_first_bottleneck_is_what_is_full_with_the_fewest_matches() -> None:
    average = averages(MEASURED)
    found = limits(average, ASSUMPTIONS)
    assert [limit["matches"] for limit in found] == sorted(limit["matches"] for limit in found)
    assert found[0]["what"] == "redis_memory"
    assert limits(average, ASSUMPTIONS | {"kept_days": 0.001, "kept_days_short": 0.001})[0]["what"] == "worker_core"


def test_a_page_without_a_place_for_a_part_is_refused(figures: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="capacity: limits"):
        fill((DEPLOY / "CAPACITY.md").read_text().replace("<!-- capacity: limits -->", ""), figures)


def test_the_script_measures_and_writes_figures_and_page(tmp_path: Path) -> None:
    page, found = tmp_path / "CAPACITY.md", tmp_path / "capacity.json"
    shutil.copy(DEPLOY / "CAPACITY.md", page)
    command = [sys.executable, "-m", "loadtests.capacity", "--matches", "2", "--rounds", "1", "--only", "SOLO", "--json", str(found), "--page", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(found.read_text())
    assert figures["derived"] == derive(figures["measured"], ASSUMPTIONS)
    assert fill(page.read_text(), figures) == page.read_text()
    for row in figures["measured"]["moves"]:
        assert row["moves"] > 10 and row["bytes_in"] > 100 and row["bytes_out"] > 100
        assert row["server_us"] > 0 and row["redis_us"] >= 0  # of so few moves, what the workers do at rest can be the larger part
    for size in figures["measured"]["sizes"]:
        assert size["finished_bytes"] > 1_000
