"""The way of a stream's messages to its caller: one at a time, none kept behind a caller that does not read."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from service.api.context import Context
from service.errors import TooSlow


class Outlet:
    """Sends the messages of one stream with ``write``, which waits while the caller has no room; ``patience`` (seconds) is how long it may.

    What watches a write is one timer that outlives it, so that a stream of many short ones does not set and cancel one each.
    """

    __slots__ = ("_context", "_is_too_slow", "_loop", "_patience", "_since", "_task", "_timer", "_write", "sent")

    def __init__(self, write: Callable[[Any], Awaitable[None]], patience: float, context: Context) -> None:
        self._write = write
        self._patience = patience
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._timer: asyncio.TimerHandle | None = None
        self._since = 0.0
        self._is_too_slow = False
        self.sent = 0

    async def send(self, message: Any) -> None:
        """Send a message. To be called by the task that made this outlet.

        Raises:
            TooSlow: the caller does not read.
        """
        self._since = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._patience, self._look)
        try:
            await self._write(message)
        except asyncio.CancelledError:
            if not self._is_too_slow or self._task is None or self._task.uncancel() > 0:
                raise
            raise TooSlow(self._context.version) from None
        finally:
            self._since = 0.0
        self.sent += 1

    def close(self) -> None:
        """Stop watching."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        self._timer = None
        if not self._since:
            return
        left = self._since + self._patience - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
        elif self._task is not None:
            self._is_too_slow = True
            self._task.cancel()
