"""Whether a worker takes calls: what /readyz answers, and what ``umpire_ready`` shows."""

import asyncio
from contextvars import Context

from service.store import Store, StoreUnavailable

_EVERY_S = 5.0


class Readiness:
    """Open from the start's end to the stop's beginning, and then ready while the store answers. It looks for itself, since not everybody asks /readyz, and a
    scrape is not to wait for a store that does not answer.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_open = False
        self._problem = "starting or stopping"
        self._task: asyncio.Task[None] | None = None

    def is_ready(self) -> bool:
        """Whether the last look found that calls can be taken."""
        return self._is_open and not self._problem

    async def why_not(self) -> str:
        """Look; say why calls cannot be taken, "" if they can."""
        if not self._is_open:
            return "starting or stopping"
        try:
            await self._store.ping()
        except StoreUnavailable as error:
            self._problem = str(error)
        else:
            self._problem = ""
        return self._problem

    def open(self) -> None:
        """Everything has started."""
        self._is_open = True
        self._task = asyncio.create_task(self._keep_looking(), name="look whether the store answers", context=Context())

    async def close(self) -> None:
        """Not ready any more."""
        self._is_open = False
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _keep_looking(self) -> None:
        while True:
            await self.why_not()
            await asyncio.sleep(_EVERY_S)
