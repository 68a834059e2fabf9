"""The package by itself."""

import ast
import doctest
from pathlib import Path

import pytest

from umpire_terminal import menu, voice

PACKAGE = Path(voice.__file__).parent


def test_it_imports_nothing_of_the_service_and_the_engines() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & {"service", "engines"}, path


def test_only_a_game_s_own_modules_name_it() -> None:
    games = [path.stem for path in (PACKAGE / "games").iterdir() if path.stem not in {"__init__", "generic", "__pycache__"}]
    assert games
    for path in PACKAGE.rglob("*.py"):
        if not set(path.relative_to(PACKAGE).with_suffix("").parts) & set(games):
            assert not any(game in path.read_text() for game in games), path


@pytest.mark.parametrize("module", [voice, menu])
def test_its_examples_are_true(module: object) -> None:
    tried = doctest.testmod(module)  # type: ignore[arg-type]
    assert tried.attempted
    assert not tried.failed
