import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.serving import API_KEY, Serving

ROOT = Path(__file__).parents[3]
NODE_MODULES = ROOT / "clients" / "node" / "node_modules"

Run = Callable[..., str]


@pytest.fixture(scope="session")
def binaries() -> Path:
    """The folder with buf, protoc and node."""
    assert NODE_MODULES.is_dir(), "clients/node is not installed: `make test` does it"
    return Path(sys.executable).parent


@pytest.fixture
def run(binaries: Path, tmp_path: Path) -> Run:
    """Runs a program as a user would, in a folder of its own, and returns what it said."""

    def run(*command: str | Path, text: str = "", cwd: Path = tmp_path, fails: bool = False, **variables: str) -> str:
        environment = os.environ | {"PATH": f"{binaries}:{NODE_MODULES / '.bin'}:{os.environ['PATH']}"} | variables
        done = subprocess.run([str(part) for part in command], input=text, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode != 0) == fails, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stderr if fails else done.stdout

    return run


@pytest.fixture
def over_grpc(serving: Serving) -> dict[str, str]:
    """The variables that the programs read, for those that speak gRPC."""
    return {"SERVER": serving.grpc, "API_KEY": API_KEY}


@pytest.fixture
def over_http(serving: Serving) -> dict[str, str]:
    """The same for those that speak HTTP."""
    return {"SERVER": serving.http, "API_KEY": API_KEY}
