"""Listening for matches that change, by subscribing to the channels of the buckets that somebody cares about, each where its bucket lies.

What is told is a hint and no more: it may be lost with the connection. So whoever listens is also told when a bucket is heard (again), and looks then.
"""

import asyncio
from collections.abc import Callable

import structlog
from redis.exceptions import MovedError

from service.store._hearing import Hearing
from service.store._link import REFUSALS
from service.store._node import Node
from service.store.errors import refusal
from service.store.keys import Keys
from service.store.servers import Servers

_log = structlog.get_logger("umpire.store")

Changed = Callable[[str, int], None]
"""Told the id of a match that has changed, and the revision that it has now (0: it is gone)."""
Heard = Callable[[str], None]
"""Told a bucket that is heard from now on."""


class Listening:
    """Subscribes to buckets, for as long as it is kept open: one connection a server that has any of them. Times in seconds."""

    def __init__(self, servers: Servers, keys: Keys, *, connect_timeout: float, lost: Callable[[], None] = lambda: None) -> None:
        self._servers = servers
        self._keys = keys
        self._connect_timeout = connect_timeout
        self.lost = lost
        self._buckets: dict[bytes, str] = {}
        self._homes: dict[bytes, Node] = {}
        self._hearings: dict[Node, Hearing] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._changed: Changed = lambda _match_id, _revision: None
        self._heard: Heard = lambda _bucket: None
        self._refusals: set[str] = set()
        self._is_closed = False
        servers.homes_change(self._move)

    def tell(self, changed: Changed, heard: Heard) -> None:
        """Say who is to be told."""
        self._changed, self._heard = changed, heard

    def listen(self, bucket: str) -> None:
        """Begin to listen to a bucket; ``heard`` tells when it is heard."""
        channel = self._keys.channel(bucket).encode()
        self._buckets[channel] = bucket
        self._go_home(channel)

    def ignore(self, bucket: str) -> None:
        """Stop listening to a bucket."""
        channel = self._keys.channel(bucket).encode()
        self._buckets.pop(channel, None)
        self._go_home(channel)

    async def close(self) -> None:
        """End all connections for good."""
        self._is_closed = True
        await asyncio.gather(*(hearing.close() for hearing in self._hearings.values()), *self._closing)

    # ---- what is heard

    def heard(self, channel: bytes) -> None:
        """Tell that a bucket is heard."""
        self._heard(self._buckets[channel])

    def said(self, channel: bytes, content: bytes) -> None:
        """Tell that a match has changed."""
        match_id, _, revision = content.partition(b" ")
        if channel in self._buckets:
            self._changed(match_id.decode("ascii", "replace"), int(revision) if revision.isdigit() else 0)

    def trouble(self, node: Node, error: Exception | None) -> None:
        """Have it found out where the buckets lie now."""
        if isinstance(error, REFUSALS) and not isinstance(error, MovedError):
            kind = refusal(error)
            if kind not in self._refusals:
                self._refusals.add(kind)
                _log.warning("the store refuses to tell of changes", error=kind)
        self._servers.in_trouble(node, error)

    # ---- where it is heard

    def _move(self) -> None:
        """Listen where the buckets lie now."""
        for channel in list(self._buckets):
            self._go_home(channel)
        for node in set(self._hearings) - set(self._homes.values()):
            closing = asyncio.create_task(self._hearings.pop(node).close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _go_home(self, channel: bytes) -> None:
        """Hear a channel where its bucket lies, and nowhere else."""
        if self._is_closed:
            return
        bucket, before = self._buckets.get(channel), self._homes.get(channel)
        home = self._servers.home(bucket) if bucket is not None else None
        if home is before:
            return
        if before is not None:
            del self._homes[channel]
            self._hearings[before].ignore(channel)
        if home is not None:
            self._homes[channel] = home
            if home not in self._hearings:
                self._hearings[home] = Hearing(home, self, connect_timeout=self._connect_timeout)
            self._hearings[home].listen(channel)
