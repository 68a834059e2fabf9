"""Chance: the verifiable generator of a match, and a scripted one for tests.

The generator, to the byte, so that anyone can check a deal in any language:

- ``key = HMAC-SHA-256(seed, "umpire/1" || SHA-256(s1) || … || SHA-256(sn))``: ``seed`` is 32 bytes, ``s1 … sn`` the UTF-8 of the client seeds in the order
  of their seats (seats without one are left out). A house bot's key is ``HMAC-SHA-256(seed, "umpire/1/bot" || seat || version)``, both numbers as 8 bytes,
  big-endian.
- Block *i* (from 0) is ``HMAC-SHA-256(key, i as 8 bytes, big-endian)``; its value is its first 8 bytes, big-endian.
- ``below(n)``: take the next block's value *v*; while *v* >= 2**64 - 2**64 % n, take the next one; the result is *v* % n.
- ``shuffle``: for *i* from the last index down to 1: swap elements *i* and ``below(i + 1)``.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

import msgspec

T = TypeVar("T")

_BLOCKS = 1 << 64


class Draw(msgspec.Struct, frozen=True, array_like=True):
    """What chance gave, as the log keeps it: the draw's name and its results, each below its bound (for a shuffle: the swaps' indices in order)."""

    name: str
    results: tuple[int, ...]


class Chance(Protocol):
    """Where a game gets its chance from. Every draw has a name that says what it is for, for example ``"seat 1 deck"``."""

    position: int
    draws: list[Draw]

    def below(self, bound: int, name: str) -> int:
        """Draw an integer of 0 .. bound - 1, uniformly."""
        ...

    def shuffle(self, items: Iterable[T], name: str) -> list[T]:
        """Return the items in a uniformly drawn order."""
        ...

    def pick(self, items: Sequence[T], name: str) -> T:
        """Draw one of the items, uniformly."""
        ...


class Generator:
    """The generator of a match: deterministic from key and position."""

    def __init__(self, key: bytes | Callable[[], bytes], position: int = 0) -> None:
        """Take a key, or what derives it when something is first drawn: most moves draw nothing."""
        self._key = key
        self.position = position
        self.draws: list[Draw] = []

    def below(self, bound: int, name: str) -> int:
        value = self._below(bound)
        self.draws.append(Draw(name, (value,)))
        return value

    def shuffle(self, items: Iterable[T], name: str) -> list[T]:
        shuffled = list(items)
        results = []
        for last in range(len(shuffled) - 1, 0, -1):
            index = self._below(last + 1)
            results.append(index)
            shuffled[last], shuffled[index] = shuffled[index], shuffled[last]
        self.draws.append(Draw(name, tuple(results)))
        return shuffled

    def pick(self, items: Sequence[T], name: str) -> T:
        return items[self.below(len(items), name)]

    def _below(self, bound: int) -> int:
        if bound < 1:
            raise ValueError(f"nothing to draw from: bound {bound}")
        key = self._key if isinstance(self._key, bytes) else self._key()
        self._key = key
        limit = _BLOCKS - _BLOCKS % bound
        while True:
            block = hmac.digest(key, self.position.to_bytes(8, "big"), "sha256")
            self.position += 1
            value = int.from_bytes(block[:8], "big")
            if value < limit:
                return value % bound


class ScriptedChance:
    """Chance that hands out named outcomes, for tests.

    ``outcomes`` maps a draw's name to what it shall give: for ``below`` the integer, for ``pick`` the item, for ``shuffle`` the whole order.
    Draws that are not named there get what ``coming`` holds, one outcome after the other: a script of dice that are rolled again and again.
    A draw for which nothing is scripted is an error, so that no test depends on chance by accident; so is an outcome that the draw could not give.
    """

    def __init__(self, outcomes: Mapping[str, object], coming: Iterable[object] = ()) -> None:
        self._outcomes = dict(outcomes)
        self.coming = list(coming)
        self.position = 0
        self.draws: list[Draw] = []

    def below(self, bound: int, name: str) -> int:
        value = self._take(name)
        if not isinstance(value, int) or not 0 <= value < bound:
            raise ValueError(f"draw {name!r}: {value!r} is not below {bound}")
        return self._record(name, value)

    def shuffle(self, items: Iterable[T], name: str) -> list[T]:
        given = list(items)
        order = self._take(name)
        if not isinstance(order, Sequence) or sorted(map(repr, order)) != sorted(map(repr, given)):
            raise ValueError(f"draw {name!r}: {order!r} is no order of {given!r}")
        self._record(name)
        return list(order)

    def pick(self, items: Sequence[T], name: str) -> T:
        item = self._take(name)
        if item not in items:
            raise ValueError(f"draw {name!r}: {item!r} is none of {list(items)!r}")
        index = next(i for i, candidate in enumerate(items) if candidate == item)
        self._record(name, index)
        return items[index]

    def _take(self, name: str) -> object:
        if name in self._outcomes:
            return self._outcomes.pop(name)
        if self.coming:
            return self.coming.pop(0)
        raise ValueError(f"draw {name!r} is not scripted (or was drawn before)")

    def _record(self, name: str, value: int = 0) -> int:
        self.position += 1
        self.draws.append(Draw(name, (value,)))
        return value


def match_key(seed: bytes, client_seeds: Iterable[str] = ()) -> bytes:
    """Derive the key of a match's generator from its seed (32 bytes) and the client seeds, in the order of their seats."""
    mixed = b"".join(hashlib.sha256(text.encode()).digest() for text in client_seeds)
    return hmac.digest(seed, b"umpire/1" + mixed, "sha256")


def bot_key(seed: bytes, seat: int, version: int) -> bytes:
    """Derive the key of a house bot's own generator for the move that it makes at ``version``."""
    return hmac.digest(seed, b"umpire/1/bot" + seat.to_bytes(8, "big") + version.to_bytes(8, "big"), "sha256")


def commitment(seed: bytes) -> str:
    """Return what the server publishes before the deal: SHA-256 of the seed, in hexadecimal."""
    return hashlib.sha256(seed).hexdigest()
