"""The Redis servers behind the store: which of them has a match, and how it is reached."""

from collections.abc import Awaitable, Callable, Collection
from typing import Any, Protocol

from redis.exceptions import ReadOnlyError

from service.redis_place import Kind, Place, read_place
from service.store._cluster import Cluster
from service.store._node import Limits, Node
from service.store._sentinel import following
from service.store.keys import Keys


class Servers(Protocol):
    """All servers. A bucket of matches lies on one of them at a time, its ``home``.

    ``run`` and ``read`` raise what ``SharedConnection.run`` and ``Node.read`` raise.
    """

    @property
    def waiting(self) -> int:
        """How many commands were sent and are not answered."""

    async def open(self) -> None:
        """Begin to follow clocks and homes; raises StoreUnavailable if nobody answers, and goes on trying."""

    async def close(self) -> None:
        """End all connections; whoever still waits gets StoreUnavailable."""

    async def ping(self) -> None:
        """Ask whether any server answers that keeps matches."""

    def run(self, bucket: str, *command: Any) -> Awaitable[Any]:
        """Run a short command where the bucket lies."""

    def commit(self, bucket: str, *command: Any) -> Awaitable[Any]:
        """Run a command where the bucket lies, and wait until what it wrote is as durable as it shall be."""

    def read(self, bucket: str, *command: Any) -> Awaitable[Any]:
        """Run a command with a long answer where the bucket lies."""

    def home(self, bucket: str) -> Node | None:
        """Return where a bucket lies, as far as is known."""

    def masters(self) -> Collection[Node]:
        """List the servers that keep matches, as far as is known."""

    def is_away(self, bucket: str) -> bool:
        """Whether nobody could be reached a moment ago where the bucket lies, while others may well be."""

    def homes_change(self, tell: Callable[[], None]) -> None:
        """Say who is to be told when buckets have other homes."""

    def in_trouble(self, node: Node, error: Exception | None) -> None:
        """Take notice of a node that is away, or that says where else a bucket lies."""

    def now_ms(self, bucket: str) -> int:
        """Return the clock that judges the bucket's deadlines, as far as is known; without a bucket, any server's."""


class OneServer:
    """One Redis."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @property
    def client(self) -> Any:
        """redis-py's client for it."""
        return self._node.client

    @property
    def waiting(self) -> int:
        return self._node.waiting

    async def open(self) -> None:
        await self._node.clock.open()

    async def close(self) -> None:
        await self._node.close()

    async def ping(self) -> None:
        await self._node.ping()

    def run(self, bucket: str, *command: Any) -> Awaitable[Any]:
        del bucket
        return self._node.shared.run(*command)

    def commit(self, bucket: str, *command: Any) -> Awaitable[Any]:
        del bucket
        return self._node.commit(command)

    def read(self, bucket: str, *command: Any) -> Awaitable[Any]:
        del bucket
        return self._node.read(command)

    def home(self, bucket: str) -> Node | None:
        del bucket
        return self._node

    def masters(self) -> Collection[Node]:
        return (self._node,)

    def is_away(self, bucket: str) -> bool:
        del bucket
        return False  # there is nobody else who could be kept waiting

    def homes_change(self, tell: Callable[[], None]) -> None: ...

    def in_trouble(self, node: Node, error: Exception | None) -> None: ...

    def now_ms(self, bucket: str) -> int:
        del bucket
        return self._node.clock.now_ms()


class Master(OneServer):
    """The master of a group that sentinels watch: each connection asks them where it is.

    All leave it when one of them has found another: a master that was frozen or cut off goes on for a while as if it were one.
    """

    def __init__(self, place: Place, limits: Limits, lost: Callable[[], None]) -> None:
        super().__init__(Node(following(place, limits, self._moved), limits, lost=lost))

    def _moved(self) -> None:
        self._node.renew()

    async def run(self, bucket: str, *command: Any) -> Any:
        try:
            return await super().run(bucket, *command)
        except ReadOnlyError:  # it is the master no more
            self._node.renew()
            raise

    async def commit(self, bucket: str, *command: Any) -> Any:
        try:
            return await super().commit(bucket, *command)
        except ReadOnlyError:
            self._node.renew()
            raise


def servers_at(url: str, keys: Keys, limits: Limits, lost: Callable[[], None] = lambda: None) -> Servers:
    """Make the servers that an address names; ``lost`` is told of each connection that breaks.

    Raises:
        ValueError: it is no address.
    """
    place = read_place(url)
    match place.kind:
        case Kind.ONE:
            return OneServer(Node(place.options, limits, lost=lost))
        case Kind.SENTINEL:
            return Master(place, limits, lost)
        case Kind.CLUSTER:
            return Cluster(place, keys, limits, lost)
