"""Who does not answer in time gets the game's default move, once; who answers too late is told so. The clock is the store's."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest

from engines.kit.notation import write_move
from engines.kit.play import legal_moves
from service.errors import DecisionClosed
from service.matches import match as match_module
from service.matches.repository import TooLate
from service.messages import Cause, MatchStatus, SeatTimedOut
from service.store import CommitResult, Timing, new_match_id
from service.store.keys import Keys, bucket_of
from tests.service.matches.workers import TTL_MS, Start, credential, until

DAY_MS = 24 * 3600 * 1000


async def test_a_decision_that_is_not_answered_in_time_gets_the_default_move(start: Start) -> None:
    worker = await start(sweeps=True)
    match = await worker.create(move_timeout_ms=300)

    async def has_moved() -> bool:
        return (await worker.read(match)).record.version >= 2

    await until(has_moved)
    now = await worker.read(match)
    ((_, entry),) = await worker.repository.entries(now, 1, 1)
    assert (entry.cause, entry.seat) == (Cause.DEFAULT, match.record.decisions[0].seat)
    assert entry.events[0].event == SeatTimedOut(entry.seat)
    assert entry.move == now.hosted.game.move_reader.read("draw")  # Gold'n Crash: draw if that is legal
    assert entry.time >= match.record.decisions[0].deadline


async def test_however_many_workers_look_each_deadline_is_missed_once(start: Start) -> None:
    workers = [await start(sweeps=True) for _ in range(3)]
    match = await workers[0].create(move_timeout_ms=100)

    async def have_gone_on() -> bool:
        return (await workers[0].read(match)).record.version > 8

    await until(have_gone_on, seconds=60)
    causes = await workers[0].causes(match)
    assert causes[0] is Cause.SET_UP
    assert set(causes[1:]) == {Cause.DEFAULT}
    entries = [entry for _, entry in await workers[0].repository.entries(await workers[0].read(match), 0, 1_000)]
    for before, after in pairwise(entries):
        assert after.time >= before.opened[0].deadline == before.time + 100


async def test_a_move_after_the_deadline_is_not_applied_but_the_default_is(start: Start) -> None:
    worker = await start()
    match = await worker.create(move_timeout_ms=200)
    await asyncio.sleep(0.25)
    with pytest.raises(DecisionClosed) as refused:
        await worker.apply(match, "play_card(card=GOLD_4,column=1)")
    now = await worker.read(match)
    assert await worker.causes(match) == [Cause.SET_UP, Cause.DEFAULT]
    seat = match.record.decisions[0].seat
    assert refused.value.metadata.get("decision_id") == (str(now.decision_id(seat)) if now.decision_id(seat) else None)


async def test_the_stores_clock_decides_not_the_workers(start: Start) -> None:
    behind, ahead = await start(), await start()
    match = await behind.create(move_timeout_ms=300)
    ahead.clock_off_by(+60_000)
    ahead.continuing.look_at(await ahead.read(match))  # it takes the deadline for past; the store knows better
    await asyncio.sleep(0.1)
    assert await behind.causes(match) == [Cause.SET_UP]
    await asyncio.sleep(0.3)
    behind.clock_off_by(-60_000)
    with pytest.raises(DecisionClosed):  # it takes the deadline for far away; the store knows better
        await behind.apply(match)
    assert Cause.PERSON not in await ahead.causes(match)


async def test_when_one_of_two_secret_choices_is_missed_the_other_seat_can_make_no_use_of_it(start: Start) -> None:
    """The default is known to everybody, and so is that it was taken: whoever has not chosen by then is late as well."""
    worker = await start()
    match = await worker.create(game="monster_mash_up", move_timeout_ms=700)
    while len(match.record.decisions) < 2 or match.decisions()[0][1].kind != "BOOST":
        move = write_move(legal_moves(match.engine, match.state, match.record.decisions[0].seat)[-1])
        await worker.apply(match, move)
        match = await worker.read(match)
    first, second = match.record.decisions
    assert first.deadline == second.deadline
    await asyncio.sleep(0.75)
    with pytest.raises(DecisionClosed):
        await worker.apply(match, "defend", asked=1)
    version = match.record.version
    entries = [entry for _, entry in await worker.repository.entries(await worker.read(match), version, 10)]
    assert [(entry.cause, entry.seat, write_move(entry.move)) for entry in entries[:2]] == [
        (Cause.DEFAULT, seat, "boost(fingers=0)") for seat in (first.seat, second.seat)
    ]


async def test_a_deadline_outlives_all_workers(start: Start) -> None:
    first = await start(sweeps=True)
    match = await first.create(move_timeout_ms=300)
    await first.close()
    await asyncio.sleep(0.4)
    second = await start(sweeps=True)

    async def has_moved() -> bool:
        return (await second.read(match)).record.version >= 2

    await until(has_moved)
    assert (await second.causes(match))[:2] == [Cause.SET_UP, Cause.DEFAULT]


async def test_a_move_in_time_opens_the_next_decision_with_a_deadline_of_its_own(start: Start) -> None:
    worker = await start()
    match = await worker.create(move_timeout_ms=60_000)
    verdict = await worker.apply(match)
    before, after = match.record.decisions[0], verdict.match.record.decisions[0]
    assert after.decision_id == 2
    assert before.deadline == match.record.updated + 60_000
    assert after.deadline == verdict.match.record.updated + 60_000


async def test_without_a_move_timeout_nothing_is_ever_due(start: Start) -> None:
    worker = await start()
    match = await worker.create()
    assert match.record.decisions[0].deadline == 0
    assert await worker.store._servers.client.zcard(Keys(worker.store._keys._prefix).due(bucket_of(match.record.match_id))) == 0


async def test_the_end_of_a_match_takes_it_off_the_list_of_due_ones(start: Start) -> None:
    worker = await start()
    match = await worker.create(move_timeout_ms=60_000)
    due = worker.store._keys.due(bucket_of(match.record.match_id))
    assert await worker.store._servers.client.zscore(due, match.record.match_id) == match.record.decisions[0].deadline
    while match.record.decisions:
        match = (await worker.apply(match)).match
    assert await worker.store._servers.client.zscore(due, match.record.match_id) is None


async def test_a_repeated_request_after_the_deadline_still_answers_what_it_did(start: Start) -> None:
    worker = await start()
    match = await worker.create(move_timeout_ms=300)
    first = await worker.apply(match, request_id="once")
    await asyncio.sleep(0.7)
    again = await worker.apply(match, request_id="once")
    assert again.applied_version == first.applied_version == 2


async def test_a_match_of_house_bots_that_a_worker_left_behind_is_taken_on(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "_TAKEN_ON_WITHIN_MS", 200)
    worker = await start(sweeps=True)
    match = await worker.create("random", "random")

    async def is_over() -> bool:
        return (await worker.read(match)).record.status is MatchStatus.FINISHED

    await until(is_over)


async def test_what_is_due_and_gone_is_forgotten_and_what_is_not_due_is_said_so_by_one_commit(start: Start) -> None:
    worker = await start(sweeps=True)
    gone, idle = await worker.create(move_timeout_ms=60_000), await worker.create(move_timeout_ms=60_000)
    client, keys = worker.store._servers.client, worker.store._keys
    await client.delete(keys.match(gone.record.match_id))
    for match in (gone, idle):
        await client.zadd(keys.due(bucket_of(match.record.match_id)), {match.record.match_id: 1})

    async def are_settled() -> bool:
        scores = [await client.zscore(keys.due(bucket_of(match.record.match_id)), match.record.match_id) for match in (gone, idle)]
        return scores == [None, idle.record.decisions[0].deadline]

    await until(are_settled)
    assert await worker.causes(idle) == [Cause.SET_UP]


async def test_a_match_is_kept_a_day_longer_than_its_open_deadline(start: Start) -> None:
    worker = await start()
    short = await worker.create(move_timeout_ms=10 * DAY_MS, ttl_ms=60_000)
    long = await worker.create(move_timeout_ms=60_000)
    assert short.record.lifetime == 11 * DAY_MS
    assert long.record.lifetime == TTL_MS
    for match in (short, long):
        left = await worker.store._servers.client.pttl(worker.store._keys.match(match.record.match_id))
        assert match.record.lifetime - 60_000 < left <= match.record.lifetime


@pytest.mark.parametrize(
    ("timing", "result"),
    [
        (lambda now: Timing(not_before=now - 1_000), CommitResult.COMMITTED),
        (lambda now: Timing(not_before=now + 60_000), CommitResult.EARLY),
        (lambda now: Timing(not_after=now + 60_000), CommitResult.COMMITTED),
        (lambda now: Timing(not_after=now - 1_000), CommitResult.LATE),
        (lambda now: Timing(not_before=now - 2_000, not_after=now - 1_000), CommitResult.LATE),
    ],
)
async def test_a_commit_that_is_early_or_late_by_the_stores_clock_changes_nothing(start: Start, timing: Callable[[int], Timing], result: CommitResult) -> None:
    worker = await start()
    match = await worker.create()
    match_id = match.record.match_id
    before = await worker.store.load(match_id)
    assert before is not None
    got = await worker.store.commit(match_id, before.revision, before.revision + 1, 1, b"other", [b"two"], TTL_MS, timing(worker.store.now_ms()))
    assert got is result
    after = await worker.store.load(match_id)
    assert (after == before) is (result is not CommitResult.COMMITTED)


async def test_who_asks_for_a_change_that_came_too_late_is_told(start: Start) -> None:
    worker = await start()
    match = await worker.create(move_timeout_ms=200)
    await asyncio.sleep(0.25)
    seat = match.record.decisions[0].seat

    def act(late: object) -> None:
        raise TooLate

    with pytest.raises(TooLate):
        await worker.repository.change(match.record.match_id, act)
    assert credential(match, seat).seats == {seat: 0}


async def test_matches_that_cannot_be_played_on_do_not_hold_up_the_others_of_their_bucket(start: Start) -> None:
    worker = await start()
    match = await worker.create(move_timeout_ms=200)
    client, keys, bucket = worker.store._servers.client, worker.store._keys, bucket_of(match.record.match_id)
    for _ in range(40):
        unreadable = f"{bucket}{new_match_id()[len(bucket) :]}"
        await client.hset(keys.match(unreadable), mapping={"r": "1", "s": b"no snapshot"})
        await client.zadd(keys.due(bucket), {unreadable: 1})
    worker.sweeping.start()

    async def has_moved() -> bool:
        return (await worker.read(match)).record.version >= 2

    await until(has_moved, seconds=60)
