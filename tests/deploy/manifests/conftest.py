import os
import sys
from collections.abc import Callable, Mapping, Sequence

import pytest

import service.worker
from service.cli import main
from service.config import Settings

Started = Callable[[Sequence[str], Mapping[str, str]], Settings]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """Runs the command line as a manifest would, up to the point where the worker would open its ports; returns the settings in force."""

    def start(arguments: Sequence[str], variables: Mapping[str, str]) -> Settings:
        seen: list[Settings] = []
        monkeypatch.setattr(service.worker, "run_worker", seen.append)
        monkeypatch.setitem(sys.modules, "rich", sys.modules.get("rich"))  # the command line takes it out
        for name in [name for name in os.environ if name.startswith("UMPIRE_")]:
            monkeypatch.delenv(name)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert main(arguments) == 0
        (settings,) = seen
        return settings

    return start
