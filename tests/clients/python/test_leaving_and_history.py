"""Leaving, times for moves, matches as they were, proofs: over a live service."""

from datetime import UTC, timedelta
from typing import Any

import pytest

from tests.serving import Serving
from umpire.v1.match_pb2 import CAUSE_DEFAULT, MATCH_STATUS_FINISHED
from umpire_client import Bot, Client, MatchNotFinished, Position, ProofWithheld, SpectatorCannotMove, VersionAhead, house_bot, person

GAME = "goldn_crash"


def two_people(client: Any, **more: Any) -> Any:
    return client.create_match(GAME, [person("Ann"), person("Ben")], options={"goldn_crash": {"first_seat": 1}}, **more)


def test_who_leaves_can_say_so_twice(client: Any) -> None:
    created = two_people(client)
    left = created.seats[1].resign()
    assert left.status == MATCH_STATUS_FINISHED
    assert (list(left.outcome.winners), [seat.left for seat in left.seats]) == ([2], [True, False])
    assert created.seats[1].resign() == left


def test_a_spectator_has_no_seat_to_leave(client: Any) -> None:
    created = two_people(client)
    with pytest.raises(SpectatorCannotMove):
        client.seat(created.match_id, created.spectator.credential).resign()


@pytest.mark.parametrize("move_timeout", [30, timedelta(seconds=30)])
def test_the_time_for_moves_is_asked_for_in_seconds_or_as_a_timedelta(client: Any, move_timeout: Any) -> None:
    created = two_people(client, move_timeout=move_timeout)
    assert created.match.move_timeout.ToTimedelta() == timedelta(seconds=30)
    assert created.seats[1].legal_moves().decision.HasField("deadline")


def test_a_bot_sees_its_deadline_and_plays_on_after_it_let_one_pass(client: Any, serving: Serving) -> None:
    class Slow(Bot):
        def __init__(self) -> None:
            super().__init__()
            self.deadlines: list[Any] = []

        def choose(self, position: Position) -> str:
            self.deadlines.append(position.deadline)
            if len(self.deadlines) == 1:  # until somebody sees that the game has chosen for this seat
                for seen in watcher.watch(since_version=position.version):
                    assert seen.update.cause == CAUSE_DEFAULT
                    break
            return position.legal_moves[0].move_id

    created = client.create_match(GAME, [person(), house_bot("random")], options={"goldn_crash": {"first_seat": 1}}, move_timeout=5)
    with Client(serving.grpc) as other:
        watcher = other.spectator(created.match_id, created.spectator.credential)
        bot = Slow()
        assert created.seats[1].play(bot).reason
    assert len(bot.deadlines) > 1
    assert all(deadline.tzinfo is UTC for deadline in bot.deadlines)
    causes = [update.cause for update in created.spectator.events()]
    assert causes.count(CAUSE_DEFAULT) == 1


def test_without_a_time_for_moves_a_bot_has_no_deadline(client: Any) -> None:
    class Looking(Bot):
        def choose(self, position: Position) -> str:
            assert position.deadline is None
            return position.legal_moves[0].move_id

    assert client.create_match(GAME, [person(), house_bot("random")]).seats[1].play(Looking()).reason


def test_a_match_that_is_over_is_seen_as_it_was(client: Any) -> None:
    created = two_people(client)
    seat = created.seats[1]
    first = seat.get()
    with pytest.raises(MatchNotFinished):
        seat.get(at_version=1)
    seat.apply("draw", decision_id=1)
    over = seat.resign()
    was = seat.get(at_version=1)
    assert (was.version, was.view, list(was.decisions)) == (1, first.view, list(first.decisions))
    assert seat.get(at_version=over.version).outcome == over.outcome
    with pytest.raises(VersionAhead):
        seat.get(at_version=over.version + 1)


def test_a_proof_opens_a_match_that_is_over(client: Any) -> None:
    created = two_people(client)
    with pytest.raises(MatchNotFinished):
        created.creator.proof()
    created.seats[2].resign()
    proof = created.creator.proof()
    assert [step.version for step in proof.steps] == [1, 2]
    assert len(proof.seed) == 64
    assert created.seats[1].proof() == proof


def test_a_proof_that_was_not_wanted_is_never_given(client: Any) -> None:
    created = two_people(client, without_proof=True)
    created.seats[2].resign()
    with pytest.raises(ProofWithheld):
        created.seats[1].proof()
