"""Somebody who commits again and again, and checks what is kept and told."""

import asyncio
import contextlib
import time
from collections import Counter

from service.store import CommitResult, Store, StoreUnavailable, bucket_of

TTL_MS = 600_000


class Player:
    """Commits again and again, and knows what was acknowledged."""

    def __init__(self, store: Store, match_id: str) -> None:
        self.store, self.match_id = store, match_id
        self.first = self.revision = self.acknowledged = 0
        self.outcomes: Counter[str] = Counter()
        self.longest = 0.0
        self.failures: list[str] = []

    async def create(self) -> "Player":
        self.first = self.revision = self.acknowledged = self.store.next_revision(self.match_id, 0)
        assert await self.store.commit(self.match_id, 0, self.first, 0, b"1", [b"1"], TTL_MS) is CommitResult.COMMITTED
        return self

    async def step(self) -> str:
        started = time.monotonic()
        try:
            version = self.revision - self.first + 1
            result = await self.store.commit(self.match_id, self.revision, self.revision + 1, version, b"x", [b"%d" % (version + 1)], TTL_MS)
            if result is CommitResult.COMMITTED:
                self.revision = self.acknowledged = self.revision + 1
            else:
                assert result is CommitResult.CONFLICT, result  # one of which nothing was known was carried out
                self.revision = await self.store.revision(self.match_id) or 0
            outcome = result.name
        except StoreUnavailable as error:
            outcome = error.applied.value
            self.failures.append(str(error))
        self.longest = max(self.longest, time.monotonic() - started)
        self.outcomes[outcome] += 1
        return outcome

    async def play(self) -> None:
        while await self.step():  # noqa: ASYNC110 - stepping is what it is for
            await asyncio.sleep(0.01)

    async def reach(self, revision: int) -> None:
        async with asyncio.timeout(40):
            while self.acknowledged < revision:
                await self.step()
                await asyncio.sleep(0.05)

    async def check(self) -> None:
        """Nothing that was acknowledged is missing, and nothing is there twice."""
        revision = await self.store.revision(self.match_id)
        assert revision is not None and revision >= self.acknowledged
        version = revision - self.first + 1
        assert await self.store.entries(self.match_id, 0, version, version) == [(number, b"%d" % number) for number in range(1, version + 1)]


async def eventually(told: "asyncio.Queue[object]", wanted: object) -> None:
    async with asyncio.timeout(30):
        while await told.get() != wanted:
            pass


async def listen(store: Store, told: "asyncio.Queue[object]", *players: Player) -> None:
    """Listen to the players' buckets, each once: two of them may have the same."""
    for bucket in {bucket_of(player.match_id) for player in players}:
        store.listening.listen(bucket)
        await eventually(told, bucket)


async def end(tasks: list["asyncio.Task[None]"]) -> None:
    """Stop players: what they were just doing is unknown to them, and they find out by their next step."""
    for task in tasks:
        task.cancel()
    assert all(isinstance(one, asyncio.CancelledError) for one in await asyncio.gather(*tasks, return_exceptions=True))


async def heard_once(player: Player, told: "asyncio.Queue[object]") -> None:
    """Steps are told, each once, as soon as the bucket is heard where it lies now."""
    async with asyncio.timeout(30):
        while True:
            assert await player.step() == "COMMITTED"
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.3):
                    while await told.get() != (player.match_id, player.revision):
                        pass
                    break
    assert await player.step() == "COMMITTED"
    await asyncio.sleep(0.1)
    heard = [told.get_nowait() for _ in range(told.qsize())]
    assert heard.count((player.match_id, player.revision)) == 1
