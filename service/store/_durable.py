"""Commits that are acknowledged only when they are kept in a second place too. Serves ``_node``."""

import asyncio
from contextvars import Context
from enum import Enum
from typing import Any

from service.store._link import REFUSALS
from service.store.errors import Applied, StoreUnavailable, refusal
from service.store.shared_connection import SharedConnection

_BEFORE_US_S = 0.2
"""By how much Redis gives up before we do; what is left must be more than the second between two fsyncs."""


class Durability(Enum):
    """What a commit waits for before it is acknowledged."""

    NONE = "none"
    """Nothing more than Redis itself waits for (``appendfsync``)."""
    AOF = "aof"
    """That it is in the append-only file on disk."""
    REPLICA = "replica"
    """That a replica has it in memory."""


class Durable:
    """Runs the commits of one server over a connection of their own, since Redis does nothing else for a connection that waits.

    Those that come up while others wait go together after them, with one waiting for all.
    """

    def __init__(self, shared: SharedConnection, durability: Durability, answer_timeout: float) -> None:
        self._shared = shared
        patience_ms = max(1, int((answer_timeout - _BEFORE_US_S) * 1_000))
        self._wait = ("WAITAOF", 1, 0, patience_ms) if durability is Durability.AOF else ("WAIT", 1, patience_ms)
        self._next: list[tuple[tuple[tuple[Any, ...], ...], asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def run(self, *commands: tuple[Any, ...]) -> Any:
        """Send commands with nothing in between; return the last one's reply when what it wrote is kept.

        Raises:
            StoreUnavailable: NO if nothing was sent; UNKNOWN if the reply was lost, or if it is written and not kept in time.
            ResponseError, BusyLoadingError, AuthenticationError: Redis refused it.
        """
        reply = asyncio.get_running_loop().create_future()
        self._next.append((commands, reply))
        if self._task is None:
            self._task = asyncio.create_task(self._run_groups(), name="commit", context=Context())
        return await reply

    @property
    def waiting(self) -> int:
        """How many commands wait for their reply."""
        return self._shared.waiting

    def renew(self) -> None:
        """Give the connection up; the next call makes a new one."""
        self._shared.renew()

    async def close(self) -> None:
        """End the connection; whoever waits gets StoreUnavailable."""
        await self._shared.close()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run_groups(self) -> None:
        while self._next:
            group, self._next = self._next, []
            try:
                *replies, kept = await self._shared.run_together(*[command for commands, _ in group for command in commands], self._wait)
            except Exception as error:  # noqa: BLE001 - whatever it is, who waits has to know
                replies, kept = [error for commands, _ in group for _ in commands], error
            lack = _lack(kept)
            ends = iter(replies)
            for commands, reply in group:
                *_, last = [next(ends) for _ in commands]
                _settle(reply, last if isinstance(last, Exception) or lack is None else StoreUnavailable(lack, Applied.UNKNOWN))
            if lack is not None and not isinstance(kept, REFUSALS):  # who waits behind has waited long enough
                waiting, self._next = self._next, []
                for _, reply in waiting:
                    _settle(reply, StoreUnavailable(lack))
        self._task = None


def _settle(reply: "asyncio.Future[Any]", outcome: Any) -> None:
    if reply.done():  # its caller has given up
        return
    if isinstance(outcome, Exception):
        reply.set_exception(outcome)
    else:
        reply.set_result(outcome)


def _lack(kept: Any) -> str | None:
    """Return why what was written may still be lost, None if it is kept. ``kept`` counts the places, of WAITAOF first those here."""
    if isinstance(kept, REFUSALS):
        return f"the store refused to wait: {refusal(kept)}"
    if isinstance(kept, Exception):
        return str(kept)
    count = kept[0] if isinstance(kept, list) else kept
    return None if count else "the store did not keep it in a second place in time"
