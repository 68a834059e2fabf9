"""A Redis Cluster: each command goes where its slot is, and where the servers send it. Serves ``servers``."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from redis.exceptions import AskError, ClusterDownError, MovedError, TryAgainError

from service.redis_place import Place
from service.store._homes import FAILURES, Homes
from service.store._node import Limits, Node
from service.store._race import first_answer
from service.store.errors import Applied, StoreUnavailable
from service.store.keys import Keys

_MOST_HOPS = 5
_TRY_AGAIN_S = 0.02

Ask = Callable[[Node, bool], Awaitable[Any]]
"""Sends a command to a node; whether ASKING goes before it."""


class Cluster:
    """All masters of a cluster. One that is away harms its own slots only: each has connections of its own, and no call waits for another's."""

    def __init__(self, place: Place, keys: Keys, limits: Limits, lost: Callable[[], None] = lambda: None) -> None:
        self._limits = limits
        self._homes = Homes(place, keys, limits, lost)

    @property
    def waiting(self) -> int:
        return sum(node.waiting for node in self._homes.nodes.values())

    async def open(self) -> None:
        await self._homes.open()

    async def close(self) -> None:
        await self._homes.close()

    async def ping(self) -> None:
        """Ask whether any master answers: without the others, most matches are still there."""
        if not self._homes.masters():
            await self._homes.look()
        await first_answer([node.ping for node in self._homes.masters()], FAILURES, head_start=0.0)

    def run(self, bucket: str, *command: Any) -> Awaitable[Any]:
        return self._ask(self._homes.slots[bucket], lambda node, is_asking: (node.run_asking if is_asking else node.shared.run)(*command))

    def commit(self, bucket: str, *command: Any) -> Awaitable[Any]:
        return self._ask(self._homes.slots[bucket], lambda node, is_asking: node.commit(command, is_asking=is_asking))

    def read(self, bucket: str, *command: Any) -> Awaitable[Any]:
        return self._ask(self._homes.slots[bucket], lambda node, is_asking: node.read(command, is_asking=is_asking))

    def home(self, bucket: str) -> Node | None:
        return self._homes.of(self._homes.slots[bucket])

    def masters(self) -> Collection[Node]:
        return self._homes.masters()

    def is_away(self, bucket: str) -> bool:
        node = self.home(bucket)
        return node is not None and node.shared.has_failed_lately

    def homes_change(self, tell: Callable[[], None]) -> None:
        self._homes.tell = tell

    def in_trouble(self, node: Node, error: Exception | None) -> None:
        self._homes.in_trouble(node, error)

    def now_ms(self, bucket: str) -> int:
        """Return the clock of the node that has the bucket: each node judges by its own."""
        node = self.home(bucket) if bucket else next(iter(self._homes.masters()), None)
        return node.clock.now_ms() if node is not None else int(time.time() * 1000)

    # ---- following what the servers answer

    async def _ask(self, slot: int, ask: Ask) -> Any:
        node = self._homes.of(slot) or await self._homes.find(slot)
        started = time.monotonic()
        try:
            return await ask(node, False)
        except (MovedError, AskError, TryAgainError) as error:  # none of these was carried out
            answer = error
        except (StoreUnavailable, ClusterDownError) as error:
            self._homes.in_trouble(node, error)
            raise
        try:
            async with asyncio.timeout(self._limits.total - (time.monotonic() - started)):
                return await self._follow(slot, ask, node, answer, started + self._limits.answer)
        except TimeoutError as error:
            raise StoreUnavailable("the store did not answer in time", Applied.UNKNOWN) from error

    async def _follow(self, slot: int, ask: Ask, node: Node, answer: Exception, until: float) -> Any:
        hops = 0
        while hops < _MOST_HOPS:
            is_asking = False
            match answer:
                case MovedError():
                    node = self._homes.move(answer, node)
                    hops += 1
                case AskError():  # the slot is on its way, and what was asked for is there already
                    node, is_asking = self._homes.target(answer, node), True
                    hops += 1
                case _:  # TRYAGAIN: of several keys some are there already; it passes when the slot has arrived
                    if time.monotonic() > until:
                        raise StoreUnavailable("the store is moving this slot")
                    await asyncio.sleep(_TRY_AGAIN_S)
                    node, hops = self._homes.of(slot) or node, 0
            try:
                return await ask(node, is_asking)
            except (MovedError, AskError, TryAgainError) as error:
                answer = error
            except (StoreUnavailable, ClusterDownError) as error:
                self._homes.in_trouble(node, error)
                raise
        raise StoreUnavailable("the store's servers send this on and on")
