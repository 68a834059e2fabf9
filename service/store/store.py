"""Matches in Redis: one hash and one stream each, one script a commit."""

import asyncio
import contextlib
import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from importlib.resources import files
from typing import Any, NamedTuple, Protocol, TypeVar

from redis.exceptions import NoScriptError

from service.store._durable import Durability
from service.store._link import REFUSALS
from service.store._node import Limits
from service.store._refusals import Refusals
from service.store.errors import Applied, Corrupt, StoreUnavailable, refusal
from service.store.keys import FIRST_BUCKET, Keys, bucket_of, is_match_id
from service.store.listening import Listening
from service.store.masters import Masters
from service.store.servers import servers_at

T = TypeVar("T")

_HELD_MS = 10_000
_PATIENCE_MS = 15_000
_REVISIONS = 1_000  # as many as a millisecond has: they are not to run ahead of the clock


class CommitResult(Enum):
    """What became of a commit."""

    COMMITTED = b"COMMITTED"
    CONFLICT = b"CONFLICT"
    """The match is at another revision, or exists already."""
    GONE = b"GONE"
    """There is no such match (any more): a deleted match is never brought back."""
    CORRUPT = b"CORRUPT"
    """What lies at its keys is not what this service wrote."""
    EARLY = b"EARLY"
    """It is too early for this commit, by the store's clock."""
    LATE = b"LATE"
    """It is too late for it."""


class Timing(NamedTuple):
    """Times of a commit in milliseconds since 1970, by the store's clock; 0: none.

    ``due`` is when the match is to be looked at next; ``not_before`` is the first moment at which the commit may happen, ``not_after`` the first at which it
    may not any more.
    """

    due: int = 0
    not_before: int = 0
    not_after: int = 0


_ANY_TIME = Timing()


class Stored(NamedTuple):
    """A match as it lies in the store."""

    revision: int
    snapshot: bytes


class Script:
    """A script of this package, known to Redis by its digest once it has run."""

    def __init__(self, name: str) -> None:
        self.text = files(__package__).joinpath(name).read_text(encoding="utf-8")
        self.digest = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


class StoreObserver(Protocol):
    """Who wants to know how long commands take, and of connections that break; ``outcome`` is "ok", a commit's result, "corrupt" or "unavailable"."""

    def observe(self, command: str, seconds: float, outcome: str) -> None: ...
    def connection_lost(self) -> None: ...


class Due(NamedTuple):
    """What lies in a bucket for a sweep: how many matches wait for a time, since when the first of them is due (milliseconds since 1970; 0: none is), and
    the ids of those that are due and that this worker is to take on.
    """

    waiting: int
    oldest: int
    match_ids: list[str]


class Store:
    """Keeps matches. All methods that wait raise StoreUnavailable within 2 s when Redis does not answer, with ``applied`` NO for whatever only reads.

    ``url`` is as ``redis_place.read_place`` reads it; ``answer_timeout`` and ``connect_timeout`` are seconds and limit a call together.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str = "umpire:",
        observer: StoreObserver | None = None,
        answer_timeout: float = 1.5,
        connect_timeout: float = 0.4,
        durability: Durability = Durability.NONE,
    ) -> None:
        self._keys = Keys(prefix)
        self._observer = observer
        self._refusals = Refusals()
        self._limits = Limits(answer_timeout, connect_timeout, durability)
        self._servers = servers_at(url, self._keys, self._limits, self._lost)
        self.listening = Listening(self._servers, self._keys, connect_timeout=self._limits.total, lost=self._lost)
        self.masters = Masters(self._servers)
        self._commit_script = Script("commit.lua")
        self._sweep_script = Script("sweep.lua")
        self._roster_script = Script("roster.lua")
        self._forget_script = Script("forget.lua")

    async def open(self) -> None:
        """Begin to follow the store's clock, and where its servers are.

        Raises:
            StoreUnavailable: Redis is away; it is looked for again and again all the same.
        """
        await self._servers.open()

    async def close(self) -> None:
        """End all connections; whoever still waits gets StoreUnavailable."""
        await self.masters.close()
        await self.listening.close()
        await self._servers.close()

    @property
    def waiting(self) -> int:
        """How many commands were sent and are not answered."""
        return self._servers.waiting

    async def ping(self) -> None:
        """Ask whether Redis answers; of a cluster, whether any master does."""
        await self._outcome("ping", self._servers.ping(), "")

    def now_ms(self, match_id: str = "") -> int:
        """Return the store's clock in milliseconds since 1970, as far as this worker knows it: that of the Redis which judges this match's deadlines."""
        return self._servers.now_ms(bucket_of(match_id))

    async def load(self, match_id: str) -> Stored | None:
        """Return a match, or None if there is none.

        Raises:
            Corrupt: something else lies there.
        """
        if not is_match_id(match_id):
            return None
        revision, snapshot = await self._run(match_id, "load", "HMGET", self._keys.match(match_id), "r", "s")
        if revision is None:  # what a creation that failed may have left is no match
            return None
        if snapshot is None or not revision.isdigit():
            raise Corrupt(match_id)
        return Stored(int(revision), snapshot)

    async def revision(self, match_id: str) -> int | None:
        """Return the revision of a match, or None if there is none: the cheapest way to know that it has not changed.

        Raises:
            Corrupt: something else lies there.
        """
        if not is_match_id(match_id):
            return None
        revision = await self._run(match_id, "revision", "HGET", self._keys.match(match_id), "r")
        if revision is None:
            return None
        if not revision.isdigit():
            raise Corrupt(match_id)
        return int(revision)

    def next_revision(self, match_id: str, revision: int) -> int:
        """Make the revision that follows one; after 0, a new match's first. It is not simply the next number: neither a match that was made again after it was
        deleted nor commits in the place of those that a fail-over has lost are to have a revision that was there before, else a worker that remembers it takes
        it for what is there.
        """
        return max(self.now_ms(match_id) * 1_000, revision) + 1 + secrets.randbelow(_REVISIONS)

    async def commit(
        self,
        match_id: str,
        expected_revision: int,
        new_revision: int,
        version_before: int,
        snapshot: bytes,
        entries: Sequence[bytes],
        ttl_ms: int,
        timing: Timing = _ANY_TIME,
    ) -> CommitResult:
        """Write a snapshot and the log entries of the versions after ``version_before``, if the match is still at the revision expected (0: is new).

        Raises:
            StoreUnavailable: NO: nothing was done; UNKNOWN: it was sent, and may still be carried out when Redis wakes up.
        """
        name, bucket = self._keys, bucket_of(match_id)
        keys = name.match(match_id), name.log(match_id), name.scratch(match_id), name.due(bucket), name.channel(bucket)
        arguments = (len(keys), *keys, expected_revision, new_revision, version_before, snapshot, ttl_ms, match_id, *timing, *entries)
        return await self._outcome("commit", self._commit(bucket, arguments), match_id, is_write=True)

    async def settle(self, match_id: str) -> None:
        """Wait until what was committed to a match before is as durable as a commit shall be: who asks again may be the first to have it acknowledged.

        Raises:
            StoreUnavailable: UNKNOWN: it is not, as far as is known.
        """
        if self._limits.durability is Durability.NONE:
            return
        # Redis waits for what the same connection has written last, so something has to be; it does not outlive the moment.
        writing = self._servers.commit(bucket_of(match_id), "SET", self._keys.scratch(match_id), "", "PX", 1)
        try:
            await self._outcome("settle", writing, match_id, is_write=True)
        except StoreUnavailable as error:
            raise StoreUnavailable(str(error), Applied.UNKNOWN) from error

    async def due_matches(self, buckets: Sequence[str], worker: str, most: int) -> dict[str, Due]:
        """Look what is due in these buckets, and hand out at most so many matches a bucket; what this worker gets, no other gets for ten seconds, or for
        five more if it is still due then. A bucket where nothing waits is not in the answer.

        Raises:
            StoreUnavailable: none of the buckets can be asked. Those of a server that is away are left out.
        """
        asked = [bucket for bucket in buckets if not self._servers.is_away(bucket)]  # nobody is held up by a server that was away a moment ago
        found = await asyncio.gather(*[self._due(bucket, worker, most) for bucket in asked], return_exceptions=True)
        due = {bucket: one for bucket, one in zip(asked, found, strict=True) if isinstance(one, Due)}
        failures = [one for one in found if isinstance(one, BaseException)]
        if failures and (len(failures) == len(asked) or not all(isinstance(one, StoreUnavailable) for one in failures)):
            raise failures[0]
        return due

    async def workers(self, worker: str, lifetime_ms: int) -> list[str]:
        """Say that a worker is there (for so long; 0: not any more) and list all who have said so."""
        arguments = (1, self._keys.workers(), worker, lifetime_ms)
        found = await self._outcome("workers", self._evaluate(self._servers.run, FIRST_BUCKET, self._roster_script, arguments), "", is_write=True)
        return [name.decode("ascii", "replace") for name in found]

    async def forget_due(self, match_id: str) -> None:
        """Take a match that is gone off the list of those that are due; one that was made again meanwhile stays there."""
        bucket = bucket_of(match_id)
        arguments = (2, self._keys.match(match_id), self._keys.due(bucket), match_id)
        await self._outcome("forget_due", self._evaluate(self._servers.run, bucket, self._forget_script, arguments), match_id, is_write=True)

    async def entries(self, match_id: str, after: int, up_to: int, count: int) -> list[tuple[int, bytes]]:
        """List log entries with their versions, those after one version and up to another, oldest first, at most ``count``.

        ``up_to`` must not be above the snapshot's version: what lies above it in the log does not exist.

        Raises:
            Corrupt: something else lies there.
        """
        if up_to <= after or count < 1 or not is_match_id(match_id):
            return []
        reading = self._servers.read(bucket_of(match_id), "XRANGE", self._keys.log(match_id), f"{after + 1}-0", f"{up_to}-0", "COUNT", count)
        found = await self._outcome("entries", reading, match_id)
        try:
            return [(int(entry_id.removesuffix(b"-0")), fields[b"e"]) for entry_id, fields in found]
        except (KeyError, ValueError) as error:
            raise Corrupt(match_id) from error

    async def delete(self, match_id: str) -> bool:
        """Delete a match with its log; False if there was none."""
        if not is_match_id(match_id):
            return False
        deleting = self._servers.commit(bucket_of(match_id), "DEL", self._keys.match(match_id), self._keys.log(match_id))
        deleted = bool(await self._outcome("delete", deleting, match_id, is_write=True))
        if deleted:
            with contextlib.suppress(StoreUnavailable):  # it is deleted; who is not told finds out
                await self._run(match_id, "tell", "SPUBLISH", self._keys.channel(bucket_of(match_id)), f"{match_id} 0")
        return deleted

    async def _run(self, match_id: str, name: str, *command: Any, is_write: bool = False) -> Any:
        return await self._outcome(name, self._servers.run(bucket_of(match_id), *command), match_id, is_write=is_write)

    async def _commit(self, bucket: str, arguments: tuple[Any, ...]) -> CommitResult:
        return _result(await self._evaluate(self._servers.commit, bucket, self._commit_script, arguments))

    async def _due(self, bucket: str, worker: str, most: int) -> Due | None:
        arguments = (2, self._keys.due(bucket), self._keys.sweeper(bucket), worker, _HELD_MS, most, _PATIENCE_MS)
        found = await self._outcome("due", self._evaluate(self._servers.run, bucket, self._sweep_script, arguments), "", is_write=True)
        if not found:
            return None
        waiting, oldest, *match_ids = found
        return Due(waiting, int(oldest), [match_id.decode("ascii", "replace") for match_id in match_ids])

    def _lost(self) -> None:
        if self._observer is not None:
            self._observer.connection_lost()

    async def _evaluate(self, run: Callable[..., Awaitable[Any]], bucket: str, script: Script, arguments: tuple[Any, ...]) -> Any:
        started = time.monotonic()
        try:
            return await run(bucket, "EVALSHA", script.digest, *arguments)
        except NoScriptError:  # Redis restarted, or was told to forget
            left = self._limits.total - (time.monotonic() - started)
        try:
            async with asyncio.timeout(left):
                return await run(bucket, "EVAL", script.text, *arguments)
        except TimeoutError as error:
            raise StoreUnavailable("the store did not answer in time", Applied.UNKNOWN) from error

    async def _outcome(self, name: str, answering: Awaitable[T], match_id: str, *, is_write: bool = False) -> T:
        """Wait for an answer; turn what is raised into the store's errors, and tell the observer."""
        started = time.perf_counter()
        outcome = "unavailable"
        try:
            answer = await answering
            outcome = answer._name_.lower() if isinstance(answer, CommitResult) else "ok"
        except StoreUnavailable as error:
            if is_write or error.applied is Applied.NO:
                raise
            raise StoreUnavailable(str(error)) from error
        except REFUSALS as error:
            # Refused is not done: loading, read-only, out of memory, cannot save, ...; and the script's last command is the commit.
            kind = refusal(error)
            if kind == "WRONGTYPE":
                outcome = "corrupt"
                raise Corrupt(match_id) from error
            self._refusals.tell(kind, name)
            raise StoreUnavailable(f"the store refused: {kind}") from error
        else:
            return answer
        finally:
            if self._observer is not None:
                self._observer.observe(name, time.perf_counter() - started, outcome)


def _result(reply: Any) -> CommitResult:
    try:
        return CommitResult(reply)
    except ValueError:  # what answers there is no Redis that ran our script
        raise StoreUnavailable("the store answered what it cannot mean", Applied.UNKNOWN) from None
