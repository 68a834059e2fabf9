"""Looking for matches that are due: a deadline has passed, or a house bot's turn was left behind by a worker that is gone."""

import asyncio
import secrets
from collections.abc import Sequence
from typing import Protocol

import structlog

from service.matches.continuing import Continuing
from service.store import StoreUnavailable

_log = structlog.get_logger("umpire.sweeping")

_ROUND_S = 1.0
_PARTS = 16
_MOST_A_BUCKET = 16


class DueMatches(Protocol):
    """What sweeping needs of the store."""

    async def due_matches(self, buckets: Sequence[str], worker: str, most: int) -> list[str]: ...


class Sweeping:
    """Goes round all buckets once a second, a part at a time, and takes on what is due. An idle round costs one reading a bucket."""

    def __init__(self, store: DueMatches, continuing: Continuing, buckets: Sequence[str]) -> None:
        self._store = store
        self._continuing = continuing
        self._parts = [buckets[part::_PARTS] for part in range(_PARTS)]
        self._worker = secrets.token_hex(8)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to go round."""
        self._task = asyncio.create_task(self._sweep(), name="sweep")

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _sweep(self) -> None:
        while True:
            for part in self._parts:
                await asyncio.sleep(_ROUND_S / _PARTS)
                try:
                    due = await self._store.due_matches(part, self._worker, _MOST_A_BUCKET)
                except StoreUnavailable:
                    continue  # it is said elsewhere, and the next round looks again
                except Exception:  # noqa: BLE001 - whatever is wrong with one part, the round goes on
                    _log.exception("a part of the sweep failed")
                    continue
                for match_id in due:
                    self._continuing.take_on(match_id)
