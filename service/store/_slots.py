"""Which server of a cluster has which slots, as one of them says it. Serves ``_cluster``."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from service.redis_place import Address


class SlotMap(NamedTuple):
    """The master of each slot that was asked about and has one, and where all servers listen, masters first."""

    masters: dict[int, Address]
    everybody: list[Address]


def read_slots(reply: Any, asked: Address, slots: Sequence[int]) -> SlotMap:
    """Read an answer to CLUSTER SLOTS for these slots, which are sorted. A server that does not know its own name has the one under which it was ``asked``.

    Raises:
        ValueError, TypeError, IndexError: it is none.
    """
    masters: dict[int, Address] = {}
    others: list[Address] = []
    for first, last, *servers in reply:
        master, *replicas = [_address(server, asked) for server in servers]
        others += [replica for replica in replicas if replica is not None]
        if master is not None:
            masters |= dict.fromkeys(slots[bisect_left(slots, int(first)) : bisect_right(slots, int(last))], master)
    return SlotMap(masters, list(dict.fromkeys([*masters.values(), *others])))


def _address(server: Sequence[Any], asked: Address) -> Address | None:
    host, port = server[0], int(server[1])
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    if name == "?":  # it is told to call servers by names, and does not know this one's yet
        return None
    return Address(name or asked.host, port)
