"""The matches that wait for a deadline, counted: every worker sees all of them, and each reports its share, so that the sum over workers is right."""

import time
from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

_KEPT_S = 10.0


class Seen(Protocol):
    """What a worker has seen in a bucket (``service.store.Due``)."""

    @property
    def waiting(self) -> int: ...
    @property
    def oldest(self) -> int: ...


class Windows:
    """What the sweep has seen. The workers that are there share the buckets by their order; a share holds as long as the worker's own word that it is there.

    When a worker dies, the others have its share after ``LIFETIME_MS``; what it said last is not scraped any more. A worker that cannot reach the store
    reports nothing: others may have its share already.
    """

    LIFETIME_MS: ClassVar[int] = 6_000

    def __init__(self, worker: str, buckets: Sequence[str]) -> None:
        self._worker = worker
        self._buckets = buckets
        self._share: frozenset[str] = frozenset()
        self._workers: list[str] = []
        self._share_ends = 0.0
        self._seen: dict[int, tuple[float, Mapping[str, Seen]]] = {}

    def share(self, workers: Sequence[str]) -> None:
        """Learn which workers are there, this one among them."""
        workers = sorted(workers)
        self._share_ends = time.monotonic() + self.LIFETIME_MS / 1_000
        if workers != self._workers:
            self._workers = workers
            self._share = frozenset(self._buckets[workers.index(self._worker) :: len(workers)]) if self._worker in workers else frozenset()

    def see(self, part: int, found: Mapping[str, Seen]) -> None:
        """Learn what lies in a part of the buckets: those where nothing waits are left out."""
        self._seen[part] = time.monotonic(), found

    def open(self) -> int:
        """Count the matches that wait, in this worker's share."""
        if time.monotonic() > self._share_ends:
            return 0
        return sum(seen.waiting for found in self._lately() for bucket, seen in found.items() if bucket in self._share)

    def oldest_overdue(self, now: int) -> float:
        """For how many seconds the oldest match of all is due, at a time in milliseconds; 0 if none is."""
        oldest = min((seen.oldest for found in self._lately() for seen in found.values() if seen.oldest), default=now)
        return max(0, now - oldest) / 1_000

    def _lately(self) -> list[Mapping[str, Seen]]:
        earliest = time.monotonic() - _KEPT_S
        return [found for at, found in self._seen.values() if at >= earliest]
