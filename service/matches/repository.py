"""Matches, kept in the store and remembered by the worker.

The law of what is remembered: it may only end in a successful commit, which compares revisions. Every refusal and every read confirms it in the store first.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from service.errors import ApiError, NotFound, SnapshotUnreadable, Unavailable
from service.matches.library import Entry, Library
from service.matches.match import Match
from service.matches.ports import MatchStore, Observer
from service.messages import MatchStatus
from service.store import CommitResult

T = TypeVar("T")

_MOST_RACES = 16
_MOST_REMEMBERED = 1_024


class Held(NamedTuple):
    """A match as it lay in the store at a revision."""

    revision: int
    data: bytes


class Repository:
    """Reads matches and changes them, one commit a change."""

    def __init__(self, store: MatchStore, library: Library, observer: Observer) -> None:
        self._store = store
        self._library = library
        self._observer = observer
        self._remembered: OrderedDict[str, Held] = OrderedDict()

    def now(self) -> int:
        """Return the store's clock, in milliseconds."""
        return self._store.now_ms()

    async def read(self, match_id: str) -> Match:
        """Return the match as it is now.

        Raises:
            NotFound: MATCH_NOT_FOUND.
        """
        held = self._remembered.get(match_id)
        if held is None or not await self._is_current(match_id, held):
            held = await self._load(match_id)
        return Match.open(match_id, held.data, self._library)

    async def create(self, match: Match) -> bool:
        """Store a new match; False if its id is taken."""
        created = await self._commit(match, 0) is CommitResult.COMMITTED
        if created:
            self._observer.match_created(match.record.game, match.record.mode)
        return created

    async def change(self, match_id: str, act: Callable[[Match], T]) -> tuple[Match, T]:
        """Let ``act`` change a match and commit what it did; a race that is lost begins again.

        ``act`` gets a match of its own. If it raises an ApiError or changes nothing, that is the answer once the store has confirmed what it was based on.

        Raises:
            NotFound: MATCH_NOT_FOUND.
            Unavailable: too many races were lost in a row.
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
            except ApiError:
                if is_fresh or await self._is_current(match_id, held):
                    raise
            else:
                if match.changed:
                    if await self._has_committed(match, held):
                        return match, result
                elif is_fresh or await self._is_current(match_id, held):
                    return match, result
            held = None
        raise Unavailable("STORE_UNAVAILABLE", "too many moves at once; try again")

    async def entries(self, match: Match, after: int, count: int) -> list[tuple[int, Entry]]:
        """List log entries after a version, with their versions, oldest first, none beyond the match as it was opened.

        Raises:
            SnapshotUnreadable: an entry is missing or is not one.
        """
        last = min(match.record.version, after + count)
        stored = await self._store.entries(match.record.match_id, after, last, count)
        if [version for version, _ in stored] != list(range(after + 1, last + 1)):
            if await self._store.revision(match.record.match_id) is None:
                raise _not_found(match.record.match_id)
            raise SnapshotUnreadable(match.record.match_id)
        return [(version, match.hosted.decode_entry(data)) for version, data in stored]

    async def delete(self, match_id: str) -> None:
        """Delete a match with its log.

        Raises:
            NotFound: MATCH_NOT_FOUND.
        """
        self._remembered.pop(match_id, None)
        if not await self._store.delete(match_id):
            raise _not_found(match_id)

    async def _load(self, match_id: str) -> Held:
        stored = await self._store.load(match_id)
        if stored is None:
            self._remembered.pop(match_id, None)
            raise _not_found(match_id)
        held = Held(stored.revision, stored.snapshot)
        self._remember(match_id, held)
        return held

    async def _is_current(self, match_id: str, held: Held) -> bool:
        return await self._store.revision(match_id) == held.revision

    async def _has_committed(self, match: Match, held: Held) -> bool:
        """Commit what has changed; False if another was faster."""
        match await self._commit(match, held.revision):
            case CommitResult.GONE:
                raise _not_found(match.record.match_id)
            case CommitResult.CORRUPT:
                raise SnapshotUnreadable(match.record.match_id)
            case CommitResult.CONFLICT:
                self._observer.commit_conflicted(match.record.game)
                return False
            case _:
                return True

    async def _commit(self, match: Match, revision: int) -> CommitResult:
        record = match.record
        data = match.write()
        becomes = revision + 1 if revision else self._store.first_revision()
        try:
            result = await self._store.commit(record.match_id, revision, becomes, match.first_version - 1, data, match.written_entries, record.ttl)
        except BaseException:
            self._remembered.pop(record.match_id, None)  # what is remembered may be behind now
            raise
        if result is CommitResult.COMMITTED:
            self._remember(record.match_id, Held(becomes, data))
            self._tell(match)
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
        for entry, kind in zip(match.entries, match.kinds, strict=True):
            if kind:
                self._observer.move_applied(record.game, kind, entry.cause)
        if match.entries and record.status is MatchStatus.FINISHED and record.outcome is not None:
            self._observer.match_finished(record.game, record.mode, record.outcome.reason)


def _not_found(match_id: str) -> NotFound:
    return NotFound("MATCH_NOT_FOUND", "there is no such match", {"match_id": match_id})
