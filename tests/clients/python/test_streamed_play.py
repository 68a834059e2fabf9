"""Bots over a stream: asked once a decision, no move is played twice, wherever the stream breaks."""

import random
from typing import Any

import grpc
import pytest

from tests.clients.python.conftest import Connect
from tests.clients.python.fake_match import BROKEN, FakeMatch
from tests.clients.python.fake_server import FakeServer, refused
from umpire.v1.match_service_pb2 import PlayMatchResponse
from umpire_client import Bot, CredentialInvalid, IllegalMove, Position, RetryPolicy, StoreUnavailable, Unavailable

POINTS_OF_A_PLAY = {True: 22, False: 18}


class Remembering(Bot):
    """Makes the first legal move, and remembers its positions."""

    def __init__(self) -> None:
        super().__init__()
        self.positions: list[Position] = []

    def choose(self, position: Position) -> str:
        self.positions.append(position)
        return position.legal_moves[0].move_id


def play(connect: Connect, fake: FakeServer, **more: Any) -> Remembering:
    bot = Remembering()
    assert connect(fake.address, **more).seat("m", "c", 1).play(bot).reason == "DONE"
    return bot


def assert_played_once(match: FakeMatch, bot: Remembering) -> None:
    decisions = list(range(1, match.last, 2))
    assert [position.decision.decision_id for position in bot.positions] == decisions
    assert sorted(match.applied.values()) == [decision + 1 for decision in decisions]
    assert [update.version for position in bot.positions for update in position.updates] == list(range(1, match.last - 1))


@pytest.mark.parametrize("verdict_first", [True, False])
def test_it_plays_over_one_stream(connect: Connect, fake: FakeServer, verdict_first: bool) -> None:
    match = FakeMatch(verdict_first=verdict_first).serve(fake)
    assert_played_once(match, play(connect, fake))
    assert match.opened_since == [0]
    assert fake.requests.keys() == {"PlayMatch"}
    assert fake.metadata["PlayMatch"]["authorization"] == "Bearer c"


@pytest.mark.parametrize(("verdict_first", "point"), [(first, point) for first, last in POINTS_OF_A_PLAY.items() for point in range(1, last + 1)])
def test_a_break_anywhere_costs_no_move_and_plays_none_twice(connect: Connect, fake: FakeServer, point: int, verdict_first: bool) -> None:
    match = FakeMatch(breaks={point: BROKEN}, verdict_first=verdict_first).serve(fake)
    assert_played_once(match, play(connect, fake))
    assert len(match.opened_since) == 2
    assert match.points >= POINTS_OF_A_PLAY[verdict_first]


@pytest.mark.parametrize("seed", range(5))
def test_many_breaks_cost_no_move_and_play_none_twice(connect: Connect, fake: FakeServer, seed: int) -> None:
    rng = random.Random(seed)
    troubles = [BROKEN, refused(grpc.StatusCode.CANCELLED, ""), refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "WATCHER_TOO_SLOW", retry_ms=1)]
    breaks = {point: rng.choice(troubles) for point in rng.sample(range(1, 120), 40)}
    match = FakeMatch(last=31, breaks=breaks, verdict_first=bool(seed % 2)).serve(fake)
    assert_played_once(match, play(connect, fake))
    assert len(match.opened_since) > 10


class Refusing(FakeMatch):
    """Refuses each move so many times before it plays it."""

    def __init__(self, times: int, code: grpc.StatusCode, reason: str) -> None:
        super().__init__()
        self.left = self.times = times
        self.code, self.reason = code, reason
        self.request_ids: list[str] = []

    def _apply(self, move: Any) -> Any:
        self.request_ids.append(move.request_id)
        if not self.left:
            self.left = self.times
            return super()._apply(move)
        self.left -= 1
        verdict = PlayMatchResponse().verdict
        verdict.decision_id, verdict.request_id = move.decision_id, move.request_id
        verdict.refusal.code, verdict.refusal.reason, verdict.refusal.message = self.code.value[0], self.reason, "no"
        verdict.refusal.violation.rule = "PLAY-2"
        return verdict


def test_a_move_that_the_store_did_not_take_goes_again_with_the_same_request_id(connect: Connect, fake: FakeServer) -> None:
    match = Refusing(2, grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE")
    match.serve(fake)
    assert_played_once(match, play(connect, fake))
    assert match.opened_since == [0]
    assert [len(set(match.request_ids[first : first + 3])) for first in range(0, len(match.request_ids), 3)] == [1] * 4


def test_a_store_that_stays_away_is_given_up(connect: Connect, fake: FakeServer) -> None:
    Refusing(10_000, grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE").serve(fake)
    with pytest.raises(StoreUnavailable) as caught:
        play(connect, fake, retry=RetryPolicy(deadline=0.3, first_delay=0.01, longest_delay=0.02))
    assert caught.value.request_id


def test_an_illegal_move_is_told_to_the_author(connect: Connect, fake: FakeServer) -> None:
    Refusing(1, grpc.StatusCode.FAILED_PRECONDITION, "ILLEGAL_MOVE").serve(fake)
    with pytest.raises(IllegalMove, match="no") as caught:
        play(connect, fake)
    assert caught.value.rule == "PLAY-2"


def test_a_refused_stream_is_not_opened_again(connect: Connect, fake: FakeServer) -> None:
    match = FakeMatch(breaks={3: refused(grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID")}).serve(fake)
    with pytest.raises(CredentialInvalid):
        play(connect, fake)
    assert match.opened_since == [0]


def test_if_no_stream_can_be_had_any_more_the_move_is_left_unknown(connect: Connect, fake: FakeServer) -> None:
    FakeMatch(breaks=dict.fromkeys(range(4, 10_000), BROKEN)).serve(fake)
    with pytest.raises(Unavailable) as caught:
        play(connect, fake, retry=RetryPolicy(deadline=0.3, first_delay=0.01, longest_delay=0.02))
    assert caught.value.applied == "UNKNOWN"
    assert caught.value.request_id
