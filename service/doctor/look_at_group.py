"""Facts about the servers behind an address: which masters a cluster has, which one the sentinels name."""

import contextlib
from collections.abc import Callable, Mapping
from itertools import cycle
from typing import Any

import msgspec
from redis.connection import parse_url
from redis.crc import key_slot
from redis.exceptions import RedisError, ResponseError

from service.doctor.look_at_redis import NoAnswer, connected
from service.doctor.try_commands import in_short
from service.redis_place import Address, Kind, Place, read_place
from service.store import all_buckets, new_match_id
from service.store.keys import Keys


class Master(msgspec.Struct, frozen=True):
    """A server that takes moves: redis-py's options to reach it, how it is shown, its slots (None: all), how many replicas it has in the cluster."""

    options: Mapping[str, Any]
    shown: str = ""
    slots: tuple[range, ...] | None = None
    replicas: int = 0

    def ids(self, prefix: str) -> Callable[[], str] | None:
        """Return what makes ids of matches that lie there; None if none do."""
        if self.slots is None:
            return new_match_id
        buckets = [bucket for bucket in all_buckets() if any(key_slot(Keys(prefix).due(bucket).encode()) in slots for slots in self.slots)]
        turns = cycle(buckets)
        return (lambda: f"{next(turns)}{new_match_id()[3:]}") if buckets else None


class Group(msgspec.Struct, frozen=True):
    """All masters. ``silent`` are addresses of those named that gave no answer, with the reason; ``named`` is how often the sentinels name each master."""

    kind: Kind
    masters: tuple[Master, ...]
    silent: Mapping[str, str] = {}
    named: Mapping[str, int] = {}

    @property
    def slots(self) -> int:
        """How many slots of a cluster have a master."""
        return sum(len(slots) for master in self.masters for slots in master.slots or ())


def look_at_group(url: str) -> Group:
    """Find the masters.

    Raises:
        NoAnswer: nobody says where they are.
    """
    place = read_place(url, parse_url)
    match place.kind:
        case Kind.ONE:
            return Group(place.kind, (Master(place.options),))
        case Kind.SENTINEL:
            return _of_sentinels(place)
        case Kind.CLUSTER:
            return _of_cluster(place)


def _of_sentinels(place: Place) -> Group:
    silent: dict[str, str] = {}
    named: dict[str, int] = {}
    found: dict[str, Address] = {}
    tls = {name: value for name, value in place.options.items() if name == "connection_class"}
    for address in place.addresses:
        try:
            with connected({**place.sentinel_options, **tls, **_at(address)}) as client:
                answer = client.sentinel_get_master_addr_by_name(place.service)
        except NoAnswer as problem:
            silent[str(address)] = str(problem)
            continue
        if answer is None:
            silent[str(address)] = "it knows no master of this name"
            continue
        master = Address(answer[0].decode() if isinstance(answer[0], bytes) else str(answer[0]), int(answer[1]))
        found[str(master)] = master
        named[str(master)] = named.get(str(master), 0) + 1
    if not named:
        raise NoAnswer("; ".join(f"sentinel {address}: {problem}" for address, problem in silent.items()))
    most = max(named, key=lambda name: named[name])
    return Group(place.kind, (Master({**place.options, **_at(found[most])}, most),), silent, named)


def _of_cluster(place: Place) -> Group:
    silent: dict[str, str] = {}
    masters: tuple[Master, ...] = ()
    for address in place.addresses:
        try:
            with connected({**place.options, **_at(address)}) as client:
                masters = masters or _masters(place, address, client)
        except NoAnswer as problem:
            silent[str(address)] = str(problem)
    if not masters:
        raise NoAnswer("; ".join(f"{address}: {problem}" for address, problem in silent.items()) or "it is in no cluster")
    return Group(place.kind, masters, silent)


def _masters(place: Place, asked: Address, client: Any) -> tuple[Master, ...]:
    try:
        reply = client.execute_command("CLUSTER", "SLOTS")
    except ResponseError as error:
        raise NoAnswer(in_short(error)) from error
    slots: dict[Address, list[range]] = {}
    replicas: dict[Address, int] = {}
    for first, last, master, *others in reply:
        with contextlib.suppress(RedisError, ValueError):
            address = Address((master[0].decode() if isinstance(master[0], bytes) else str(master[0] or "")) or asked.host, int(master[1]))
            slots.setdefault(address, []).append(range(int(first), int(last) + 1))
            replicas[address] = len(others)
    return tuple(Master({**place.options, **_at(address)}, str(address), tuple(ranges), replicas[address]) for address, ranges in sorted(slots.items()))


def _at(address: Address) -> dict[str, Any]:
    return {"host": address.host, "port": address.port}
