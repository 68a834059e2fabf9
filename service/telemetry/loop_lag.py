"""How late the event loop runs: whatever holds it up holds up every call of the worker."""

import asyncio

from service.telemetry.tally import Spread

_EVERY_S = 0.25


class LoopLag:
    """Asks the loop to be woken, four times a second, and looks how late it was."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0

    def start(self) -> None:
        """Begin to look."""
        self._wait(asyncio.get_running_loop())

    def stop(self) -> None:
        """Stop."""
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due = loop.time() + _EVERY_S
        self._timer = loop.call_at(self._due, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        # Timers may come a little early, by the clock's resolution.
        self._spread.observe(max(0.0, loop.time() - self._due))
        self._wait(loop)
