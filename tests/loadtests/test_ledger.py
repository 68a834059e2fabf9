"""Doctored histories: what the load test compares with must find each of these."""

from dataclasses import dataclass, field

import pytest

from loadtests.load.ledger import CONTRADICTORY, LOST, PUBLIC, Acknowledged, Ledger, Telling
from loadtests.load.seen import Step
from umpire.v1 import match_pb2

MATCH = "0a1-doctored"


def step(version: int, seat: int = 1, cause: str = "CAUSE_PERSON", more: str = "") -> Step:
    """A step of a match in which seats 1 and 2 take turns; each step closes the decision of the one before."""
    closed = ((version - 1, seat),) if version > 1 else ()
    return Step(version, cause if version > 1 else "CAUSE_SET_UP", seat, ((version, 3 - seat),), closed, {"version": version, "note": more})


@dataclass
class Told:
    """A match that was played in order, as the clients were told it. Tests change one thing."""

    history: list[Step] = field(default_factory=lambda: [step(version, 1 + version % 2) for version in range(1, 8)])
    ledger: Ledger = field(default_factory=lambda: Ledger(MATCH))

    def __post_init__(self) -> None:
        self.ledger.acknowledged = [Acknowledged(one.seat, one.version - 1, "draw", one.version) for one in self.history[1:]]
        self.watched = list(self.history)
        self.answered = list(self.history[2:4])
        self.own = list(self.history)

    def findings(self) -> dict[str, str]:
        self.ledger.tellings += [Telling(PUBLIC, "a stream", self.watched, is_whole=True), Telling(1, "an answer", self.answered)]
        found = self.ledger.judge({PUBLIC: self.history, 1: self.own})
        assert all(finding.match_id == MATCH for finding in found)
        return {finding.what: finding.kind for finding in found}


@pytest.fixture
def told() -> Told:
    return Told()


def test_a_match_that_was_told_as_it_was_played_has_no_findings(told: Told) -> None:
    assert told.findings() == {}


def test_an_acknowledged_move_that_the_history_does_not_have_is_lost(told: Told) -> None:
    del told.history[-1], told.own[-1], told.watched[-1]
    assert told.findings() == {"seat 2's draw (decision 6) was acknowledged as version 7, where there is nothing": LOST}


def test_an_acknowledged_move_in_whose_place_stands_another_seats_step_is_lost(told: Told) -> None:
    told.ledger.acknowledged[1] = Acknowledged(1, 2, "draw", 3)
    assert LOST in told.findings().values()


def test_a_step_that_is_missing_in_the_history_is_a_contradiction(told: Told) -> None:
    del told.history[3]
    found = told.findings()
    assert found["the history of the public has version 5 where 4 must follow"] == CONTRADICTORY


def test_a_step_that_comes_twice_on_a_stream_is_a_contradiction(told: Told) -> None:
    told.watched.insert(2, told.watched[2])
    assert told.findings() == {"a stream of the public has version 3 where 4 must follow": CONTRADICTORY}


def test_contents_that_differ_between_a_stream_and_the_history_are_a_contradiction(told: Told) -> None:
    told.watched[4] = step(5, told.watched[4].seat, more="another card")
    assert told.findings() == {"a stream of the public told other contents of version 5 than the history": CONTRADICTORY}


def test_contents_that_differ_between_an_answer_and_its_seats_history_are_a_contradiction(told: Told) -> None:
    told.answered[0] = step(3, told.answered[0].seat, more="another card")
    assert told.findings() == {"an answer of seat 1 told other contents of version 3 than the history": CONTRADICTORY}


def test_a_seat_may_be_told_more_than_the_public_but_not_another_step(told: Told) -> None:
    told.own = [one._replace(content={"version": one.version, "note": "seen by seat 1"}) for one in told.own]
    told.answered = told.own[2:4]
    assert told.findings() == {}
    other = Told()
    other.own[3] = step(4, 2)
    assert "version 4 is another step to seat 1 than to the public" in other.findings()


def test_a_decision_that_was_answered_twice_is_a_contradiction(told: Told) -> None:
    told.history[4] = told.own[4] = told.watched[4] = told.history[4]._replace(closed=((2, 1), told.history[4].closed[0]))
    told.history[2] = told.own[2] = told.watched[2] = told.answered[0] = told.history[2]._replace(closed=((2, 1), told.history[2].closed[0]))
    assert told.findings() == {"decision 2 of seat 1 was closed 2 times": CONTRADICTORY}


def test_a_stream_that_ends_before_the_match_is_a_contradiction(told: Told) -> None:
    del told.watched[-2:]
    assert told.findings() == {"a stream of the public ended before version 7": CONTRADICTORY}


def test_endings_that_differ_are_a_contradiction(told: Told) -> None:
    told.ledger.endings = {"GetMatch": "DECK_EMPTY", "a stream": "RESIGNATION"}
    assert told.findings() == {"it ended in several ways: GetMatch says DECK_EMPTY, a stream says RESIGNATION": CONTRADICTORY}


def test_a_closed_decision_is_in_order_only_if_anothers_step_closed_it(told: Told) -> None:
    told.history[3] = told.own[3] = told.watched[3] = told.answered[1] = told.history[3]._replace(
        closed=(*told.history[3].closed, (1, 3 - told.history[3].seat))
    )
    told.ledger.overtaken = [(1, 3 - told.history[3].seat)]
    assert told.findings() == {}
    other = Told()
    other.ledger.overtaken = [(4, other.history[4].seat)]
    assert list(other.findings().values()) == [CONTRADICTORY]


def test_a_step_over_grpc_and_the_same_over_rest_are_the_same() -> None:
    message = match_pb2.Update(version=3, cause=match_pb2.CAUSE_BOT, seat=2)
    json = {"version": 3, "cause": "CAUSE_BOT", "seat": 2, "events": [], "decisionsOpened": [], "decisionsClosed": []}
    outline = (3, "CAUSE_BOT", 2, (), ())
    assert Step(*outline, message).says_the_same(Step(*outline, json))
    assert not Step(*outline, message).says_the_same(Step(*outline, json | {"seat": 1}))
