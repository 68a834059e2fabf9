"""The store's clock: one time for all workers, whatever their own clocks say. Serves ``store``."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable

from service.store.errors import StoreError

_REFRESH_S = 5.0
_SOON_S = 0.5
_SLOW_S = 0.2


class StoreClock:
    """Estimates the time of Redis from its TIME command, read again every few seconds. ``read`` answers its seconds and microseconds."""

    def __init__(self, read: Callable[[], Awaitable[tuple[int, int]]]) -> None:
        self._read = read
        # Measured against the monotonic clock, so that setting this machine's clock moves nothing. Until Redis was asked, this machine's time must do.
        self._offset_s = time.time() - time.monotonic()
        self._is_known = False
        self._following: asyncio.Task[None] | None = None

    def now_ms(self) -> int:
        """Return the time in milliseconds since 1970."""
        return int((time.monotonic() + self._offset_s) * 1000)

    async def open(self) -> None:
        """Read the time and go on reading it, even if the first time fails. It may be called again.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        if self._following is None:
            self._following = asyncio.create_task(self._follow(), name="follow the store's clock")
        await self._refresh()

    async def close(self) -> None:
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(_REFRESH_S if self._is_known else _SOON_S)
            with contextlib.suppress(StoreError):
                await self._refresh()

    async def _refresh(self) -> None:
        before = time.monotonic()
        seconds, microseconds = await self._read()
        after = time.monotonic()
        if self._is_known and after - before > _SLOW_S:
            return  # half the time that an answer took is how wrong it can be: the estimate at hand is better
        self._offset_s = int(seconds) + int(microseconds) / 1_000_000 - (before + after) / 2
        self._is_known = True
