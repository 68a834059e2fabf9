"""Which layer may know which: the imports of each."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPURE = {"random", "secrets", "time", "datetime", "asyncio", "os", "socket", "threading", "subprocess", "uuid", "tempfile", "io", "urllib", "http"}


def imports(folder: str) -> Iterator[tuple[Path, str]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: imports are absolute"
                yield path, node.module or ""


def test_engines_import_pure_things_only() -> None:
    for path, name in imports("engines"):
        top = name.split(".")[0]
        assert top in {"engines", "msgspec"} or (top in sys.stdlib_module_names and top not in IMPURE), f"{path} imports {name}"


def test_the_kit_knows_no_game_and_no_game_another() -> None:
    games = {path.name for path in (ROOT / "engines").iterdir() if path.is_dir() and path.name not in {"kit", "__pycache__"}}
    for path, name in imports("engines"):
        here = path.relative_to(ROOT / "engines").parts[0]
        named = games & set(name.split("."))
        assert named <= {here}, f"{path} imports {name}"
    for path in (ROOT / "engines" / "kit").rglob("*.py"):
        assert not any(game in path.read_text() for game in games), f"{path} names a game"


def test_the_service_names_no_game() -> None:
    games = {path.name for path in (ROOT / "engines").iterdir() if path.is_dir() and path.name not in {"kit", "__pycache__"}}
    for path in (ROOT / "service").rglob("*.py"):
        assert not any(game in path.read_text() for game in games), f"{path} names a game"


def test_use_cases_know_neither_transport_nor_redis() -> None:
    forbidden = {"grpc", "google", "redis", "uvicorn", "service.grpc_server", "service.http_server", "service.codec", "service.contract"}
    for path, name in imports("service/matches"):
        assert not any(name == one or name.startswith(f"{one}.") for one in forbidden), f"{path} imports {name}"


def test_the_store_knows_nothing_of_games_and_matches() -> None:
    for path, name in imports("service/store"):
        assert not name.startswith(("engines", "google", "grpc", "service.matches", "service.api", "service.messages")), f"{path} imports {name}"


def test_users_know_the_contract_alone() -> None:
    looks_inside = ROOT / "loadtests" / "bench" / "in_process.py"
    for folder in ("clients", "loadtests", "deploy"):
        for path, name in imports(folder):
            assert path == looks_inside or name.split(".")[0] not in {"service", "engines"}, f"{path} imports {name}"


def test_nothing_else_reads_the_environment() -> None:
    for path in (ROOT / "service").rglob("*.py"):
        assert path.name == "config.py" or "os.environ" not in path.read_text(), path
