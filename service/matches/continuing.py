"""Matches that go on by themselves: house bots with more to answer than one commit takes.

Nothing is kept but the match itself: whoever reads a match whose bot is asked takes it on, so a worker that dies loses nothing but time.
"""

import asyncio

import structlog

from service.errors import ApiError, NotFound
from service.matches.match import Match
from service.matches.moves import let_bots_play
from service.matches.repository import Repository
from service.store import StoreUnavailable

_log = structlog.get_logger("umpire.continuing")
_PAUSES_S = (0.05, 0.2, 1.0, 5.0)


class Continuing:
    """Takes matches on in the background, each once a worker at a time."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def look_at(self, match: Match) -> None:
        """Take the match on if a house bot is asked in it."""
        match_id = match.record.match_id
        if match.bot_to_move() is not None and match_id not in self._tasks:
            task = asyncio.create_task(self._continue(match_id), name=f"continue {match_id}")
            self._tasks[match_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(match_id, None))

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
                _, more = await self._repository.change(match_id, lambda match: let_bots_play(match, self._repository.now()))
            except NotFound:
                return
            except (ApiError, StoreUnavailable) as error:
                pause = next(pauses, None)
                if pause is None:
                    _log.warning("a match is left to its next reader", match=match_id, error=type(error).__name__)
                    return
                await asyncio.sleep(pause)
                continue
            except Exception:  # noqa: BLE001 - whatever a bot does wrong, the worker goes on
                _log.exception("a house bot failed", match=match_id)
                return
            if not more:
                return
            await asyncio.sleep(0)
