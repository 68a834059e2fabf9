"""Answers that are truly lost, between the client and a live service: what was played is not played again."""

from typing import Any

import pytest

from service.private_redis import PrivateRedis
from tests.clients.python.conftest import Connect
from tests.clients.python.relay import Relay
from tests.serving import API_KEY, Serving
from umpire.v1.match_pb2 import CAUSE_PERSON
from umpire_client import Bot, Client, Position, RetryPolicy, Unavailable, house_bot, person

GAME = "goldn_crash"


@pytest.fixture
def through(connect: Connect, relay: Relay) -> Any:
    """A client whose answers go through the relay."""
    return connect(relay.address, api_key=API_KEY)


def test_a_move_whose_answer_is_lost_is_played_once(through: Any, relay: Relay) -> None:
    created = through.create_match(GAME, [person(), person()])
    asked = created.seats[created.match.decisions[0].seat]
    relay.to_lose = 2
    answer = asked.apply("draw", decision_id=1)
    assert relay.lost == 2
    assert (answer.applied_version, answer.version) == (2, 2)
    assert [update.cause for update in created.spectator.events(1)] == [CAUSE_PERSON]


def test_a_creation_and_a_claim_whose_answers_are_lost_happen_once(through: Any, relay: Relay) -> None:
    relay.to_lose = 1
    created = through.create_match(GAME, [person(), person()], invite=True)
    relay.to_lose = 1
    one = through.claim_seat(created.match_id, created.invites[1])
    two = through.claim_seat(created.match_id, created.invites[2])
    assert relay.lost == 2
    assert [one.get().viewer, two.get().viewer] == [1, 2]


def test_if_no_answer_comes_through_in_time_the_move_is_unknown_and_can_be_settled(connect: Connect, relay: Relay, serving: Serving) -> None:
    with Client(serving.grpc, api_key=API_KEY) as direct:
        created = direct.create_match(GAME, [person(), person()])
        seat = created.seats[created.match.decisions[0].seat]
        hasty = connect(relay.address, retry=RetryPolicy(deadline=2, first_delay=0.01, longest_delay=0.05)).seat(created.match_id, seat.credential)
        relay.to_lose = 10_000
        with pytest.raises(Unavailable) as caught:
            hasty.apply("draw", decision_id=1)
        assert relay.lost
        assert caught.value.applied == "UNKNOWN"
        assert seat.apply("draw", decision_id=1, request_id=caught.value.request_id).applied_version == 2
        assert created.spectator.get().version == 2


class Losing(Bot):
    """Plays at random, and lets each third answer to a move be lost. Remembers what it chose."""

    def __init__(self, relay: Relay) -> None:
        super().__init__(seed=5)
        self.relay = relay
        self.decisions: list[int] = []
        self.versions: list[int] = []

    def choose(self, position: Position) -> str:
        self.decisions.append(position.decision.decision_id)
        self.versions += [update.version for update in position.updates]
        self.relay.to_lose = int(len(self.decisions) % 3 == 0)
        return position.rng.choice(position.legal_moves).move_id


def test_a_bot_whose_answers_are_lost_misses_nothing_and_repeats_nothing(through: Any, relay: Relay) -> None:
    created = through.create_match(GAME, [person(), house_bot("keen")], seed="5a" * 32)  # one that is long enough
    bot = Losing(relay)
    outcome = created.seats[1].play(bot)
    relay.to_lose = 0
    updates = list(created.seats[1].events())
    assert relay.lost > 2
    assert outcome == created.seats[1].get().outcome
    assert bot.decisions == [update.decisions_closed[0].decision_id for update in updates if update.cause == CAUSE_PERSON]
    assert bot.versions == [update.version for update in updates][: len(bot.versions)]


def test_a_bot_plays_on_when_its_worker_is_killed_and_another_comes(connect: Connect, redis_server: PrivateRedis, key_prefix: str) -> None:
    serving = Serving(redis_server.url, key_prefix=key_prefix).start()

    class Killing(Bot):
        chosen = 0

        def choose(self, position: Position) -> str:
            self.chosen += 1
            if self.chosen in {3, 6}:
                serving.processes[0].kill()
                serving.processes[0].wait()
                serving.processes[0] = serving.start_worker(0)
            return position.legal_moves[0].move_id

    try:
        created = connect(serving.grpc, api_key=API_KEY).create_match(GAME, [person(), house_bot("random")])
        bot = Killing()
        assert created.seats[1].play(bot).reason
        assert bot.chosen == len([update for update in created.spectator.events() if update.cause == CAUSE_PERSON])
    finally:
        serving.stop()
