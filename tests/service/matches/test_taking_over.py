"""Taking over: a claimed seat that is given anew during a match is a step of its own, which answers nothing and is never without the raised generation."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from engines.kit.play import legal_moves
from service.credentials import Credential, Role
from service.errors import InvalidRequest, Unauthenticated
from service.matches import leaving
from service.matches.history import History
from service.matches.match import Match
from service.matches.seats import claim_seat, renew_invite
from service.messages import Cause, MatchStatus, SeatTakenOver
from service.private_redis import PrivateRedis
from tests.service.matches.workers import Worker, credential, until


@pytest.fixture
async def workers(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[list[Worker]]:
    made = [await Worker(redis_server.url, key_prefix).open() for _ in range(2)]
    yield made
    for worker in made:
        await worker.close()


@pytest.fixture
def worker(workers: list[Worker]) -> Worker:
    return workers[0]


async def renew(worker: Worker, match: Match, seat: int) -> Match:
    creator = Credential(match.record.match_id, Role.CREATOR, {}, match.record.origin, 2**40)
    after, _ = await renew_invite(worker.repository, creator, match.record.match_id, seat)
    return after


async def claim(worker: Worker, match: Match, seat: int) -> Match:
    """Claim the seat's newest invite."""
    invite = Credential(match.record.match_id, Role.SEAT, {seat: match.record.seats[seat - 1].generation}, match.record.origin, 2**40)
    after, _ = await claim_seat(worker.repository, invite, "", "", "")
    return after


@pytest.mark.parametrize("asked", [True, False], ids=["the asked seat", "the other"])
async def test_it_is_one_step_that_leaves_all_else_as_it_was(worker: Worker, asked: bool) -> None:
    match = await worker.create(move_timeout_ms=60_000)
    (held,) = match.record.decisions
    seat = held.seat if asked else 3 - held.seat
    after = await renew(worker, match, seat)
    assert after.record.version == 2
    assert after.record.decisions == [held], "the same decision, until the same moment"
    assert bytes(after.record.state) == bytes(match.record.state)
    assert (after.record.status, after.record.outcome) == (MatchStatus.ACTIVE, None)
    assert (after.record.seats[seat - 1].generation, after.record.seats[seat - 1].claimed) == (1, False)
    ((_, entry),) = await worker.repository.entries(after, 1, 1)
    assert (entry.cause, entry.seat, entry.move, entry.draws, entry.opened, entry.closed) == (Cause.ADMIN, seat, None, (), (), ())
    assert [(one.event, one.seats, one.private) for one in entry.events] == [(SeatTakenOver(seat), None, {})], "for all"
    assert worker.observer.applied == [], "it is no move"


async def test_a_retry_and_a_second_invite_make_no_second_step(worker: Worker) -> None:
    match = await worker.create()
    await renew(worker, match, 1)
    after = await renew(worker, match, 1)
    assert (after.record.version, after.record.seats[0].generation) == (2, 2)
    after = await renew(worker, await claim(worker, after, 1), 1)
    assert (after.record.version, after.record.seats[0].generation) == (3, 3)
    assert await worker.causes(match) == [Cause.SET_UP, Cause.ADMIN, Cause.ADMIN]


async def test_after_the_end_there_is_no_step(worker: Worker) -> None:
    match = await worker.create()
    over = await leaving.resign_seat(worker.repository, credential(match, 1), match.record.match_id, 1)
    after = await renew(worker, match, 2)
    assert after.record.version == over.record.version == 2
    assert after.record.seats[1].generation == 1


async def test_both_who_is_asked_and_who_is_not_answer_the_same_decision_afterwards(worker: Worker) -> None:
    match = await worker.create()
    (held,) = match.record.decisions
    other = await renew(worker, match, 3 - held.seat)
    assert (await worker.apply(other)).applied_version == 3
    match = await worker.create()
    (held,) = match.record.decisions
    claimed = await claim(worker, await renew(worker, match, held.seat), held.seat)
    with pytest.raises(Unauthenticated):
        await worker.apply(match)
    assert claimed.record.decisions == [held]
    assert (await worker.apply(claimed)).applied_version == 3


async def goes_on_with(worker: Worker, match: Match) -> Cause:
    """Take the match on; returns the cause of the step that follows."""

    async def is_done() -> bool:
        worker.continuing.look_at(await worker.read(match))
        return (await worker.read(match)).record.version > match.record.version

    await until(is_done)
    return (await worker.causes(match))[match.record.version]


async def test_a_late_seat_is_late_at_the_moment_that_it_had(worker: Worker) -> None:
    match = await worker.create("keen", "", move_timeout_ms=300)
    (held,) = match.record.decisions
    after = await renew(worker, match, held.seat)
    assert after.due() == held.deadline > 0
    assert await goes_on_with(worker, after) is Cause.DEFAULT


async def test_a_house_bot_that_was_to_move_moves(worker: Worker) -> None:
    match = await worker.create("", "keen")
    assert match.to_move_by_itself() == 2
    assert await goes_on_with(worker, await renew(worker, match, 1)) is Cause.BOT


@pytest.mark.parametrize("seat", [1, 2])
async def test_a_race_with_a_move_over_two_workers_loses_neither(workers: list[Worker], seat: int) -> None:
    for _ in range(12):
        match = await workers[0].create()
        (held,) = match.record.decisions
        await workers[1].read(match)
        results = await asyncio.gather(workers[0].apply(match), renew(workers[1], match, seat), return_exceptions=True)
        causes = await workers[0].causes(match)
        assert causes.count(Cause.ADMIN) == 1
        if isinstance(results[0], Unauthenticated):  # the seat was given anew first
            assert (seat, causes) == (held.seat, [Cause.SET_UP, Cause.ADMIN])
            continue
        assert not isinstance(results[0], BaseException)
        assert results[0].applied_version == causes.index(Cause.PERSON) + 1
        assert sorted(causes[1:]) == [Cause.ADMIN, Cause.PERSON]
    now = await workers[0].read(match)
    assert now.record.seats[seat - 1].generation == 1


async def test_a_match_is_rebuilt_as_it_was_right_before_and_right_after(worker: Worker) -> None:
    looking_back = History(worker.repository)
    match = await worker.create("", "", game="monster_mash_up", move_timeout_ms=60_000)
    after = await renew(worker, match, 1)
    over = await leaving.resign_seat(worker.repository, credential(after, 2), match.record.match_id, 2)
    for live in (match, after):
        again = await looking_back.at_version(over, live.record.version)
        shown, then = again.record, live.record
        assert (shown.version, shown.updated, shown.decisions, shown.digest) == (then.version, then.updated, then.decisions, then.digest)
        assert [seat.claimed for seat in shown.seats] == [seat.claimed for seat in then.seats]
        for seat in (0, 1, 2):
            assert again.view(seat) == live.view(seat)
        for held in shown.decisions:
            assert legal_moves(again.engine, again.state, held.seat) == legal_moves(live.engine, live.state, held.seat)
    looking_back.close()


async def test_a_seat_cannot_be_given_anew_without_end_since_each_time_is_kept(worker: Worker) -> None:
    match = await worker.create()
    for _ in range(256):
        await renew(worker, match, 1)
    with pytest.raises(InvalidRequest):
        await renew(worker, match, 1)
    await renew(worker, match, 2)
