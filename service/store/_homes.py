"""Which server of a cluster has which slots, learned from them and kept up to date. Serves ``_cluster``."""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Coroutine
from contextvars import Context
from functools import partial
from typing import Any

import structlog
from redis.crc import key_slot
from redis.exceptions import AskError, MovedError

from service.redis_place import Address, Place
from service.store._link import REFUSALS
from service.store._node import Limits, Node
from service.store._race import first_answer
from service.store._slots import SlotMap, read_slots
from service.store.errors import StoreUnavailable, refusal
from service.store.keys import Keys, all_buckets

_log = structlog.get_logger("umpire.store")

FAILURES = (StoreUnavailable, *REFUSALS)
"""What asking a server may raise."""

_CALM_S = 5.0
_PAUSE_S = 0.1
_HEAD_START_S = 0.1
_MOST_ASKED = 8
_KEPT_S = 15.0


class Homes:
    """The map from slots to servers. It is read anew every few seconds, and soon after anything hints that it is wrong."""

    def __init__(self, place: Place, keys: Keys, limits: Limits, lost: Callable[[], None]) -> None:
        self.slots = {bucket: key_slot(keys.due(bucket).encode()) for bucket in all_buckets()}
        self.nodes: dict[Address, Node] = {}
        self.tell: Callable[[], None] = lambda: None
        """Told when slots have other homes."""
        self._place = place
        self._limits = limits
        self._lost = lost
        self._sorted_slots = sorted(set(self.slots.values()))
        self._homes: dict[int, Node] = {}
        self._known: list[Address] = []
        self._away: set[Node] = set()
        self._wanted = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._read_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def open(self) -> None:
        """Read the map and keep it up to date, even if nobody answers now.

        Raises:
            StoreUnavailable: nobody does.
        """
        self._in_background(self._keep_looking())
        await self.look()
        await asyncio.gather(*(_follow_clock(node) for node in self.masters()))

    async def close(self) -> None:
        """End all connections."""
        self._is_closed = True
        tasks = [*self._tasks, *([self._reading] if self._reading is not None else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await asyncio.gather(*(node.close() for node in self.nodes.values()))

    def masters(self) -> set[Node]:
        """List the servers that have slots."""
        return set(self._homes.values())

    def of(self, slot: int) -> Node | None:
        """Return a slot's home, as far as is known."""
        return self._homes.get(slot)

    async def find(self, slot: int) -> Node:
        """Look where a slot is that has no home, but not all the time.

        Raises:
            StoreUnavailable: nobody says.
        """
        if time.monotonic() - self._read_at > _PAUSE_S:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._limits.total):
                    await self.look()
        node = self._homes.get(slot)
        if node is None:
            raise StoreUnavailable("no server of the store has this slot")
        return node

    def move(self, answer: MovedError, node: Node) -> Node:
        """Learn one slot's new home; the rest of the map will have changed too."""
        to = self.target(answer, node)
        if self._homes.get(answer.slot_id) is not to:
            self._set_homes(self._homes | {answer.slot_id: to})
        self._wanted.set()
        return to

    def target(self, answer: AskError, node: Node) -> Node:
        """Return the server to which an answer points; without a host it is that of the server that gave it."""
        return self._node_at(Address(answer.host or node.shown.rpartition(":")[0].strip("[]"), answer.port))

    def in_trouble(self, node: Node, error: Exception | None) -> None:
        """Look anew; a server that is gone is said once."""
        if isinstance(error, MovedError):
            self.move(error, node)
            return
        is_gone = error is not None and not isinstance(error, REFUSALS) and not node.shared.is_connected
        if is_gone and node not in self._away and not self._is_closed:
            self._away.add(node)
            _log.warning("a server of the store is away", node=node.shown)
        self._wanted.set()

    async def look(self) -> None:
        """Read the map anew; whoever comes meanwhile waits for the same answer."""
        if self._is_closed:
            raise StoreUnavailable("the store is closed")
        reading = self._reading
        if reading is None:
            reading = self._reading = asyncio.create_task(self._read_map(), name="look for the store's servers", context=Context())
            reading.add_done_callback(self._end_reading)
        await asyncio.wait([reading])
        if reading.cancelled():
            raise StoreUnavailable("the store is closed")
        error = reading.exception()
        if isinstance(error, REFUSALS):
            raise StoreUnavailable(f"the store refused: {refusal(error)}") from error
        if error is not None:
            raise error

    def _end_reading(self, task: "asyncio.Task[None]") -> None:
        self._reading = None
        self._read_at = time.monotonic()
        if not task.cancelled():
            task.exception()

    async def _read_map(self) -> None:
        well = [node.shown for node in self.masters() if node.shared.is_connected]
        known = random.sample(self._known, len(self._known))  # a worker that always asked the same one would believe it alone
        first = sorted(known, key=lambda address: str(address) not in well)[:_MOST_ASKED]
        asked = list(dict.fromkeys([*first, *self._place.addresses]))
        found = await first_answer([partial(self._ask_for_map, address) for address in asked], FAILURES, head_start=_HEAD_START_S)
        self._known = found.everybody
        self._set_homes({slot: self._node_at(master) for slot, master in found.masters.items()})

    async def _ask_for_map(self, address: Address) -> SlotMap:
        reply = await self._node_at(address).shared.run("CLUSTER", "SLOTS")
        try:
            found = read_slots(reply, address, self._sorted_slots)
        except (ValueError, TypeError, IndexError) as error:
            raise StoreUnavailable("the store answered what it cannot mean") from error
        if not found.masters:
            raise StoreUnavailable("a server of the store is in no cluster")
        return found

    def _set_homes(self, homes: dict[int, Node]) -> None:
        before, self._homes = self._homes, homes
        if homes != before:
            for node in set(homes.values()) - set(before.values()):
                self._in_background(_follow_clock(node))
            for node in set(before.values()):
                node.used_at = time.monotonic()
            self.tell()

    async def _keep_looking(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CALM_S):
                    await self._wanted.wait()
            self._wanted.clear()
            with contextlib.suppress(StoreUnavailable):
                await self.look()
            self._tidy()
            await asyncio.sleep(_PAUSE_S)

    def _tidy(self) -> None:
        """Say what has come back, and let go of servers that nothing is asked of any more."""
        masters = self.masters()
        for node in list(self._away):
            if node.shared.is_connected or node not in masters:
                self._away.discard(node)
                _log.info("a server of the store is back" if node in masters else "the slots of a server that was away have another", node=node.shown)
        for address, node in list(self.nodes.items()):
            if node not in masters and time.monotonic() - node.used_at > _KEPT_S:
                del self.nodes[address]
                self._in_background(node.close())

    def _node_at(self, address: Address) -> Node:
        node = self.nodes.get(address)
        if node is None:
            node = self.nodes[address] = Node({**self._place.options, **address._asdict()}, self._limits, str(address), self._lost)
        node.used_at = time.monotonic()
        return node

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, context=Context())  # it belongs to no call
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _follow_clock(node: Node) -> None:
    with contextlib.suppress(StoreUnavailable):  # it is asked again
        await node.clock.open()
