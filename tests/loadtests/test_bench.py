"""The benchmark runs, and says what it measured; what comes out is nobody's promise here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engines.registry import games
from loadtests.bench import in_process

FIGURES = {"what", "in_flight", "ratio", "server_us", "redis_us", "per_second", "p50_ms", "p99_ms"}


def test_the_benchmark_measures_whole_matches_over_both_transports_beside_the_echo(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    arguments = ["--rounds", "1", "--in-flight", "1", "5", "--calls", "40", "--only", "ApplyMove", "--json", str(found)]
    done = subprocess.run([sys.executable, "-m", "loadtests.bench", *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    calls = json.loads(found.read_text())["calls"]
    assert {(row["what"], row["in_flight"]) for row in calls} == {
        (what, in_flight)
        for in_flight in (1, 5)
        for what in (
            "echo, bare grpc.aio",
            "ApplyMove, gRPC",
            "ApplyMove, REST",
            "ApplyMove without view and moves, gRPC",
            "ApplyMove without view and moves, REST",
        )
    }
    for row in calls:
        assert set(row) == FIGURES
        assert row["per_second"] > 0 and 0 < row["p50_ms"] <= row["p99_ms"]
        assert row["what"] in done.stdout


def test_every_mode_of_every_game_is_measured_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "_MATCHES", 2)
    runs = in_process.runs_of_all_games()
    assert len(runs) == 2 * sum(len(game.modes) for game in games().values())
    for run in runs.values():
        seconds, moves = run(0)
        assert moves > 2
        assert seconds > 0
