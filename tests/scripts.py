"""The scripts of ``scripts/``, which are no package, as modules."""

import importlib.util
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parents[1] / "scripts"


def script(name: str) -> ModuleType:
    """Load a script by its name without ``.py``."""
    spec = importlib.util.spec_from_file_location(name, _FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
