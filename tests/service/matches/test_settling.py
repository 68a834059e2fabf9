"""A request that is repeated is acknowledged when what its first call did is kept, as that call would have been (``--durability``)."""

from collections.abc import AsyncIterator

import pytest

from service.matches.create import NewMatch, create_match
from service.matches.leaving import resign_seat
from service.matches.match import Match
from service.messages import SeatRequest
from service.store import Applied, Durability, StoreUnavailable, new_match_id
from tests.service.matches.workers import GAME, SEED, TTL_MS, Worker, credential
from tests.service.store.redis_groups import Server, until


@pytest.fixture
async def worker(pair: tuple[Server, Server]) -> AsyncIterator[Worker]:
    made = await Worker(f"redis://127.0.0.1:{pair[0].port}", "umpire:", Durability.REPLICA).open()
    yield made
    await made.close()


async def test_a_move_that_no_replica_has_is_unknown_however_often_it_is_asked_for(pair: tuple[Server, Server], worker: Worker) -> None:
    match = await worker.create()
    pair[1].freeze()
    for _ in range(3):
        with pytest.raises(StoreUnavailable) as refused:
            await worker.apply(match, request_id="once")
        assert refused.value.applied is Applied.UNKNOWN
    pair[1].thaw()
    until(pair[0].has_replicas)
    assert (await worker.apply(match, request_id="once")).applied_version == 2
    assert (await worker.read(match)).record.version == 2


async def test_the_same_holds_for_creating_and_for_leaving(pair: tuple[Server, Server], worker: Worker) -> None:
    wanted = NewMatch(new_match_id(), GAME, "", None, [SeatRequest(), SeatRequest()], False, False, TTL_MS, SEED, True)

    async def create() -> Match:
        return await create_match(worker.repository, worker.library, wanted)

    match = await worker.create()
    pair[1].freeze()
    for _ in range(2):
        for asked in (create(), resign_seat(worker.repository, credential(match, 1), match.record.match_id, 1)):
            with pytest.raises(StoreUnavailable) as refused:
                await asked
            assert refused.value.applied is Applied.UNKNOWN
    pair[1].thaw()
    until(pair[0].has_replicas)
    assert (await create()).record.match_id == wanted.match_id
    assert (await resign_seat(worker.repository, credential(match, 1), match.record.match_id, 1)).record.seats[0].left


async def test_a_match_is_deleted_when_no_replica_has_it_any_more(pair: tuple[Server, Server], worker: Worker) -> None:
    match = await worker.create()
    pair[1].freeze()
    with pytest.raises(StoreUnavailable) as refused:
        await worker.repository.delete(match.record.match_id)
    assert refused.value.applied is Applied.UNKNOWN
