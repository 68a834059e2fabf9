"""The README: its tours run as they stand, its tables are the code's."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.registry import games
from service.private_redis import PrivateRedis
from tests.scripts import script
from tests.serving import Serving

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def tour(language: str) -> str:
    (block,) = re.findall(rf"<!-- tour: {language} -->\n```{language}\n(.*?)```", README, re.DOTALL)
    return block


@pytest.fixture(scope="module")
def open_server(redis_server: PrivateRedis) -> Iterator[Serving]:
    """As ``make run`` serves: without API keys."""
    serving = Serving(redis_server.url, api_keys="", insecure="1").start()
    yield serving
    serving.stop()


def run(command: list[str], text: str, serving: Serving, folder: Path) -> str:
    environment = os.environ | {"SERVER": serving.http}
    done = subprocess.run(command, input=text, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_tour_with_curl(open_server: Serving, tmp_path: Path) -> None:
    said = run(["bash", "-eu"], tour("sh"), open_server, tmp_path)
    assert '"appliedVersion":' in said
    assert '"reason":"ILLEGAL_MOVE"' in said
    assert "There are only columns 1, 2 and 3." in said
    assert '"cardsDrawn"' in said
    assert said.count('"error"') == 0


def test_the_bot_in_python(open_server: Serving, tmp_path: Path) -> None:
    said = run([sys.executable, "-"], tour("python").replace("127.0.0.1:50051", open_server.grpc), open_server, tmp_path)
    assert "Draw a card" in said
    assert "reason: " in said


def test_the_tables_of_settings_are_made_from_the_code() -> None:
    module = script("write_settings")
    assert module.with_settings(README) == README, "run `make readme`"
    assert README.count("| `--http-port` | `UMPIRE_HTTP_PORT` |") == 2


def test_every_game_is_listed() -> None:
    for game in games().values():
        assert f"`{game.id}`" in README
        assert game.title in README


def test_it_gives_the_two_commands() -> None:
    assert "make run " in README
    assert "make test" in README
