"""Looking back at matches takes nothing from those that are being played."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from service.errors import SnapshotUnreadable
from service.matches import history, leaving
from service.matches.history import History
from service.matches.match import Match
from service.private_redis import PrivateRedis
from service.store.keys import Keys
from tests.service.matches.workers import Worker, credential


@pytest.fixture
async def worker(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[Worker]:
    made = await Worker(redis_server.url, key_prefix).open()
    yield made
    await made.close()


@pytest.fixture
async def looking_back(worker: Worker) -> AsyncIterator[History]:
    made = History(worker.repository)
    yield made
    made.close()


async def finished(worker: Worker) -> Match:
    match = await worker.create()
    return await leaving.resign_seat(worker.repository, credential(match, 1), match.record.match_id, 1)


async def test_the_loop_goes_on_while_a_match_is_rebuilt(worker: Worker, looking_back: History, monkeypatch: pytest.MonkeyPatch) -> None:
    match = await finished(worker)
    began, may_go_on, rebuild = threading.Event(), threading.Event(), history._rebuild

    def slow(*arguments: Any) -> Match:
        began.set()
        assert may_go_on.wait(20)
        return rebuild(*arguments)

    monkeypatch.setattr(history, "_rebuild", slow)
    asked = asyncio.create_task(looking_back.at_version(match, 1))
    await asyncio.to_thread(began.wait, 20)
    other = await worker.create()  # a call that the rebuilding does not hold up
    assert (await worker.apply(other)).applied_version == 2
    assert not asked.done()
    may_go_on.set()
    assert (await asked).record.version == 1


async def test_however_many_ask_one_match_is_rebuilt_at_a_time_and_the_next_is_read(
    worker: Worker, looking_back: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await finished(worker)
    rebuild, read = history._rebuild, worker.repository.written_entries
    at_work, most_at_work, in_memory, most_in_memory = 0, 0, 0, 0

    def counting(*arguments: Any) -> Match:
        nonlocal at_work, most_at_work, in_memory
        at_work += 1
        most_at_work = max(most_at_work, at_work)
        try:
            return rebuild(*arguments)
        finally:
            at_work -= 1
            in_memory -= 1

    async def reading(*arguments: Any) -> Any:
        nonlocal in_memory, most_in_memory
        in_memory += 1
        most_in_memory = max(most_in_memory, in_memory)
        return await read(*arguments)

    monkeypatch.setattr(history, "_rebuild", counting)
    monkeypatch.setattr(worker.repository, "written_entries", reading)
    found = await asyncio.gather(*(looking_back.at_version(match, 2) for _ in range(40)))
    assert {one.record.version for one in found} == {2}
    assert most_at_work == 1
    assert most_in_memory <= 2


async def test_who_asks_for_one_match_again_and_again_holds_up_nobody_who_asks_for_another(worker: Worker, looking_back: History) -> None:
    often, once = await finished(worker), await finished(worker)
    answered: list[str] = []

    async def ask(match: Match) -> None:
        await looking_back.proof(match)
        answered.append(match.record.match_id)

    await asyncio.gather(*(ask(often) for _ in range(40)), ask(once))
    assert len(answered) == 41
    assert answered.index(once.record.match_id) < 5


async def test_a_log_that_does_not_lead_to_its_match_is_not_guessed_around(worker: Worker, looking_back: History, key_prefix: str) -> None:
    match = await finished(worker)
    wrong = msgspec.structs.replace(match.record, seed=b"\x12" * 32)
    with pytest.raises(SnapshotUnreadable):
        await looking_back.at_version(Match(wrong, match.hosted, match.engine), 2)
    for entry in (b"\xc1 no entry", b"\x90"):
        client = worker.store._servers.client
        await client.delete(Keys(key_prefix).log(match.record.match_id))
        for version in (1, 2):
            await client.xadd(Keys(key_prefix).log(match.record.match_id), {"e": entry}, id=f"{version}-0")
        with pytest.raises(SnapshotUnreadable):
            await looking_back.at_version(match, 2)
        with pytest.raises(SnapshotUnreadable):
            await looking_back.proof(match)
