"""Leaving: what becomes of the match is the game's matter; where it goes on, the seat's default moves go on too, and without persons it is abandoned."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.errors import FailedPrecondition
from service.matches import leaving
from service.messages import Cause, MatchAbandoned, MatchStatus, SeatLeft
from service.private_redis import PrivateRedis
from tests.service.matches.workers import Worker, credential


@pytest.fixture
async def worker(redis_server: PrivateRedis, key_prefix: str) -> AsyncIterator[Worker]:
    made = await Worker(redis_server.url, key_prefix).open()
    yield made
    await made.close()


@pytest.fixture
def a_game_that_goes_on(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the game take no notice of who leaves."""
    engine = type(worker.library.games["goldn_crash"].engine("DUEL", worker.library.games["goldn_crash"].game.default_card_set))
    monkeypatch.setattr(engine, "leave", lambda _engine, _table, _seat: None)


async def leave(worker: Worker, match: Any, seat: int) -> Any:
    return await leaving.resign_seat(worker.repository, credential(match, seat), match.record.match_id, seat)


@pytest.mark.parametrize("asked", [True, False], ids=["the asked seat", "the other"])
async def test_in_a_duel_the_other_seat_wins(worker: Worker, asked: bool) -> None:
    match = await worker.create(move_timeout_ms=60_000)
    seat = match.record.decisions[0].seat if asked else 3 - match.record.decisions[0].seat
    after = await leave(worker, match, seat)
    assert after.record.status is MatchStatus.FINISHED
    assert (after.record.outcome.winners, after.record.outcome.reason) == ((3 - seat,), "RESIGNATION")
    assert after.record.decisions == []
    assert [one.left for one in after.record.seats] == [seat == 1, seat == 2]
    ((_, entry),) = await worker.repository.entries(after, 1, 1)
    assert (entry.cause, entry.seat, entry.events[0].event) == (Cause.LEAVE, seat, SeatLeft(seat))
    assert [held.decision_id for held in entry.closed] == [1]


async def test_leaving_again_succeeds_and_changes_nothing(worker: Worker) -> None:
    match = await worker.create()
    first = await leave(worker, match, 1)
    again = await leave(worker, match, 1)
    assert again.record.version == first.record.version == 2
    with pytest.raises(FailedPrecondition) as refused:
        await leave(worker, match, 2)
    assert refused.value.reason == "MATCH_FINISHED"


@pytest.mark.usefixtures("a_game_that_goes_on")
async def test_where_the_match_goes_on_default_moves_answer_for_who_has_left(worker: Worker) -> None:
    match = await worker.create()
    asked = match.record.decisions[0].seat
    after = await leave(worker, match, asked)
    assert after.record.status is MatchStatus.ACTIVE
    assert [held.seat for held in after.record.decisions] == [3 - asked], "the other is asked, once the turn of who has left is over"
    causes = await worker.causes(after)
    assert causes[:2] == [Cause.SET_UP, Cause.LEAVE]
    assert set(causes[2:]) == {Cause.DEFAULT}


@pytest.mark.usefixtures("a_game_that_goes_on")
async def test_when_no_person_is_left_the_match_is_abandoned(worker: Worker) -> None:
    match = await worker.create(move_timeout_ms=60_000)
    await leave(worker, match, 1)
    after = await leave(worker, match, 2)
    assert (after.record.status, after.record.outcome, after.record.decisions, after.due()) == (MatchStatus.ABANDONED, None, [], 0)
    ((_, last),) = await worker.repository.entries(after, after.record.version - 1, 1)
    assert last.events[-1].event == MatchAbandoned()
    with pytest.raises(FailedPrecondition) as refused:
        await worker.apply(match)
    assert refused.value.reason == "MATCH_FINISHED"
