"""Matches in Redis: one hash and one stream each, one script a commit."""

import asyncio
import contextlib
import hashlib
import secrets
import time
from collections.abc import Sequence
from enum import Enum
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

from redis.asyncio import ConnectionPool, Redis
from redis.exceptions import NoScriptError, ResponseError

from service.store.errors import Applied, Corrupt, StoreUnavailable
from service.store.keys import Keys, is_match_id
from service.store.shared_connection import LOST, SharedConnection

_ANSWER_S = 1.5
_CONNECT_S = 0.4
_CLOCK_S = 5.0

_COMMIT = files(__package__).joinpath("commit.lua").read_text(encoding="utf-8")

# Redis refuses these before it does anything: loading, read-only replica, out of memory, cannot save, no quorum, cluster down.
_CANNOT_WRITE = ("LOADING", "READONLY", "OOM", "MISCONF", "NOREPLICAS", "CLUSTERDOWN", "MASTERDOWN", "BUSY", "TRYAGAIN")


class CommitResult(Enum):
    """What became of a commit."""

    COMMITTED = b"COMMITTED"
    CONFLICT = b"CONFLICT"
    GONE = b"GONE"
    CORRUPT = b"CORRUPT"


class Stored(NamedTuple):
    """A match as it lies in the store."""

    revision: int
    snapshot: bytes


class StoreObserver(Protocol):
    """Who wants to know how long commands take; ``outcome`` is "ok", a commit's result, or "unavailable"."""

    def observe(self, command: str, seconds: float, outcome: str) -> None: ...


class Store:
    """Keeps matches. All methods raise StoreUnavailable within 2 s when Redis does not answer."""

    def __init__(self, url: str, *, prefix: str = "umpire:", observer: StoreObserver | None = None) -> None:
        self._keys = Keys(prefix)
        self._observer = observer
        pool = ConnectionPool.from_url(url, socket_timeout=_ANSWER_S, socket_connect_timeout=_CONNECT_S, retry=None)
        self._client = Redis(connection_pool=pool)
        self._shared = SharedConnection(pool, answer_timeout=_ANSWER_S, connect_timeout=_CONNECT_S)
        self._script = hashlib.sha1(_COMMIT.encode(), usedforsecurity=False).hexdigest()
        self._clock_offset_ms = 0.0
        self._clock: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin to follow the store's clock.

        Raises:
            StoreUnavailable: Redis is away; it is looked for again and again all the same.
        """
        self._clock = asyncio.create_task(self._follow_clock(), name="follow the store's clock")
        await self._read_clock()

    async def close(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
        await self._shared.close()
        with contextlib.suppress(*LOST):
            await self._client.aclose()

    async def ping(self) -> None:
        """Ask whether Redis answers."""
        await self._run("ping", "PING")

    def now_ms(self) -> int:
        """Return the store's clock in milliseconds since 1970, as far as this worker knows it."""
        return int(time.time() * 1000 + self._clock_offset_ms)

    async def load(self, match_id: str) -> Stored | None:
        """Return a match, or None if there is none.

        Raises:
            Corrupt: something else lies there.
        """
        if not is_match_id(match_id):
            return None
        try:
            revision, snapshot = await self._run("load", "HMGET", self._keys.match(match_id), "r", "s")
        except ResponseError as error:
            raise Corrupt(match_id) from error
        if revision is None:  # what a creation that failed may have left is no match
            return None
        if snapshot is None or not revision.isdigit():
            raise Corrupt(match_id)
        return Stored(int(revision), snapshot)

    async def revision(self, match_id: str) -> int | None:
        """Return the revision of a match, or None if there is none: the cheapest way to know that it has not changed."""
        if not is_match_id(match_id):
            return None
        try:
            revision = await self._run("revision", "HGET", self._keys.match(match_id), "r")
        except ResponseError as error:
            raise Corrupt(match_id) from error
        return None if revision is None else int(revision)

    def first_revision(self) -> int:
        """Make the revision of a new match: larger than any of a match of the same id that was deleted before, so that no memory of that one can pass."""
        return self.now_ms() * 1_000 + secrets.randbelow(1_000)

    async def commit(
        self, match_id: str, expected_revision: int, new_revision: int, version_before: int, snapshot: bytes, entries: Sequence[bytes], ttl_ms: int
    ) -> CommitResult:
        """Write a snapshot and the log entries of the versions after ``version_before``, if the match is still at the revision expected (0: is new)."""
        keys = self._keys.match(match_id), self._keys.log(match_id), self._keys.scratch(match_id)
        arguments = (3, *keys, expected_revision, new_revision, version_before, snapshot, ttl_ms, *entries)
        started = time.perf_counter()
        outcome = "unavailable"
        try:
            try:
                answer = await self._shared.run("EVALSHA", self._script, *arguments)
            except NoScriptError:
                answer = await self._shared.run("EVAL", _COMMIT, *arguments)
            result = CommitResult(answer)
            outcome = result.name.lower()
        except ResponseError as error:
            # The script's last command is the commit: an error means that nothing was done.
            raise StoreUnavailable(f"the store refused to commit: {_kind(error)}") from error
        else:
            return result
        finally:
            self._observe("commit", started, outcome)

    async def entries(self, match_id: str, after: int, up_to: int, count: int) -> list[tuple[int, bytes]]:
        """List log entries with their versions, those after one version and up to another, oldest first, at most ``count``.

        ``up_to`` must not be above the snapshot's version: what lies above it in the log does not exist.

        Raises:
            Corrupt: something else lies there.
        """
        if up_to <= after or count < 1:
            return []
        started = time.perf_counter()
        outcome = "unavailable"
        try:
            found: Any = await self._client.xrange(self._keys.log(match_id), f"{after + 1}-0", f"{up_to}-0", count=count)
            outcome = "ok"
            return [(int(entry_id.partition(b"-")[0]), fields[b"e"]) for entry_id, fields in found]
        except ResponseError as error:
            if _kind(error) in _CANNOT_WRITE:
                raise StoreUnavailable(f"the store does not read: {_kind(error)}") from error
            raise Corrupt(match_id) from error
        except (KeyError, ValueError) as error:
            raise Corrupt(match_id) from error
        except LOST as error:
            raise StoreUnavailable(f"the store does not answer: {type(error).__name__}") from error
        finally:
            self._observe("entries", started, outcome)

    async def delete(self, match_id: str) -> bool:
        """Delete a match with its log; False if there was none."""
        if not is_match_id(match_id):
            return False
        # The match first: a log without a match does not exist for anybody, and the next commit clears it away.
        return bool(await self._run("delete", "DEL", self._keys.match(match_id), self._keys.log(match_id), is_write=True))

    async def _run(self, name: str, *command: Any, is_write: bool = False) -> Any:
        started = time.perf_counter()
        outcome = "unavailable"
        try:
            answer = await self._shared.run(*command)
            outcome = "ok"
        except StoreUnavailable as error:
            raise (error if is_write else StoreUnavailable(str(error))) from error
        except ResponseError as error:
            if _kind(error) in _CANNOT_WRITE:
                raise StoreUnavailable(f"the store does not serve: {_kind(error)}") from error
            raise
        else:
            return answer
        finally:
            self._observe(name, started, outcome)

    def _observe(self, command: str, started: float, outcome: str) -> None:
        if self._observer is not None:
            self._observer.observe(command, time.perf_counter() - started, outcome)

    async def _follow_clock(self) -> None:
        while True:
            await asyncio.sleep(_CLOCK_S)
            with contextlib.suppress(StoreUnavailable):
                await self._read_clock()

    async def _read_clock(self) -> None:
        before = time.time()
        seconds, microseconds = await self._run("time", "TIME")
        there = int(seconds) + int(microseconds) / 1_000_000
        self._clock_offset_ms = (there - (before + time.time()) / 2) * 1000


def _kind(error: ResponseError) -> str:
    """Return an error's first word; redis-py takes it off the texts of the errors that it knows."""
    known = {"ReadOnlyError": "READONLY", "BusyLoadingError": "LOADING", "OutOfMemoryError": "OOM", "TryAgainError": "TRYAGAIN"}
    return known.get(type(error).__name__) or str(error).split(" ", 1)[0]


__all__ = ["Applied", "CommitResult", "Store", "StoreObserver", "Stored"]
