"""Looking at matches that are watched: what is read is read once, for all who watch."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import Context

import structlog

from engines.kit.digest import chain
from service.errors import ApiError, NotFound, SnapshotUnreadable, Unavailable
from service.matches.match import Match
from service.matches.repository import Repository
from service.matches.watching.watched import MOST_STEPS, Failure, Step, Watched
from service.store import Corrupt, StoreUnavailable

_log = structlog.get_logger("umpire.watching")

_AGAIN_S = 1.0


class Looking:
    """Reads matches and tells those who watch them; ``drop`` is told of those that have come to an end for all who watch."""

    def __init__(self, repository: Repository, drop: Callable[[Watched], None]) -> None:
        self._repository = repository
        self._drop = drop
        self._tasks: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Stop."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def look(self, watched: Watched, *, is_patient: bool = True) -> None:
        """Look at a match in the background; what comes in while that is done makes it look once more."""
        if watched.looking is not None:
            watched.again = True
        elif watched.watches:
            watched.looking = self.in_background(self._look_until_sure(watched, is_patient=is_patient), "look at a match")

    async def _look_until_sure(self, watched: Watched, *, is_patient: bool) -> None:
        try:
            while True:
                watched.again = False
                is_sure = await self._look_once(watched)
                if not is_sure and (is_patient or watched.again):
                    asyncio.get_running_loop().call_later(_AGAIN_S, self.look, watched)
                if not is_sure or not watched.again:
                    return
        finally:
            watched.looking = None

    async def _look_once(self, watched: Watched) -> bool:
        """Learn what the match is now; False if it could not be read. The steps are read once, for all who watch it."""
        match_id = watched.match_id
        try:
            await self._learn(watched, watched.revision)
        except StoreUnavailable:
            return False
        except NotFound:
            self._is_gone(watched)
        except Unavailable as error:
            reason, message = error.reason, error.message
            self.end(watched, lambda: Unavailable(reason, message))
        except (ApiError, Corrupt):
            self.end(watched, lambda: SnapshotUnreadable(match_id))
        except Exception:  # noqa: BLE001 - whatever is wrong with one match, the others are looked at
            _log.exception("a match that is watched could not be read", match=match_id)
            return False
        return True

    async def refresh(self, watched: Watched) -> Match:
        """Return the match as it is now, for sure."""
        held, revision = watched.match, watched.revision
        match = await self._learn(watched, 0 if held is None else revision)
        if match is None and held is not None:
            return watched.match or held
        if match is None:
            raise RuntimeError("no match has the revision 0")
        if watched.match is match and watched.revision > revision:
            watched.match = None  # whoever asked for it has it; most who come only wait
        return watched.match or match

    async def _learn(self, watched: Watched, revision: int) -> Match | None:
        """Read the match and take it, if it is not at this revision any more."""
        known, version, digest = watched.revision, watched.version, watched.digest
        newer = await self._repository.newer(watched.match_id, revision)
        if newer is None:
            return None
        became, match = newer
        steps: list[Step] = []
        follows = became >= known
        if follows and known and 0 < match.record.version - version <= MOST_STEPS:
            for number, written in await self._repository.written_entries(match, version, MOST_STEPS):
                steps.append((number, match.hosted.decode_entry(written)))
                digest = chain(digest, written)
            follows = digest == match.record.digest
        if follows or match.record.origin != watched.origin:
            self.take(watched, became, match, steps)
        else:
            self.end(watched, _gone_back)
        return match

    def take(self, watched: Watched, revision: int, match: Match, steps: list[Step]) -> None:
        """Learn what a match is now, and wake whom it concerns."""
        if revision <= watched.revision:
            return  # a reading that was overtaken
        origin, seats, version, was_known = watched.origin, watched.seats, watched.version, watched.revision
        follows = watched.is_led_on_by(match)
        watched.take(revision, match, steps)
        if was_known and match.record.origin != origin:
            self.end(watched, lambda: gone(watched))  # another match, made again under the same id
        elif was_known and not follows:
            self.end(watched, _gone_back)
        elif was_known and seats != watched.seats:
            for watch in watched.watches:
                watch.look_at_credential(match)
                watch.ring()
        if version != watched.version:
            for watch in watched.watches:
                watch.ring()

    def end(self, watched: Watched, failure: Failure) -> None:
        """End the watches of a match. Whoever comes now begins anew."""
        if watched.failure is None:
            watched.failure = failure
        for watch in watched.watches:
            watch.ring()
        self._drop(watched)

    async def read_on(self, watched: Watched, version: int) -> list[Step]:
        """Read the steps after a version; those who want the same ones at once share the reading."""
        if watched.reading is None:
            watched.reading = asyncio.Lock()
        async with watched.reading:
            found = watched.after(version)
            if found is None:
                with self._noticing(watched):
                    match = watched.match or await self.refresh(watched)
                    found = await self._repository.entries(match, version, MOST_STEPS)
                watched.keep(found)
        return found

    async def read_again(self, watched: Watched) -> Match:
        """Read the match as it is now, and keep it while something happens."""
        revision = watched.revision
        with self._noticing(watched):
            match = await self.refresh(watched)
        if watched.match is None and watched.revision == revision:
            watched.match, watched.is_used = match, True
        return match

    @contextmanager
    def _noticing(self, watched: Watched) -> Iterator[None]:
        """Where a watcher finds that the match is gone, tell it and all others what has become of it."""
        try:
            yield
        except NotFound:
            self._is_gone(watched)
            raise gone(watched, self._repository.now(watched.match_id)) from None

    def _is_gone(self, watched: Watched) -> None:
        self.end(watched, lambda: gone(watched, self._repository.now(watched.match_id)))

    def in_background(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        """Run a piece of work until it ends or this is closed."""
        task = asyncio.create_task(work, name=name, context=Context())  # it is the business of all who watch, of no call
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _gone_back() -> Unavailable:
    """Say that steps which were told have been lost, as by a fail-over: what may have come in their place is not put behind them."""
    return Unavailable("STORE_UNAVAILABLE", "the store has lost the match's last steps; read it again")


def gone(watched: Watched, now: int = 0) -> NotFound:
    """Say that a match is gone, and whether it had its time, which is known by ``now`` (milliseconds)."""
    if 0 < watched.expires <= now:
        return NotFound("MATCH_EXPIRED", "the match has outlived its time", {"match_id": watched.match_id})
    return NotFound("MATCH_NOT_FOUND", "there is no such match", {"match_id": watched.match_id})
