"""Looking for matches that are due: a deadline has passed, or a house bot's turn was left behind by a worker that is gone."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Protocol

import structlog

from service.matches.continuing import Continuing
from service.matches.windows import Windows
from service.store import Due, StoreError, StoreUnavailable

_log = structlog.get_logger("umpire.sweeping")

_ROUND_S = 1.0
_PARTS = 16
_MOST_A_BUCKET = 16
_ROLL_CALL_S = 2.0


class DueMatches(Protocol):
    """What sweeping needs of the store."""

    async def due_matches(self, buckets: Sequence[str], worker: str, most: int) -> Mapping[str, Due]: ...
    async def workers(self, worker: str, lifetime_ms: int) -> list[str]: ...


class Sweeping:
    """Goes round all buckets once a second, a part at a time, and takes on what is due. An idle round costs one reading a bucket.

    All workers look at all buckets. ``windows`` knows what they have seen, and which share of it is this worker's to report.
    """

    def __init__(self, store: DueMatches, continuing: Continuing, buckets: Sequence[str]) -> None:
        self._store = store
        self._continuing = continuing
        self._parts = [buckets[part::_PARTS] for part in range(_PARTS)]
        self._worker = secrets.token_hex(8)
        self._task: asyncio.Task[None] | None = None
        self._next_roll_call = 0.0
        self.windows = Windows(self._worker, buckets)

    def start(self) -> None:
        """Begin to go round."""
        self._task = asyncio.create_task(self._sweep(), name="sweep")

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            with contextlib.suppress(StoreUnavailable):
                await self._store.workers(self._worker, 0)

    async def _sweep(self) -> None:
        while True:
            for number, part in enumerate(self._parts):
                await asyncio.sleep(_ROUND_S / _PARTS)
                if time.monotonic() >= self._next_roll_call:
                    await self._call_the_roll()
                try:
                    # The longest due come first: those that nobody can play on are not to stand before all others.
                    due = await self._store.due_matches(part, self._worker, _MOST_A_BUCKET + self._continuing.left_alone(part))
                except StoreUnavailable:
                    continue  # it is said elsewhere, and the next round looks again
                except Exception:  # noqa: BLE001 - whatever is wrong with one part, the round goes on
                    _log.exception("a part of the sweep failed")
                    continue
                self.windows.see(number, due)
                for found in due.values():
                    for match_id in found.match_ids:
                        self._continuing.take_on_due(match_id)

    async def _call_the_roll(self) -> None:
        self._next_roll_call = time.monotonic() + _ROLL_CALL_S
        with contextlib.suppress(StoreError):  # it may lie elsewhere than what is due
            self.windows.share(await self._store.workers(self._worker, Windows.LIFETIME_MS))
