"""The hub of a worker: knows which matches are watched, and looks at them when there is reason to."""

import asyncio
import contextlib
from itertools import count

from service.credentials import Credential
from service.errors import Unavailable, VersionAhead
from service.matches.access import require_valid
from service.matches.match import Match
from service.matches.ports import Notices, WatchObserver
from service.matches.repository import Repository
from service.matches.watching.looking import Looking, gone
from service.matches.watching.watch import Watch
from service.matches.watching.watched import Watched
from service.store import bucket_of

_PARTS = 8
_DRAIN_S = 3.0


class Hub:
    """Wakes those who watch; ``heartbeat`` (seconds) is how often each is woken in any case, after a look whether its match has changed unheard."""

    def __init__(self, repository: Repository, notices: Notices, observer: WatchObserver, *, heartbeat: float) -> None:
        self._looking = Looking(repository, self._drop)
        self._notices = notices
        self._observer = observer
        self._heartbeat = heartbeat
        self._watched: dict[str, Watched] = {}
        self._parts: list[dict[str, Watched]] = [{} for _ in range(_PARTS)]
        self._next_part = count()
        self._buckets: dict[str, dict[str, Watched]] = {}
        self._number = 0
        self._is_draining = False
        self._nobody_left = asyncio.Event()
        repository.witness = self
        notices.tell(self._changed, self._heard)

    def start(self) -> None:
        """Begin to send heartbeats."""
        self._looking.in_background(self._beat(), "heartbeats")

    async def drain(self) -> None:
        """End all watches with SERVER_DRAINING and wait, not for ever, until they are gone."""
        self._is_draining = True
        self._nobody_left.clear()
        for watched in list(self._watched.values()):
            self._looking.end(watched, _draining)
        if self._number:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN_S):
                    await self._nobody_left.wait()

    async def close(self) -> None:
        """Stop."""
        await self._looking.close()

    # ---- for those who watch

    async def watch(self, match_id: str, credential: Credential, viewer: int, since: int | None) -> tuple[Watch, Match]:
        """Begin to watch a match after a version, or (None) after the one that it has now; whoever does must ``leave``. The match is as it is now.

        Raises:
            NotFound: MATCH_NOT_FOUND.
            Unauthenticated: CREDENTIAL_INVALID.
            VersionAhead: there is no such version yet.
            Unavailable: SERVER_DRAINING.
        """
        if self._is_draining:
            raise _draining()
        watched = self._join(match_id)
        watch = Watch(self._looking, watched, credential, viewer)
        watched.watches.add(watch)
        self._number += 1
        self._observer.watchers_are(self._number)
        try:
            match = await self._looking.refresh(watched)
            watch.check()
            require_valid(match, credential, viewer)
            _require_not_ahead(since, match)
        except BaseException:
            self.leave(watch)
            raise
        watch.begun = match.record.version
        watch.version = watch.begun if since is None else since
        return watch, match

    def leave(self, watch: Watch) -> None:
        """Stop watching."""
        watched = watch.watched
        watched.watches.remove(watch)
        self._number -= 1
        self._observer.watchers_are(self._number)
        if not self._number:
            self._nobody_left.set()
        if not watched.watches:
            self._drop(watched)

    # ---- this worker's own commits

    def commit_begins(self, match_id: str) -> None:
        """Wait for the end of a commit rather than read what it makes, if the notice of it is faster."""
        watched = self._watched.get(match_id)
        if watched is not None:
            watched.commits += 1

    def commit_ends(self, match_id: str, revision: int, match: Match | None) -> None:
        """Tell what this worker has committed to those who watch it here."""
        watched = self._watched.get(match_id)
        if watched is None:
            return
        watched.commits = max(0, watched.commits - 1)  # it may have begun before anybody watched
        if match is not None and watched.revision:
            self._looking.take(watched, revision, match, list(enumerate(match.entries, match.first_version)))
        if watched.rung > watched.revision:
            self._looking.look(watched)

    def deleted(self, match_id: str) -> None:
        """End the watches of a match that is gone."""
        watched = self._watched.get(match_id)
        if watched is not None:
            self._looking.end(watched, lambda: gone(watched))

    # ---- what others have done

    def _changed(self, match_id: str, revision: int) -> None:
        watched = self._watched.get(match_id)
        if watched is None or 0 < revision <= watched.revision:
            return
        if revision and watched.commits:
            watched.rung = max(watched.rung, revision)
        else:
            self._looking.look(watched)

    def _heard(self, bucket: str) -> None:
        """Look at all of a bucket: what happened before it was heard was told to nobody."""
        for watched in self._buckets.get(bucket, {}).values():
            self._looking.look(watched)

    async def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            for part in self._parts:
                due += self._heartbeat / _PARTS
                await asyncio.sleep(due - loop.time())
                for watched in part.values():
                    watched.rest()
                    self._looking.look(watched, is_patient=False)  # the next heartbeat looks again
                    for watch in watched.watches:
                        watch.ring(beat=True)

    # ---- which are watched

    def _join(self, match_id: str) -> Watched:
        watched = self._watched.get(match_id)
        if watched is None:
            watched = self._watched[match_id] = Watched(match_id)
            self._parts[next(self._next_part) % _PARTS][match_id] = watched
            bucket = bucket_of(match_id)
            if bucket not in self._buckets:
                self._buckets[bucket] = {}
                self._notices.listen(bucket)
            self._buckets[bucket][match_id] = watched
        return watched

    def _drop(self, watched: Watched) -> None:
        match_id = watched.match_id
        if self._watched.get(match_id) is not watched:
            return
        del self._watched[match_id]
        for part in self._parts:
            part.pop(match_id, None)
        bucket = bucket_of(match_id)
        del self._buckets[bucket][match_id]
        if not self._buckets[bucket]:
            del self._buckets[bucket]
            self._notices.ignore(bucket)


def _require_not_ahead(since: int | None, match: Match) -> None:
    if since is not None and since > match.record.version:
        raise VersionAhead(match.record.version)


def _draining() -> Unavailable:
    return Unavailable("SERVER_DRAINING", "this worker is shutting down; resume at another")
