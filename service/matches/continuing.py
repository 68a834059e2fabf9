"""Matches that go on by themselves: house bots with more to answer than one commit takes, default moves of seats that are late.

Nothing is kept but the match itself: whoever reads it, or finds it due, takes it on, so a worker that dies loses nothing but time.
"""

import asyncio
import contextlib
import time
from collections.abc import Sequence

import structlog

from service.errors import ApiError, NotFound
from service.matches.automatic import play_on
from service.matches.match import Match
from service.matches.repository import Repository
from service.store import StoreUnavailable, bucket_of

_log = structlog.get_logger("umpire.continuing")
_MOST_AT_ONCE = 32
_PAUSES_S = (0.05, 0.2, 1.0, 5.0)
_LEFT_ALONE_S = 30.0


class Continuing:
    """Takes matches on in the background, each once a worker at a time."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._at_once = asyncio.Semaphore(_MOST_AT_ONCE)
        self._left_alone: dict[str, dict[str, float]] = {}

    def look_at(self, match: Match) -> None:
        """Take the match on if something in it needs nobody outside."""
        if match.to_move_by_itself() is not None or match.overdue(self._repository.now(match.record.match_id)) is not None:
            self.take_on(match.record.match_id)

    def take_on(self, match_id: str) -> None:
        """Play a match on in the background."""
        if match_id not in self._tasks:
            task = asyncio.create_task(self._continue(match_id), name=f"continue {match_id}")
            self._tasks[match_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(match_id, None))

    def take_on_due(self, match_id: str) -> None:
        """Take on a match that was found due, if it was not in vain a moment ago."""
        if match_id not in self._left_alone.get(bucket_of(match_id), ()):
            self.take_on(match_id)

    def left_alone(self, buckets: Sequence[str]) -> int:
        """Count the matches that were taken on in vain a moment ago, in that bucket where there are most of them."""
        now = time.monotonic()
        for bucket in self._left_alone.keys() & buckets:
            still = {match_id: until for match_id, until in self._left_alone.pop(bucket).items() if until > now}
            if still:
                self._left_alone[bucket] = still
        return max((len(self._left_alone.get(bucket, ())) for bucket in buckets), default=0)

    async def close(self) -> None:
        """Stop at the next commit of each match."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _continue(self, match_id: str) -> None:
        pauses = iter(_PAUSES_S)
        while True:
            try:
                async with self._at_once:
                    _, more = await self._repository.change(match_id, self._play_on)
            except NotFound:
                await self._forget(match_id)
                return
            except (ApiError, StoreUnavailable) as error:
                pause = next(pauses, None) if _may_pass(error) else None
                if pause is None:
                    _log.warning("a match is left to its next reader", match=match_id, error=type(error).__name__)
                    self._leave_alone(match_id)
                    return
                await asyncio.sleep(pause)
                continue
            except Exception:  # noqa: BLE001 - whatever a bot does wrong, the worker goes on
                _log.exception("a match could not be played on", match=match_id)
                self._leave_alone(match_id)
                return
            if not more:
                return
            await asyncio.sleep(0)

    def _play_on(self, match: Match) -> bool:
        more = play_on(match, self._repository.now(match.record.match_id))
        if not match.entries:
            match.touch()  # it was thought to be due: the commit says when it really is
        return more

    def _leave_alone(self, match_id: str) -> None:
        self._left_alone.setdefault(bucket_of(match_id), {})[match_id] = time.monotonic() + _LEFT_ALONE_S

    async def _forget(self, match_id: str) -> None:
        with contextlib.suppress(StoreUnavailable):
            await self._repository.forget(match_id)


def _may_pass(error: Exception) -> bool:
    """Whether trying again soon may help: a match that this worker cannot read stays so."""
    return isinstance(error, StoreUnavailable) or (isinstance(error, ApiError) and error.reason == "STORE_UNAVAILABLE")
