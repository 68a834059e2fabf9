"""A match that is made again under the id of a deleted one is another match, also where no time has passed by the clocks of those who made them."""

import pytest

from service.credentials import Credential, Role
from service.errors import Unauthenticated
from service.matches.create import NewMatch, create_match
from service.matches.match import Match
from service.matches.moves import Wanted, apply_move
from service.matches.seats import claim_seat
from service.messages import SeatRequest
from service.store import bucket_of, new_match_id
from tests.service.matches.workers import GAME, SEED, TTL_MS, Start, Worker, credential


async def make(worker: Worker, match_id: str, *, invite: bool) -> Match:
    wanted = NewMatch(match_id, GAME, "", None, [SeatRequest(), SeatRequest()], invite, False, TTL_MS, SEED, "again")
    return await create_match(worker.repository, worker.library, wanted)


async def made_twice(worker: Worker, *, invite: bool) -> tuple[Match, Match]:
    """Make a match, delete it and make it again with invites, all within the same millisecond."""
    now = worker.store.now_ms()
    worker.store.now_ms = lambda _="": now  # type: ignore[method-assign]
    first = await make(worker, new_match_id(), invite=invite)
    await worker.repository.delete(first.record.match_id)
    again = await make(worker, first.record.match_id, invite=True)
    assert again.record.created == first.record.created
    return first, again


def invite_to(match: Match, seat: int) -> Credential:
    return Credential(match.record.match_id, Role.INVITE, {seat: 0}, match.record.origin, 2**40)


async def test_the_credentials_of_the_first_do_not_open_its_successor(start: Start) -> None:
    worker = await start()
    first, again = await made_twice(worker, invite=False)
    for seat in (1, 2):
        await claim_seat(worker.repository, invite_to(again, seat), "", "", "")
    dealt = await worker.read(again)
    (held,) = dealt.record.decisions
    wanted = Wanted(again.record.match_id, held.seat, held.decision_id, "draw", "")
    with pytest.raises(Unauthenticated):
        await apply_move(worker.repository, credential(first, held.seat), wanted)
    await apply_move(worker.repository, credential(dealt, held.seat), wanted)


async def test_an_invite_of_the_first_claims_no_seat_of_its_successor(start: Start) -> None:
    worker = await start()
    first, again = await made_twice(worker, invite=True)
    with pytest.raises(Unauthenticated):
        await claim_seat(worker.repository, invite_to(first, 1), "", "", "")
    assert not (await worker.read(again)).record.seats[0].claimed


async def test_who_found_the_first_gone_does_not_forget_its_successors_deadline(start: Start) -> None:
    worker = await start()
    match = await worker.create(move_timeout_ms=60_000)  # made again after somebody saw that it was gone, and before that one said so
    await worker.repository.forget(match.record.match_id)
    due = worker.store._keys.due(bucket_of(match.record.match_id))
    client = worker.store._servers.client
    assert await client.zscore(due, match.record.match_id) == match.record.decisions[0].deadline
    await worker.repository.delete(match.record.match_id)
    await worker.repository.forget(match.record.match_id)
    assert await client.zscore(due, match.record.match_id) is None
