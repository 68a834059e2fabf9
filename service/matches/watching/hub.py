"""The hub of a worker: knows which matches are watched, and looks at them when there is reason to."""

import asyncio
import contextlib
from collections.abc import Coroutine
from itertools import count

import structlog

from service.credentials import Credential
from service.errors import ApiError, NotFound, SnapshotUnreadable, Unavailable, VersionAhead
from service.matches.access import require_valid
from service.matches.match import Match
from service.matches.ports import Notices, WatchObserver
from service.matches.repository import Repository
from service.matches.watching.watch import Watch
from service.matches.watching.watched import MOST_STEPS, Failure, Step, Watched
from service.store import Corrupt, StoreUnavailable, bucket_of

_log = structlog.get_logger("umpire.watching")

_PARTS = 8
_AGAIN_S = 1.0
_DRAIN_S = 3.0


class Hub:
    """Wakes those who watch; ``heartbeat`` (seconds) is how often each is woken in any case, after a look whether its match has changed unheard."""

    def __init__(self, repository: Repository, notices: Notices, observer: WatchObserver, *, heartbeat: float) -> None:
        self._repository = repository
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
        self._tasks: set[asyncio.Task[None]] = set()
        repository.witness = self
        notices.tell(self._changed, self._heard)

    def start(self) -> None:
        """Begin to send heartbeats."""
        self._in_background(self._beat(), "heartbeats")

    async def drain(self) -> None:
        """End all watches with SERVER_DRAINING and wait, not for ever, until they are gone."""
        self._is_draining = True
        self._nobody_left.clear()
        for watched in list(self._watched.values()):
            self._end(watched, _draining)
        if self._number:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN_S):
                    await self._nobody_left.wait()

    async def close(self) -> None:
        """Stop."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

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
        watch = Watch(self, watched, credential, viewer)
        watched.watches.add(watch)
        self._number += 1
        self._observer.watchers_are(self._number)
        try:
            match = await self._refresh(watched)
            watch.check()
            require_valid(match, credential, viewer)
            _require_not_ahead(since, match)
        except BaseException:
            self.leave(watch)
            raise
        watch.version = match.record.version if since is None else since
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

    async def read_on(self, watched: Watched, version: int) -> list[Step]:
        """Read the steps after a version; those who want the same ones at once share the reading."""
        if watched.reading is None:
            watched.reading = asyncio.Lock()
        async with watched.reading:
            found = watched.after(version)
            if found is None:
                match = watched.match or await self._refresh(watched)
                found = await self._repository.entries(match, version, MOST_STEPS)
                watched.keep(found)
        return found

    async def read_again(self, watched: Watched) -> Match:
        """Read the match as it is now, and keep it while something happens."""
        revision = watched.revision
        match = await self._refresh(watched)
        if watched.match is None and watched.revision == revision:
            watched.match, watched.is_used = match, True
        return match

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
            self._take(watched, revision, match, list(enumerate(match.entries, match.first_version)))
        if watched.rung > watched.revision:
            self._look(watched)

    def deleted(self, match_id: str) -> None:
        """End the watches of a match that is gone."""
        watched = self._watched.get(match_id)
        if watched is not None:
            self._end(watched, lambda: _gone(watched))

    # ---- what others have done

    def _changed(self, match_id: str, revision: int) -> None:
        watched = self._watched.get(match_id)
        if watched is None or 0 < revision <= watched.revision:
            return
        if revision and watched.commits:
            watched.rung = max(watched.rung, revision)
        else:
            self._look(watched)

    def _heard(self, bucket: str) -> None:
        """Look at all of a bucket: what happened before it was heard was told to nobody."""
        for watched in self._buckets.get(bucket, {}).values():
            self._look(watched)

    async def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            for part in self._parts:
                due += self._heartbeat / _PARTS
                await asyncio.sleep(due - loop.time())
                for watched in part.values():
                    watched.rest()
                    self._look(watched, is_patient=False)  # the next heartbeat looks again
                    for watch in watched.watches:
                        watch.ring(beat=True)

    # ---- looking

    def _look(self, watched: Watched, *, is_patient: bool = True) -> None:
        """Look at a match in the background; what comes in while that is done makes it look once more."""
        if watched.looking is not None:
            watched.again = True
        elif watched.watches:
            watched.looking = self._in_background(self._look_until_sure(watched, is_patient=is_patient), "look at a match")

    async def _look_until_sure(self, watched: Watched, *, is_patient: bool) -> None:
        try:
            while True:
                watched.again = False
                is_sure = await self._look_once(watched)
                if not is_sure and (is_patient or watched.again):
                    asyncio.get_running_loop().call_later(_AGAIN_S, self._look, watched)
                if not is_sure or not watched.again:
                    return
        finally:
            watched.looking = None

    async def _look_once(self, watched: Watched) -> bool:
        """Learn what the match is now; False if it could not be read. The steps are read once, for all who watch it."""
        match_id = watched.match_id
        try:
            newer = await self._repository.newer(match_id, watched.revision)
            if newer is None:
                return True
            revision, match = newer
            steps: list[Step] = []
            if watched.revision and 0 < match.record.version - watched.version <= MOST_STEPS:
                steps = await self._repository.entries(match, watched.version, MOST_STEPS)
            self._take(watched, revision, match, steps)
        except StoreUnavailable:
            return False
        except NotFound:
            self._end(watched, lambda: _gone(watched, self._repository.now()))
        except Unavailable as error:
            reason, message = error.reason, error.message
            self._end(watched, lambda: Unavailable(reason, message))
        except (ApiError, Corrupt):
            self._end(watched, lambda: SnapshotUnreadable(match_id))
        except Exception:  # noqa: BLE001 - whatever is wrong with one match, the others are looked at
            _log.exception("a match that is watched could not be read", match=match_id)
            return False
        return True

    async def _refresh(self, watched: Watched) -> Match:
        """Return the match as it is now, for sure."""
        held = watched.match
        newer = await self._repository.newer(watched.match_id, 0 if held is None else watched.revision)
        if newer is None and held is not None:
            return watched.match or held
        if newer is None:
            raise RuntimeError("no match has the revision 0")
        revision, match = newer
        if revision > watched.revision:
            self._take(watched, revision, match, [])
            watched.match = None  # whoever asked for it has it; most who come only wait
        return watched.match or match

    def _take(self, watched: Watched, revision: int, match: Match, steps: list[Step]) -> None:
        if revision <= watched.revision:
            return  # a reading that was overtaken
        created, seats, version, was_known = watched.created, watched.seats, watched.version, watched.revision
        watched.take(revision, match, steps)
        if was_known and created != watched.created:
            self._end(watched, lambda: _gone(watched))  # another match, made again under the same id
        elif was_known and seats != watched.seats:
            for watch in watched.watches:
                watch.look_at_credential(match)
                watch.ring()
        if version != watched.version:
            for watch in watched.watches:
                watch.ring()

    def _end(self, watched: Watched, failure: Failure) -> None:
        if watched.failure is None:
            watched.failure = failure
        for watch in watched.watches:
            watch.ring()
        self._drop(watched)  # whoever comes now begins anew

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

    def _in_background(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _require_not_ahead(since: int | None, match: Match) -> None:
    if since is not None and since > match.record.version:
        raise VersionAhead(match.record.version)


def _draining() -> Unavailable:
    return Unavailable("SERVER_DRAINING", "this worker is shutting down; resume at another")


def _gone(watched: Watched, now: int = 0) -> NotFound:
    if 0 < watched.expires <= now:
        return NotFound("MATCH_EXPIRED", "the match has outlived its time", {"match_id": watched.match_id})
    return NotFound("MATCH_NOT_FOUND", "there is no such match", {"match_id": watched.match_id})
