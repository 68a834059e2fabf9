"""Matches, kept in the store and remembered by the worker.

The law of what is remembered: it may only end in a successful commit, which compares revisions. Every refusal and every read confirms it in the store first.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, NoReturn, TypeVar

from service.errors import ApiError, NotFound, SnapshotUnreadable, Unavailable
from service.matches.library import Entry, Library, decode_snapshot
from service.matches.match import Match
from service.matches.ports import MatchStore, Observer, Witness
from service.messages import MatchStatus
from service.store import CommitResult, Corrupt, StoreError, Timing

T = TypeVar("T")

_MOST_RACES = 16
_A_LITTLE_S = 0.02
_MOST_REMEMBERED = 1_024


class TooLate(Exception):
    """A decision's deadline passed before its answer could be committed; nothing was."""


class Held(NamedTuple):
    """A match as it lay in the store at a revision."""

    revision: int
    data: bytes


class _Nobody:
    """No witness."""

    def commit_begins(self, match_id: str) -> None: ...
    def commit_ends(self, match_id: str, revision: int, match: Match | None) -> None: ...
    def deleted(self, match_id: str) -> None: ...


class Repository:
    """Reads matches and changes them, one commit a change. ``witness`` is told of this worker's own commits."""

    def __init__(self, store: MatchStore, library: Library, observer: Observer) -> None:
        self._store = store
        self._library = library
        self._observer = observer
        self._remembered: OrderedDict[str, Held] = OrderedDict()
        self.witness: Witness = _Nobody()

    def now(self, match_id: str) -> int:
        """Return the store's clock, in milliseconds, as it is where the match lies: it judges the match's deadlines."""
        return self._store.now_ms(match_id)

    async def read(self, match_id: str) -> Match:
        """Return the match as it is now.

        Raises:
            NotFound: MATCH_NOT_FOUND.
        """
        held = self._remembered.get(match_id)
        if held is None or not await self._is_current(match_id, held):
            held = await self._load(match_id)
        return Match.open(match_id, held.data, self._library)

    async def newer(self, match_id: str, revision: int) -> tuple[int, Match] | None:
        """Return the match as it is now, with its revision; None if that is still the one given, which is all that is then read.

        Raises:
            NotFound: MATCH_NOT_FOUND.
        """
        current = await self._store.revision(match_id)
        if current is None:
            self._remembered.pop(match_id, None)
            raise _not_found(match_id)
        if current == revision:
            return None
        held = self._remembered.get(match_id)
        if held is None or held.revision != current:
            self._mistrust(match_id, held)
            held = await self._load(match_id)
        return held.revision, Match.open(match_id, held.data, self._library)

    async def create(self, match: Match) -> bool:
        """Store a new match; False if its id is taken."""
        created = await self._commit(match, 0) is CommitResult.COMMITTED
        if created:
            self._observer.match_created(match.record.game, match.record.mode)
        return created

    async def change(self, match_id: str, act: Callable[[Match], T]) -> tuple[Match, T]:
        """Let ``act`` change a match and commit what it did; a race that is lost begins again.

        ``act`` gets a match of its own. If it raises an ApiError or changes nothing, that is the answer once the store has confirmed what it was based on; what
        is answered without a change was done by an earlier call, and is waited for as that was.

        Raises:
            NotFound: MATCH_NOT_FOUND.
            Unavailable: too many races were lost in a row.
            TooLate: a deadline passed before the commit, or ``act`` says so.
            ApiError: what ``act`` raises.
        """
        held = self._remembered.get(match_id)
        for _ in range(_MOST_RACES):
            is_fresh = held is None
            if held is None:
                held = await self._load(match_id)
            match = Match.open(match_id, held.data, self._library)
            try:
                result = act(match)
            except (ApiError, TooLate):
                if is_fresh or await self._is_current(match_id, held):
                    raise
            else:
                if match.changed:
                    if await self._has_committed(match, held):
                        return match, result
                elif is_fresh or await self._is_current(match_id, held):
                    await self._store.settle(match_id)
                    return match, result
            held = None
        raise Unavailable("STORE_UNAVAILABLE", "too many moves at once; try again")

    async def entries(self, match: Match, after: int, count: int) -> list[tuple[int, Entry]]:
        """List log entries after a version, with their versions, oldest first, none beyond the match as it was opened.

        Raises:
            NotFound: MATCH_NOT_FOUND: it was deleted meanwhile.
            Unavailable: the store has lost steps since the match was read.
            SnapshotUnreadable: an entry is missing or is not one.
        """
        return [(version, match.hosted.decode_entry(data)) for version, data in await self.written_entries(match, after, count)]

    async def written_entries(self, match: Match, after: int, count: int) -> list[tuple[int, bytes]]:
        """List log entries as ``entries`` does, in their canonical bytes.

        Raises:
            NotFound, Unavailable, SnapshotUnreadable: as ``entries``.
        """
        last = min(match.record.version, after + count)
        stored = await self._store.entries(match.record.match_id, after, last, count)
        if [version for version, _ in stored] != list(range(after + 1, last + 1)):
            await self._explain_gap(match)
        return stored

    async def delete(self, match_id: str) -> None:
        """Delete a match with its log.

        Raises:
            NotFound: MATCH_NOT_FOUND.
        """
        self._remembered.pop(match_id, None)
        if not await self._store.delete(match_id):
            raise _not_found(match_id)
        self.witness.deleted(match_id)

    async def settle(self, match_id: str) -> None:
        """Wait until what an earlier call has done to a match is as durable as if this one had.

        Raises:
            StoreUnavailable: it is not, as far as is known.
        """
        await self._store.settle(match_id)

    async def forget(self, match_id: str) -> None:
        """Take a match that is gone off the store's list of due ones."""
        await self._store.forget_due(match_id)

    async def _explain_gap(self, match: Match) -> NoReturn:
        """Say why entries are missing that the match had when it was opened."""
        match_id = match.record.match_id
        now = decode_snapshot(match_id, (await self._load(match_id)).data)
        if now.origin != match.record.origin:
            raise _not_found(match_id)
        if now.version < match.record.version:
            raise Unavailable("STORE_UNAVAILABLE", "the store has lost the match's last steps; read it again")
        raise SnapshotUnreadable(match_id)

    async def _load(self, match_id: str) -> Held:
        stored = await self._store.load(match_id)
        if stored is None:
            self._remembered.pop(match_id, None)
            raise _not_found(match_id)
        held = Held(stored.revision, stored.snapshot)
        self._remember(match_id, held)
        return held

    async def _is_current(self, match_id: str, held: Held) -> bool:
        is_current = await self._store.revision(match_id) == held.revision
        if not is_current:
            self._mistrust(match_id, held)
        return is_current

    def _mistrust(self, match_id: str, held: Held | None) -> None:
        """Forget what is not in the store. It need not be an earlier revision: a store that has lost its last moments is behind what is remembered."""
        if held is not None and self._remembered.get(match_id) is held:
            del self._remembered[match_id]

    async def _has_committed(self, match: Match, held: Held) -> bool:
        """Commit what has changed; False if another was faster."""
        match await self._commit(match, held.revision):
            case CommitResult.GONE:
                raise _not_found(match.record.match_id)
            case CommitResult.CORRUPT:
                raise SnapshotUnreadable(match.record.match_id)
            case CommitResult.LATE:
                raise TooLate
            case CommitResult.EARLY:  # this worker's idea of the store's time is a little ahead
                await asyncio.sleep(_A_LITTLE_S)
                return False
            case CommitResult.CONFLICT:
                self._mistrust(match.record.match_id, held)
                self._observer.commit_conflicted(match.record.game)
                return False
            case _:
                return True

    async def _commit(self, match: Match, revision: int) -> CommitResult:
        record = match.record
        data = match.write()
        becomes = self._store.next_revision(record.match_id, revision)
        self.witness.commit_begins(record.match_id)
        committed: Match | None = None
        try:
            timing = Timing(match.due(), match.not_before, match.not_after)
            entries = match.written_entries
            result = await self._store.commit(record.match_id, revision, becomes, match.first_version - 1, data, entries, record.lifetime, timing)
            if result is CommitResult.COMMITTED:
                committed = match
                self._remember(record.match_id, Held(becomes, data))
                self._tell(match)
            self._observer.commit_ended(record.game, result._name_.lower())
        except BaseException as error:
            if isinstance(error, StoreError):
                self._observer.commit_ended(record.game, "corrupt" if isinstance(error, Corrupt) else "unavailable")
            self._remembered.pop(record.match_id, None)  # what is remembered may be behind now
            raise
        finally:
            self.witness.commit_ends(record.match_id, becomes, committed)
        return result

    def _remember(self, match_id: str, held: Held) -> None:
        known = self._remembered.get(match_id)
        if known is not None and known.revision >= held.revision:
            return
        self._remembered[match_id] = held
        self._remembered.move_to_end(match_id)
        if len(self._remembered) > _MOST_REMEMBERED:
            self._remembered.popitem(last=False)

    def _tell(self, match: Match) -> None:
        record = match.record
        for entry, answered in zip(match.entries, match.answered, strict=True):
            if answered is None:
                continue
            self._observer.move_applied(record.game, answered.kind, entry.cause)
            if answered.opened:
                self._observer.decision_answered(record.game, answered.kind, max(0, entry.time - answered.opened) / 1_000)
            if answered.is_missed:
                self._observer.deadline_missed(record.game, answered.kind)
        if match.entries and record.status is MatchStatus.FINISHED and record.outcome is not None:
            self._observer.match_finished(record.game, record.mode, record.outcome.reason)


def _not_found(match_id: str) -> NotFound:
    return NotFound("MATCH_NOT_FOUND", "there is no such match", {"match_id": match_id})
