"""Running an operator's command as a process, as an operator does."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any


@dataclass
class Said:
    """What a command has said, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def everything(self) -> str:
        return self.out + self.err


def umpire(*arguments: str, **variables: str) -> Said:
    """Run ``umpire`` with these arguments and, of its own variables, these only: ``redis_url="…"`` is UMPIRE_REDIS_URL."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UMPIRE_")}
    environment |= {f"UMPIRE_{name.upper()}": value for name, value in variables.items()}
    done = subprocess.run([sys.executable, "-m", "service.cli", *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False)
    return Said(done.returncode, done.stdout, done.stderr)
