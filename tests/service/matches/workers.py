"""What a worker is behind its doors, as many as a test wants in one process, with move times too short for the API."""

import asyncio
from collections.abc import Awaitable, Callable

from engines.registry import games
from service.credentials import Credential, Role
from service.matches import moves
from service.matches.continuing import Continuing
from service.matches.create import NewMatch, create_match
from service.matches.library import Library
from service.matches.match import Match
from service.matches.repository import Repository
from service.matches.sweeping import Sweeping
from service.messages import Cause, SeatRequest
from service.store import Durability, Store, all_buckets, new_match_id

GAME = "goldn_crash"
TTL_MS = 7 * 24 * 3600 * 1000
SEED = b"\x11" * 32


class Observer:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.applied: list[tuple[str, Cause]] = []
        self.conflicts = 0
        self.stood: list[tuple[str, float]] = []
        self.missed: list[str] = []
        self.commits: list[str] = []

    def match_created(self, game: str, mode: str) -> None:
        pass

    def match_finished(self, game: str, mode: str, reason: str) -> None:
        pass

    def move_applied(self, _game: str, kind: str, cause: Cause) -> None:
        self.applied.append((kind, cause))

    def decision_answered(self, _game: str, kind: str, seconds: float) -> None:
        self.stood.append((kind, seconds))

    def deadline_missed(self, _game: str, kind: str) -> None:
        self.missed.append(kind)

    def commit_ended(self, _game: str, outcome: str) -> None:
        self.commits.append(outcome)

    def commit_conflicted(self, _game: str) -> None:
        self.conflicts += 1


class Worker:
    """A worker without doors; it sweeps if it is told to."""

    def __init__(self, url: str, prefix: str, durability: Durability = Durability.NONE) -> None:
        self.store = Store(url, prefix=prefix, durability=durability)
        self.observer = Observer()
        self.library = Library(games())
        self.repository = Repository(self.store, self.library, self.observer)
        self.continuing = Continuing(self.repository)
        self.sweeping = Sweeping(self.store, self.continuing, all_buckets())

    async def open(self, *, sweeps: bool = False) -> "Worker":
        await self.store.open()
        if sweeps:
            self.sweeping.start()
        return self

    async def close(self) -> None:
        await self.sweeping.close()
        await self.continuing.close()
        await self.store.close()

    def clock_off_by(self, milliseconds: int) -> None:
        """Let the worker be wrong about the store's time."""
        right = self.store.now_ms
        self.store.now_ms = lambda match_id="": right(match_id) + milliseconds  # type: ignore[method-assign]

    async def create(self, *bots: str, game: str = GAME, move_timeout_ms: int = 0, ttl_ms: int = TTL_MS) -> Match:
        seats = [SeatRequest(house_bot=bot) for bot in (bots or ("", ""))]
        wanted = NewMatch(new_match_id(), game, "", None, seats, False, False, ttl_ms, SEED, "", move_timeout_ms)
        return await create_match(self.repository, self.library, wanted)

    async def read(self, match: Match) -> Match:
        return await self.repository.read(match.record.match_id)

    async def causes(self, match: Match) -> list[Cause]:
        now = await self.read(match)
        return [entry.cause for _, entry in await self.repository.entries(now, 0, 1_000)]

    async def apply(self, match: Match, move: str = "draw", request_id: str = "", asked: int = 0) -> moves.Verdict:
        """Answer the open decision of the first seat that is asked, or of the one at ``asked`` in the list."""
        held = match.record.decisions[asked]
        wanted = moves.Wanted(match.record.match_id, held.seat, held.decision_id, move, request_id)
        return await moves.apply_move(self.repository, credential(match, held.seat), wanted)


Start = Callable[..., Awaitable[Worker]]
"""Starts a worker over the store of a test; ``sweeps``: it looks for what is due."""


def credential(match: Match, seat: int) -> Credential:
    return Credential(match.record.match_id, Role.SEAT, {seat: match.record.seats[seat - 1].generation}, match.record.origin, 2**40)


async def until(holds: Callable[[], object], seconds: float = 20) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(seconds):
        while not await holds():  # type: ignore[misc]  # noqa: ASYNC110 - what is waited for happens elsewhere
            await asyncio.sleep(0.02)
