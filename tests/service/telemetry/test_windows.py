"""Open windows and what is overdue: right as a sum and as a maximum over any number of workers, also when one dies; decisions and deadlines are counted."""

import asyncio
import time

import pytest

from service.matches.windows import Windows
from service.store import Due, all_buckets
from tests.service.matches.workers import Start, Worker, until

HOUR_MS = 3_600_000


async def until_sum(workers: list[Worker], wanted: int) -> list[int]:
    """Wait until the workers' shares come to a sum."""

    async def is_it() -> bool:
        return sum(worker.sweeping.windows.open() for worker in workers) == wanted

    await until(is_it, 30)
    return [worker.sweeping.windows.open() for worker in workers]


async def test_the_sum_over_workers_is_right_while_they_come_go_and_die(start: Start) -> None:
    workers = [await start(sweeps=True)]
    for _ in range(24):
        await workers[0].create(move_timeout_ms=HOUR_MS)
    await workers[0].create()  # without a deadline: no window
    assert await until_sum(workers, 24) == [24]
    workers += [await start(sweeps=True) for _ in range(2)]

    async def is_shared() -> bool:
        return all(0 < worker.sweeping.windows.open() < 24 for worker in workers)

    await until(is_shared, 30)
    await until_sum(workers, 24)
    await workers.pop().sweeping.close()  # goes, and says so
    await until_sum(workers, 24)
    dying = workers.pop()
    assert dying.sweeping._task is not None
    dying.sweeping._task.cancel()  # says nothing any more, as if it was killed
    assert await until_sum(workers, 24) == [24]
    assert dying.sweeping.windows.open() == 0, "its word has run out"


async def test_what_is_answered_is_no_open_window_any_more(start: Start) -> None:
    worker = await start(sweeps=True)
    match = await worker.create(move_timeout_ms=HOUR_MS)
    await until_sum([worker], 1)
    await worker.repository.delete(match.record.match_id)
    await worker.repository.forget(match.record.match_id)
    await until_sum([worker], 0)


async def test_a_missed_deadline_ages_until_somebody_deals_with_it(start: Start) -> None:
    worker, idle = await start(sweeps=False), await start(sweeps=False)
    match = await worker.create(move_timeout_ms=1)
    await asyncio.sleep(0.05)
    buckets = all_buckets()
    taken = await worker.store.due_matches(buckets, "a", 16)
    assert [found.match_ids for found in taken.values()] == [[match.record.match_id]]
    seen = await idle.store.due_matches(buckets, "b", 16)
    assert [found.match_ids for found in seen.values()] == [[]], "another worker has it"
    windows = Windows("b", buckets)
    windows.see(0, seen)
    deadline = match.record.decisions[0].deadline
    assert windows.oldest_overdue(deadline + 2_500) == 2.5
    assert windows.oldest_overdue(deadline - 1) == 0
    windows.see(0, {})
    assert windows.oldest_overdue(deadline + 2_500) == 0


def test_what_was_not_seen_for_long_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    windows = Windows("me", ["000", "001"])
    windows.share(["me"])
    windows.see(0, {"000": Due(3, 1_000, []), "001": Due(2, 0, [])})
    assert (windows.open(), windows.oldest_overdue(4_000)) == (5, 3.0)
    windows.share(["me", "other"])
    assert windows.open() in {2, 3}
    now += 7
    assert windows.open() == 0, "nobody has confirmed that this worker is there"
    assert windows.oldest_overdue(4_000) == 3.0
    now += 5
    assert windows.oldest_overdue(4_000) == 0


async def test_decisions_deadlines_and_commits_are_told_once_with_how_long_they_took(start: Start) -> None:
    worker = await start(sweeps=True)
    match = await worker.create(move_timeout_ms=400)

    async def has_moved() -> bool:
        return (await worker.read(match)).record.version >= 2

    await until(has_moved)
    (kind, stood), *_ = worker.observer.stood
    assert kind == worker.observer.missed[0] == worker.observer.applied[0][0]
    assert stood >= 0.4
    assert worker.observer.commits[:2] == ["committed", "committed"]


async def test_a_decision_stands_open_from_when_it_was_asked_whatever_others_answer_meanwhile(start: Start) -> None:
    worker = await start(sweeps=False)
    match = await worker.create()
    now = match.record.updated
    assert [held.opened for held in match.record.decisions] == [now]
    worker.clock_off_by(3_000)
    await worker.apply(match)
    assert worker.observer.missed == []
    ((_, stood),) = worker.observer.stood
    assert 3 <= stood < 60
