"""What each master says of itself: how full it is, whether its disk takes what is written, and how many replicas follow it."""

import asyncio
import re
from collections.abc import Mapping
from contextvars import Context
from typing import Any, NamedTuple

import structlog

from service.store._link import REFUSALS
from service.store._node import Node
from service.store.errors import StoreUnavailable, refusal
from service.store.servers import Servers

_log = structlog.get_logger("umpire.store")

_EVERY_S = 15.0
_A_REPLICA = re.compile(rb"slave\d+")
_OF_THE_DISK = (b"aof_last_write_status", b"aof_last_bgrewrite_status", b"rdb_last_bgsave_status")


class Master(NamedTuple):
    """Bytes that a server holds, and that it may hold (0: it has no limit, or tells none); whether its last write of any kind to its disk failed; how many
    replicas have all that it holds and follow it (None: it does not tell).
    """

    used: int
    limit: int
    disk_fails: bool = False
    replicas: int | None = None


class Masters:
    """Asks all masters every few seconds, beside the calls. ``known`` is what the last round found, by ``host:port``: who did not answer is not in it.

    It is no part of ``umpire_store_seconds``: a user of Redis that may not ask is well otherwise, and must not count as a store that fails.
    """

    def __init__(self, servers: Servers) -> None:
        self.known: Mapping[str, Master] = {}
        self._servers = servers
        self._task: asyncio.Task[None] | None = None
        self._has_told = False

    def start(self) -> None:
        """Begin to ask."""
        self._task = asyncio.create_task(self._keep_looking(), name="look how the masters are", context=Context())

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def look(self) -> None:
        """Ask once. Nothing that goes wrong with it is an error: then it is not known."""
        found = await asyncio.gather(*(self._ask(node) for node in self._servers.masters()))
        self.known = dict(one for one in found if one is not None)

    async def _keep_looking(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(_EVERY_S)

    async def _ask(self, node: Node) -> tuple[str, Master] | None:
        try:
            master = _read(await node.shared.run("INFO", "memory", "persistence", "replication"))
        except StoreUnavailable:
            return None  # it is said elsewhere
        except REFUSALS as error:
            self._tell_once(node, refusal(error))
            return None
        except (ValueError, KeyError):
            self._tell_once(node, "the answer has no used_memory")
            return None
        return node.shared.peer, master

    def _tell_once(self, node: Node, why: str) -> None:
        if not self._has_told:
            self._has_told = True
            _log.info("the store does not tell how full it is", node=node.shared.peer, reason=why)


def _read(reply: Any) -> Master:
    if not isinstance(reply, bytes):
        raise ValueError("no text")  # noqa: TRY004 - as for any other text that is none of INFO's
    fields = dict(line.split(b":", 1) for line in reply.split(b"\r\n") if b":" in line)
    fails = any(fields.get(name, b"ok") != b"ok" for name in _OF_THE_DISK)
    return Master(int(fields[b"used_memory"]), int(fields.get(b"maxmemory", 0)), fails, _replicas(fields))


def _replicas(fields: Mapping[bytes, bytes]) -> int | None:
    """Count those that are online: one that is still being sent everything is connected, and no copy yet."""
    if b"connected_slaves" not in fields:
        return None
    return sum(_A_REPLICA.fullmatch(name) is not None and b"state=online" in value.split(b",") for name, value in fields.items())
