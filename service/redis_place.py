"""Where the matches are kept, as an address says it: one Redis, the master that sentinels name, or a cluster."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from redis.asyncio.connection import parse_url

_CLUSTER, _SENTINEL = "+cluster", "+sentinel"
_PORT, _SENTINEL_PORT = 6379, 26379
_OF_SENTINELS = ("sentinel_username", "sentinel_password")


class Kind(Enum):
    """How many servers there are, and who says which of them has a match."""

    ONE = "one"
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Place(NamedTuple):
    """What an address says. ``options`` are redis-py's for a connection (they may hold a password); of one Redis they also say where it is.

    ``addresses`` are some nodes of the cluster, or the sentinels, whose own options are ``sentinel_options`` and whose name for the master is ``service``.
    """

    kind: Kind
    options: Mapping[str, Any]
    addresses: tuple[Address, ...] = ()
    service: str = ""
    sentinel_options: Mapping[str, Any] = {}


def read_place(url: str, read: Callable[[str], Any] = parse_url) -> Place:
    """Read an address: ``redis://``, ``rediss://``, ``unix://``; ``redis+cluster://`` and ``redis+sentinel://`` with one host or more, or with ``rediss``.

    ``read`` is redis-py's reading of an address of one server, of its asynchronous or of its blocking client.

    Raises:
        ValueError: it is none.
    """
    parts = urlsplit(url)
    base, plus, kind = parts.scheme.partition("+")
    if not plus:
        return Place(Kind.ONE, dict(read(url)))
    kind = plus + kind
    if base not in {"redis", "rediss"} or kind not in {_CLUSTER, _SENTINEL}:
        raise ValueError("the address begins with no scheme that is known")
    user, at, hosts = parts.netloc.rpartition("@")
    addresses = tuple(_address(host, _PORT if kind == _CLUSTER else _SENTINEL_PORT) for host in hosts.split(","))
    service, _, database = parts.path.strip("/").partition("/") if kind == _SENTINEL else ("", "", parts.path.strip("/"))
    # redis-py reads the rest, as if it were one server.
    options = dict(read(urlunsplit((base, f"{user}{at}localhost", database, parts.query, ""))))
    del options["host"]
    for_sentinels = {name.removeprefix("sentinel_"): options.pop(name) for name in _OF_SENTINELS if name in options}
    if kind == _CLUSTER:
        if options.pop("db", 0) or for_sentinels:
            raise ValueError("a cluster has one database and no sentinels")
        return Place(Kind.CLUSTER, options, addresses)
    if not service:
        raise ValueError("the name that the sentinels give to the master is missing")
    secrecy = {name: value for name, value in options.items() if name.startswith("ssl_")}
    return Place(Kind.SENTINEL, options, addresses, unquote(service), secrecy | for_sentinels)


def _address(text: str, default_port: int) -> Address:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.path:
        raise ValueError("a host is missing")
    return Address(parts.hostname, parts.port or default_port)
