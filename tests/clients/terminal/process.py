"""A person's machine on which ``umpire play`` runs as a process of its own."""

import os
import re
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.serving import API_KEY

UMPIRE = [str(Path(sys.executable).with_name("umpire"))]


class Home:
    """A person's machine: an environment with a state directory of its own."""

    def __init__(self, folder: Path, server: str, command: list[str] | None = None) -> None:
        self.folder = folder
        self.command = command or UMPIRE
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("UMPIRE_") and name not in {"NO_COLOR", "FORCE_COLOR"}}
        self.environment |= {"XDG_STATE_HOME": str(folder), "UMPIRE_SERVER": server, "UMPIRE_API_KEY": API_KEY, "COLUMNS": "80"}

    def run(self, *arguments: str, lines: list[str] | None = None) -> "subprocess.CompletedProcess[str]":
        typed = "".join(f"{line}\n" for line in lines or [])
        return subprocess.run([*self.command, "play", *arguments], input=typed, env=self.environment, capture_output=True, text=True, timeout=120, check=False)

    def files(self) -> list[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]


class Playing:
    """A process that is still being typed to."""

    def __init__(self, home: Home, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*home.command, "play", *arguments],
            env=home.environment | {"PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.read = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while letter := self.process.stdout.read(1):
            self.read += letter

    def wait_for(self, part: str) -> str:
        deadline = time.monotonic() + 30
        while part not in self.read:
            assert time.monotonic() < deadline, f"{part!r} does not come: {self.read}"
            time.sleep(0.02)
        return self.read

    def type(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def end(self) -> int:
        """Wait until the process has ended and all that it wrote is read."""
        try:
            status = self.process.wait(60)
            self._reader.join(10)
            return status
        finally:
            self.process.kill()


def resuming(output: str) -> list[str]:
    """The arguments of the command that the output says to resume with."""
    (command,) = re.findall(r"^  (\S+ play --resume .*)$", output, re.MULTILINE)
    assert shlex.split(command)[:1] == UMPIRE
    return shlex.split(command)[2:]
