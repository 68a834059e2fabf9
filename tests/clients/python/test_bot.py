"""Bots: they choose, ``play`` does the rest, whatever happens around them."""

import asyncio
import threading
from typing import Any

import grpc
import pytest

from tests.clients.python.conftest import Connect
from tests.clients.python.fake_server import FakeServer, refused
from tests.serving import API_KEY, Serving
from umpire.goldn_crash.v1 import goldn_crash_pb2
from umpire.v1.game_pb2 import Move, Options
from umpire.v1.match_pb2 import CAUSE_BOT, CAUSE_PERSON, MATCH_STATUS_ABANDONED, LegalMove, Outcome
from umpire.v1.match_service_pb2 import ApplyMoveResponse, GetMatchResponse, ListEventsResponse, ListLegalMovesResponse
from umpire_client import AsyncClient, Bot, Client, IllegalMove, MatchAbandoned, Position, house_bot, person

GAME = "goldn_crash"
SEED = "22" * 32


class AtRandom(Bot):
    """Plays at random, and remembers its positions."""

    def __init__(self, seed: int | None = 1) -> None:
        super().__init__(seed)
        self.positions: list[Position] = []

    def choose(self, position: Position) -> LegalMove | Move | str:
        self.positions.append(position)
        return position.rng.choice(position.legal_moves)


class Stopped(Exception):
    """Stands for a process that dies."""


def against_house(client: Any, **more: Any) -> Any:
    return client.create_match(GAME, [person("Bot"), house_bot("random")], **more)


def versions(positions: list[Position]) -> list[int]:
    return [update.version for position in positions for update in position.updates]


def test_it_plays_to_the_end_and_returns_the_outcome(client: Any) -> None:
    created = against_house(client)
    bot = AtRandom()
    outcome = created.seats[1].play(bot)
    assert outcome == created.spectator.get().outcome
    assert outcome.reason in client.get_game(GAME).end_reasons
    moves = [update for update in created.spectator.events() if update.cause == CAUSE_PERSON]
    assert len(moves) == len(bot.positions)


def test_a_position_has_all_that_a_seat_may_know(client: Any) -> None:
    created = against_house(client)
    bot = AtRandom()
    created.seats[1].play(bot)
    for position in bot.positions:
        assert (position.match_id, position.seat, position.decision.seat) == (created.match_id, 1, 1)
        assert position.legal_moves
        assert position.view.goldn_crash.seats[0].HasField("own")
        assert position.decision.decision_id <= position.version
    known = versions(bot.positions)
    assert known == list(range(1, bot.positions[-1].version + 1))
    assert {update.cause for position in bot.positions[1:] for update in position.updates} == {CAUSE_PERSON, CAUSE_BOT}


def test_two_bots_wait_for_each_other_and_see_everything(serving: Serving) -> None:
    async def play() -> tuple[AtRandom, AtRandom, Outcome, Outcome]:
        async with AsyncClient(serving.grpc, api_key=API_KEY) as client:
            created = await client.create_match(GAME, [person(), person()], options=Options(goldn_crash=goldn_crash_pb2.Options(round_limit=10)))
            bots = AtRandom(1), AtRandom(2)
            return *bots, *await asyncio.gather(*(bot.play(created.seats[seat]) for seat, bot in enumerate(bots, 1)))  # type: ignore[return-value]

    one, two, outcome, same = asyncio.run(play())
    assert outcome == same
    for bot in (one, two):
        assert versions(bot.positions) == list(range(1, bot.positions[-1].version + 1))


def test_two_synchronous_bots_in_threads_share_a_client(serving: Serving) -> None:
    with Client(serving.grpc, api_key=API_KEY) as client:
        created = client.create_match(GAME, [person(), person()], options=Options(goldn_crash=goldn_crash_pb2.Options(round_limit=10)))
        outcomes: list[Outcome] = []
        threads = [threading.Thread(target=lambda seat=seat: outcomes.append(AtRandom().play(seat))) for seat in created.seats.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert outcomes == [created.spectator.get().outcome] * 2


def test_choosing_may_be_asynchronous(serving: Serving) -> None:
    class Thoughtful(Bot):
        async def choose(self, position: Position) -> str:
            await asyncio.sleep(0)
            return position.legal_moves[-1].move_id

    async def play() -> Outcome:
        async with AsyncClient(serving.grpc, api_key=API_KEY) as client:
            return await Thoughtful().play((await against_house(client)).seats[1])

    assert asyncio.run(play()).reason
    with Client(serving.grpc, api_key=API_KEY) as client, pytest.raises(TypeError, match="AsyncClient"):
        Thoughtful().play(against_house(client).seats[1])


def test_with_the_same_seed_it_plays_the_same_match(client: Any) -> None:
    def moves(seed: int | None) -> list[bytes]:
        created = against_house(client, seed=SEED)
        created.seats[1].play(AtRandom(seed))
        return [event.SerializeToString(deterministic=True) for update in created.spectator.events() for event in update.events]

    assert moves(3) == moves(3)
    assert len({b"".join(moves(seed)) for seed in (4, None, None)}) == 3


def test_moves_can_be_chosen_as_text_and_typed(client: Any) -> None:
    class Varied(AtRandom):
        def choose(self, position: Position) -> LegalMove | Move | str:
            move = position.rng.choice(position.legal_moves)
            return [move, move.move_id, move.move][len(position.updates) % 3]

    assert against_house(client).seats[1].play(Varied()).reason


def test_it_plays_on_after_a_restart_and_learns_what_happened_before(client: Any) -> None:
    class Mortal(AtRandom):
        def choose(self, position: Position) -> LegalMove | Move | str:
            if len(self.positions) == 5:
                raise Stopped
            return super().choose(position)

    created = against_house(client)
    with pytest.raises(Stopped):
        created.seats[1].play(Mortal())
    again = AtRandom()
    outcome = client.seat(created.match_id, created.seats[1].credential).play(again)
    assert outcome == created.spectator.get().outcome
    assert versions(again.positions) == list(range(1, again.positions[-1].version + 1))


def test_a_finished_match_is_played_by_returning_its_outcome(client: Any) -> None:
    created = against_house(client)
    outcome = created.seats[1].play(AtRandom())
    idle = AtRandom()
    assert created.seats[1].play(idle) == outcome
    assert not idle.positions


def test_if_somebody_else_answers_its_decision_it_reads_again(client: Any, serving: Serving) -> None:
    created = against_house(client)

    class Robbed(AtRandom):
        def choose(self, position: Position) -> LegalMove | Move | str:
            chosen = super().choose(position)
            if len(self.positions) in {2, 3, 7}:
                with Client(serving.grpc) as other:
                    other.seat(created.match_id, created.seats[1].credential).apply(position.legal_moves[0], decision_id=position.decision.decision_id)
            return chosen

    bot = Robbed()
    assert created.seats[1].play(bot) == created.spectator.get().outcome
    assert versions(bot.positions) == list(range(1, bot.positions[-1].version + 1))


def test_an_illegal_choice_is_told_to_the_author(client: Any) -> None:
    class Wrong(Bot):
        def choose(self, _position: Position) -> str:
            return "play_card(card=GOLD_4,column=4)"

    created = against_house(client)
    with pytest.raises(IllegalMove, match="There are only columns"):
        created.seats[1].play(Wrong())


def test_single_moves_can_be_answered_without_asking(client: Any) -> None:
    class Lazy(AtRandom):
        answers_single_moves = True

    asked, lazy = AtRandom(), Lazy()
    created = [against_house(client, seed=SEED) for _ in range(2)]
    outcomes = [one.seats[1].play(bot) for one, bot in zip(created, (asked, lazy), strict=True)]
    assert outcomes[0].reason
    assert all(len(position.legal_moves) > 1 for position in lazy.positions)
    assert any(len(position.legal_moves) == 1 for position in asked.positions)
    assert versions(lazy.positions) == list(range(1, lazy.positions[-1].version + 1))


def test_the_view_can_be_left_out(client: Any) -> None:
    class Blind(AtRandom):
        needs_view = False

    bot = Blind()
    assert against_house(client).seats[1].play(bot).reason
    assert not any(position.view.WhichOneof("game") for position in bot.positions)


def test_one_call_a_move_while_the_seat_stays_asked(connect: Connect, fake: FakeServer) -> None:
    first = ListLegalMovesResponse(version=1, legal_moves=[LegalMove(move_id="a"), LegalMove(move_id="b")])
    first.decision.decision_id, first.decision.seat = 1, 1
    history = ListEventsResponse()
    history.updates.add(version=1)
    fake.answers |= {"ListLegalMoves": first, "GetMatch": match_at(1), "ListEvents": history}
    for version in range(2, 12):
        fake.script["ApplyMove"].append(answer_at(version, last=version == 11))
    bot = AtRandom()
    assert connect(fake.address).seat("m", "c", 1).play(bot).reason == "DONE"
    calls = {rpc: len(requests) for rpc, requests in fake.requests.items()}
    # A stream that is refused while its first message is under way can break off first, and is tried again.
    assert calls.pop("PlayMatch") >= 1
    assert calls == {"ListLegalMoves": 1, "GetMatch": 1, "ListEvents": 1, "ApplyMove": 10}
    assert versions(bot.positions) == list(range(1, 11))


def match_at(version: int) -> GetMatchResponse:
    answer = GetMatchResponse()
    answer.match.version = version
    return answer


def answer_at(version: int, *, last: bool) -> Any:
    answer = ApplyMoveResponse(applied_version=version, version=version)
    answer.updates.add(version=version)
    if last:
        answer.outcome.reason = "DONE"
    else:
        answer.decision.decision_id, answer.decision.seat = version, 1
        answer.legal_moves.add(move_id="a")
    return lambda *_: answer


def test_a_match_that_finishes_while_it_chooses_gives_its_outcome(connect: Connect, fake: FakeServer) -> None:
    first = ListLegalMovesResponse(version=1, legal_moves=[LegalMove(move_id="a")])
    first.decision.decision_id, first.decision.seat = 1, 1
    over = match_at(2)
    over.match.status = 3
    over.match.outcome.reason = "DONE"
    fake.script["ListLegalMoves"].extend([lambda *_: first])
    fake.script["GetMatch"].extend([lambda *_: match_at(1)])
    fake.answers |= {"GetMatch": over}
    history = ListEventsResponse()
    history.updates.add(version=1)
    fake.answers["ListEvents"] = history
    fake.script["ApplyMove"].append(refused(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_FINISHED"))
    assert connect(fake.address).seat("m", "c", 1).play(AtRandom()).reason == "DONE"


def test_an_abandoned_match_has_no_outcome(connect: Connect, fake: FakeServer) -> None:
    abandoned = match_at(7)
    abandoned.match.status = MATCH_STATUS_ABANDONED
    fake.answers["GetMatch"] = abandoned
    with pytest.raises(MatchAbandoned):
        connect(fake.address).seat("m", "c", 1).play(AtRandom())


def test_a_view_and_a_decision_of_different_versions_are_read_again(connect: Connect, fake: FakeServer) -> None:
    first = ListLegalMovesResponse(version=2, legal_moves=[LegalMove(move_id="a")])
    first.decision.decision_id, first.decision.seat = 2, 1
    fake.answers |= {"ListLegalMoves": first, "GetMatch": match_at(2)}
    fake.script["GetMatch"].append(lambda *_: match_at(1))
    history = ListEventsResponse()
    for version in (1, 2, 3):
        history.updates.add(version=version)
    fake.answers["ListEvents"] = history
    fake.script["ApplyMove"].append(answer_at(3, last=True))
    bot = AtRandom()
    connect(fake.address).seat("m", "c", 1).play(bot)
    assert [position.version for position in bot.positions] == [2]
    assert versions(bot.positions) == [1, 2]
