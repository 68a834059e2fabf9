"""A Redis Cluster: where each slot is, learned from its servers, and corrected by what they answer. Serves ``servers``."""

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import structlog
from redis.crc import key_slot
from redis.exceptions import AskError, ClusterDownError, MovedError, TryAgainError

from service.redis_place import Address, Place
from service.store._link import REFUSALS
from service.store._node import Limits, Node
from service.store._race import first_answer
from service.store._slots import SlotMap, read_slots
from service.store.errors import Applied, StoreUnavailable, refusal
from service.store.keys import Keys, all_buckets

_log = structlog.get_logger("umpire.store")

_CALM_S = 5.0
_PAUSE_S = 0.1
_HEAD_START_S = 0.1
_MOST_ASKED = 8
_MOST_HOPS = 5
_TRY_AGAIN_S = 0.02
_KEPT_S = 15.0
_FAILURES = (StoreUnavailable, *REFUSALS)

Ask = Callable[[Node, bool], Awaitable[Any]]
"""Sends a command to a node; whether ASKING goes before it."""


class Cluster:
    """All masters of a cluster. One that is away harms its own slots only: each has connections of its own, and no call waits for another's."""

    def __init__(self, place: Place, keys: Keys, limits: Limits) -> None:
        self._place = place
        self._limits = limits
        self._slots = {bucket: key_slot(keys.due(bucket).encode()) for bucket in all_buckets()}
        self._sorted_slots = sorted(set(self._slots.values()))
        self._nodes: dict[Address, Node] = {}
        self._homes: dict[int, Node] = {}
        self._known: list[Address] = []
        self._away: set[Node] = set()
        self._tell: Callable[[], None] = lambda: None
        self._wanted = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._read_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    # ---- what the store asks

    async def open(self) -> None:
        self._in_background(self._keep_looking())
        await self._look()
        await asyncio.gather(*(_follow_clock(node) for node in self._masters()))

    async def close(self) -> None:
        self._is_closed = True
        tasks = [*self._tasks, *([self._reading] if self._reading is not None else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await asyncio.gather(*(node.close() for node in self._nodes.values()))

    async def ping(self) -> None:
        """Ask whether any master answers: without the others, most matches are still there."""
        if not self._homes:
            await self._look()
        await first_answer([partial(node.shared.run, "PING") for node in self._masters()], _FAILURES, head_start=0.0)

    def run(self, bucket: str, *command: Any) -> Awaitable[Any]:
        return self._ask(self._slots[bucket], lambda node, is_asking: (node.run_asking if is_asking else node.shared.run)(*command))

    def read(self, bucket: str, *command: Any) -> Awaitable[Any]:
        return self._ask(self._slots[bucket], lambda node, is_asking: node.read(command, is_asking=is_asking))

    def home(self, bucket: str) -> Node | None:
        return self._homes.get(self._slots[bucket])

    def is_away(self, bucket: str) -> bool:
        node = self.home(bucket)
        return node is not None and node.shared.has_failed_lately

    def homes_change(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def in_trouble(self, node: Node, error: Exception | None) -> None:
        if isinstance(error, MovedError):
            self._move(error, node)
            return
        is_gone = error is not None and not isinstance(error, REFUSALS) and not node.shared.is_connected
        if is_gone and node not in self._away and not self._is_closed:
            self._away.add(node)
            _log.warning("a server of the store is away", node=node.shown)
        self._wanted.set()

    def now_ms(self, bucket: str) -> int:
        """Return the clock of the node that has the bucket: each node judges by its own."""
        node = self._homes.get(self._slots[bucket]) if bucket else next(iter(self._homes.values()), None)
        return node.clock.now_ms() if node is not None else int(time.time() * 1000)

    # ---- following what the servers answer

    async def _ask(self, slot: int, ask: Ask) -> Any:
        node = self._homes.get(slot) or await self._find(slot)
        started = time.monotonic()
        try:
            return await ask(node, False)
        except (MovedError, AskError, TryAgainError) as error:  # none of these was carried out
            answer = error
        except (StoreUnavailable, ClusterDownError) as error:
            self.in_trouble(node, error)
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
                    node = self._move(answer, node)
                    hops += 1
                case AskError():  # the slot is on its way, and what was asked for is there already
                    node, is_asking = self._node_at(_target(answer, node)), True
                    hops += 1
                case _:  # TRYAGAIN: of several keys some are there already; it passes when the slot has arrived
                    if time.monotonic() > until:
                        raise StoreUnavailable("the store is moving this slot")
                    await asyncio.sleep(_TRY_AGAIN_S)
                    node, hops = self._homes.get(slot, node), 0
            try:
                return await ask(node, is_asking)
            except (MovedError, AskError, TryAgainError) as error:
                answer = error
            except (StoreUnavailable, ClusterDownError) as error:
                self.in_trouble(node, error)
                raise
        raise StoreUnavailable("the store's servers send this on and on")

    def _move(self, answer: MovedError, node: Node) -> Node:
        """Learn one slot's new home; the rest of the map will have changed too."""
        to = self._node_at(_target(answer, node))
        if self._homes.get(answer.slot_id) is not to:
            self._set_homes(self._homes | {answer.slot_id: to})
        self._wanted.set()
        return to

    # ---- the map

    async def _find(self, slot: int) -> Node:
        """Look where a slot is that has no home, but not all the time."""
        if time.monotonic() - self._read_at > _PAUSE_S:
            await self._look()
        node = self._homes.get(slot)
        if node is None:
            raise StoreUnavailable("no server of the store has this slot")
        return node

    async def _look(self) -> None:
        """Read the map anew; whoever comes meanwhile waits for the same answer."""
        if self._is_closed:
            raise StoreUnavailable("the store is closed")
        reading = self._reading
        if reading is None:
            reading = self._reading = asyncio.create_task(self._read_map(), name="look for the store's servers")
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
        well = [node.shown for node in self._masters() if node.shared.is_connected]
        known = random.sample(self._known, len(self._known))  # a worker that always asked the same one would believe it alone
        first = sorted(known, key=lambda address: str(address) not in well)[:_MOST_ASKED]
        asked = list(dict.fromkeys([*first, *self._place.addresses]))
        found = await first_answer([partial(self._ask_for_map, address) for address in asked], _FAILURES, head_start=_HEAD_START_S)
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
            self._tell()

    async def _keep_looking(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CALM_S):
                    await self._wanted.wait()
            self._wanted.clear()
            with contextlib.suppress(StoreUnavailable):
                await self._look()
            self._tidy()
            await asyncio.sleep(_PAUSE_S)

    def _tidy(self) -> None:
        """Say what has come back, and let go of servers that nothing is asked of any more."""
        masters = self._masters()
        for node in list(self._away):
            if node.shared.is_connected or node not in masters:
                self._away.discard(node)
                _log.info("a server of the store is back" if node in masters else "the slots of a server that was away have another", node=node.shown)
        for address, node in list(self._nodes.items()):
            if node not in masters and time.monotonic() - node.used_at > _KEPT_S:
                del self._nodes[address]
                self._in_background(node.close())

    def _masters(self) -> set[Node]:
        return set(self._homes.values())

    def _node_at(self, address: Address) -> Node:
        node = self._nodes.get(address)
        if node is None:
            node = self._nodes[address] = Node({**self._place.options, "host": address.host, "port": address.port}, self._limits, str(address))
        node.used_at = time.monotonic()
        return node

    def _in_background(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _target(answer: AskError, node: Node) -> Address:
    """Read where an answer points; without a host it is that of the server that gave it."""
    return Address(answer.host or node.shown.rpartition(":")[0].strip("[]"), answer.port)


async def _follow_clock(node: Node) -> None:
    with contextlib.suppress(StoreUnavailable):  # it is asked again
        await node.clock.open()
