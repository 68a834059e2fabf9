"""The matches that can be resumed: credentials in files that only this person can read, never in the shell's history.

One file a seat, in ``$XDG_STATE_HOME/umpire/matches`` (``~/.local/state/umpire/matches``).
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


class NotRemembered(Exception):
    """No match is remembered, or it is not clear which; the message says so."""


@dataclass(frozen=True)
class Remembered:
    """What resumes a seat. ``invites``: those of other seats that may still be open, by the number of the seat."""

    match_id: str
    seat: int
    credential: str
    server: str
    tls: bool = False
    invites: Mapping[str, str] = field(default_factory=dict)


class Memory:
    """The files of one person."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, match: Remembered) -> None:
        """Write a match down, or anew.

        Raises:
            OSError: the file cannot be written.
        """
        for folder in (self._folder.parent, self._folder):  # mkdir's mode is not for parents
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(match.match_id, match.seat)
        draft = path.with_suffix(".new")
        draft.unlink(missing_ok=True)
        # Never readable by others, not even for a moment.
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(match), file)
        draft.replace(path)

    def forget(self, match: Remembered) -> None:
        """Remove a match that is over."""
        self._path(match.match_id, match.seat).unlink(missing_ok=True)

    def find(self, match_id: str, seat: int = 0) -> Remembered:
        """Find a match by its id; "" for the one that was written last. ``seat`` chooses where several seats of a match are held here.

        Raises:
            NotRemembered: there is none, or it is not clear which.
        """
        known = [match for match in self._all() if match_id in {"", match.match_id} and seat in {0, match.seat}]
        if not known:
            raise NotRemembered(f"No match {match_id} is remembered in {self._folder}." if match_id else f"No match is remembered in {self._folder}.")
        if match_id and len(known) > 1:
            raise NotRemembered(f"Several seats of match {match_id} are remembered: add --seat {' or --seat '.join(str(match.seat) for match in known)}.")
        return known[-1]

    def _all(self) -> Iterator[Remembered]:
        """Read all files, the one written last at the end; what cannot be read is left out."""
        for path in sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns):
            try:
                yield Remembered(**_read(path))
            except (OSError, ValueError, TypeError):
                continue

    def _path(self, match_id: str, seat: int) -> Path:
        # The id comes from a server: it shall not name a file elsewhere.
        return self._folder / f"{re.sub('[^A-Za-z0-9-]', '_', match_id)}.{seat}.json"


def state_folder(environment: Mapping[str, str]) -> Path:
    """Say where the files are."""
    base = environment.get("XDG_STATE_HOME") or ""
    return (Path(base) if base else Path.home() / ".local" / "state") / "umpire" / "matches"


def _read(path: Path) -> dict[str, Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise TypeError(f"{path} holds no match")
    return content
