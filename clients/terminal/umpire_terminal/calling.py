"""How this program was called: the commands that it prints begin so, and can be typed as they stand."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path


def as_called(arguments: Sequence[str], main: str | None, original: Sequence[str]) -> list[str]:
    """Make the beginning of a command that calls this program again. ``main`` is the module that ``-m`` has named, ``original`` the words of the real command.

    >>> as_called([".venv/bin/umpire", "play", "--resume"], None, [])
    ['.venv/bin/umpire', 'play']
    >>> as_called(["/x/umpire_terminal/__main__.py"], "umpire_terminal.__main__", ["python3", "-m", "umpire_terminal"])
    ['python3', '-m', 'umpire_terminal']
    """
    play = ["play"] if list(arguments[1:2]) == ["play"] else []
    if main and original:
        return [original[0], "-m", main.removesuffix(".__main__"), *play]
    program = arguments[0] if arguments else ""
    if not program or program.startswith("-") or program.endswith(".py"):  # a program of somebody else that calls this one
        return ["umpire", "play"]
    found = shutil.which(Path(program).name)
    is_on_the_path = found is not None and Path(found).absolute() == Path(program).absolute()
    return [Path(program).name if is_on_the_path else program, *play]


def this_program() -> list[str]:
    """Make the beginning of a command that calls this very program again."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    return as_called(sys.argv, spec.name if spec else None, sys.orig_argv)
