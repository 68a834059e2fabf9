"""The client's README: its programs run as they stand, against a server without API keys."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.private_redis import PrivateRedis
from tests.serving import Serving
from umpire.v1.match_pb2 import MATCH_STATUS_ACTIVE
from umpire_client import Client, Creator, Seat, Spectator

README = (Path(__file__).parents[3] / "clients" / "python" / "README.md").read_text()
PROGRAMS = dict(re.findall(r"<!-- runs: ([a-z ]+) -->\n```python\n(.*?)```", README, re.DOTALL))


@pytest.fixture(scope="module")
def open_server(redis_server: PrivateRedis) -> Iterator[Serving]:
    serving = Serving(redis_server.url, api_keys="", insecure="1").start()
    yield serving
    serving.stop()


def run(name: str, serving: Serving, folder: Path) -> str:
    program = PROGRAMS[name].replace("127.0.0.1:50051", serving.grpc)
    assert program != PROGRAMS[name]
    done = subprocess.run([sys.executable, "-"], input=program, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_bot_plays_a_match_to_its_end(open_server: Serving, tmp_path: Path) -> None:
    said = run("bot", open_server, tmp_path)
    assert re.fullmatch(r"(not )?won [A-Z_]+ \[\d+, \d+\]\n", said)


def test_the_bot_is_short() -> None:
    assert len([line for line in PROGRAMS["bot"].splitlines() if line]) < 30


def test_a_match_by_hand(open_server: Serving, tmp_path: Path) -> None:
    said = run("by hand", open_server, tmp_path)
    assert "Draw a card" in said
    assert "NO_SUCH_COLUMN COL-1 There are only columns 1, 2 and 3." in said
    assert said.endswith("[1, 2]\n")


def test_a_match_is_watched(open_server: Serving, tmp_path: Path) -> None:
    first, step, last = run("watching", open_server, tmp_path).splitlines()
    assert first.startswith("the match as it is now, at version 1 to be answered by 20")
    assert re.fullmatch(r"version 2 \['match', .*\] RESIGNATION", step)
    assert last == f"{MATCH_STATUS_ACTIVE} 2"


def test_two_asynchronous_bots(open_server: Serving, tmp_path: Path) -> None:
    assert re.fullmatch(r"[A-Z_]+ \[\d?\]\n", run("async", open_server, tmp_path))


def test_options_as_a_dict_and_typed_are_the_same(open_server: Serving, tmp_path: Path) -> None:
    said = run("options", open_server, tmp_path).splitlines()
    assert "('bomb_strength', 'ALL_CARDS', ['ALL_CARDS', 'BOMB_CARDS'])" in said[0]
    assert said[1] == "True"


def test_its_table_has_every_call() -> None:
    (table,) = re.findall(r"\| call \| gives \|\n((?:\|.*\n)+)", README)
    for kind in (Client, Seat, Spectator, Creator):
        for name in dir(kind):
            if not name.startswith("_"):
                assert re.search(rf"\b{name}\b", table), name


def test_every_program_of_it_is_run_here() -> None:
    assert PROGRAMS.keys() == {"bot", "by hand", "watching", "options", "async"}
    assert README.count("```python") == len(PROGRAMS)
