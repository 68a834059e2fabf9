"""At the table while others act: what they do is told as it happens, how much time is left, leaving for good."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.clients.terminal.process import Home, Playing
from tests.clients.terminal.table import voice_of
from tests.serving import API_KEY, Serving
from umpire.v1.match_event_pb2 import MatchEvent
from umpire.v1.match_pb2 import Decision, Match, Update
from umpire_client import Client, CreatedMatch, Seat, person
from umpire_terminal.clock import time_left
from umpire_terminal.games import find_face
from umpire_terminal.memory import Memory, Remembered, state_folder
from umpire_terminal.telling import tell

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, serving: Serving) -> Home:
    return Home(tmp_path / "state", serving.grpc)


@pytest.fixture
def client(serving: Serving) -> Iterator[Client]:
    with Client(serving.grpc, api_key=API_KEY) as client:
        yield client


def sit(home: Home, seat: Seat) -> Playing:
    """Come to a seat that another client has made."""
    server = home.environment["UMPIRE_SERVER"]
    Memory(state_folder(home.environment)).keep(Remembered(match_id=seat.match_id, seat=seat.number, credential=seat.credential, server=server, tls=False))
    return Playing(home, "--resume")


def two_people(client: Client, first_seat: int, **more: Any) -> CreatedMatch[Any, Any, Any]:
    return client.create_match("goldn_crash", [person("Ann"), person("Ben")], options={"goldn_crash": {"first_seat": first_seat}}, **more)


def test_what_the_others_do_is_told_as_it_happens(home: Home, client: Client) -> None:
    created = two_people(client, first_seat=2)
    ann, ben = sit(home, created.seats[1]), created.seats[2]
    ann.wait_for("Waiting for Ben")
    turn = ben.legal_moves()
    ben.apply("draw", decision_id=turn.decision.decision_id)
    ann.wait_for("· Ben drew a card.")
    ben.resign()
    assert ann.end() == 0
    assert "· Ben left the match for good." in ann.read
    assert "You have won" in ann.read


def test_what_the_last_move_did_is_told_before_the_others_are_waited_for(home: Home, client: Client) -> None:
    created = two_people(client, first_seat=1)
    ann = sit(home, created.seats[1])
    for left in ("2 actions", "1 action"):
        ann.wait_for(f"{left} left. What do you do?")
        ann.type("draw")
    ann.wait_for("Waiting for Ben")
    ann.wait_for("· Turn 2: Ben.")
    created.seats[2].resign()
    assert ann.end() == 0
    assert ann.read.index("· Turn 2: Ben.") < ann.read.index("Waiting for Ben")


def test_it_is_told_also_while_one_is_asked(home: Home, client: Client) -> None:
    created = two_people(client, first_seat=1)
    ann = sit(home, created.seats[1])
    ann.wait_for("What do you do?")
    created.seats[2].resign()
    ann.wait_for("· Ben left the match for good.")
    ann.type("draw")
    assert ann.end() == 0
    assert "this is asked no more" in ann.read
    assert "You have won" in ann.read


def test_the_time_that_is_left_stands_at_the_prompt_and_when_it_is_up_the_game_chooses(home: Home, client: Client) -> None:
    ann = sit(home, two_people(client, first_seat=1, move_timeout=5).seats[1])
    ann.wait_for("What do you do?")
    ann.type("h")
    assert re.search(r"^[1-5] seconds? left > h$", ann.wait_for("> h"), re.MULTILINE)
    ann.wait_for("· You let the time pass, so the game chose:")
    ann.type("q")
    assert ann.end() == 0


def test_leaving_for_good_is_asked_back_first(home: Home) -> None:
    played = home.run("goldn_crash", "--option", "first_seat=1", lines=["resign", "no", "resign", "yes"])
    assert played.returncode == 0, played.stderr
    assert played.stdout.count("Give the match up for good?") == 2
    assert played.stdout.count("You stay.") == 1
    assert "· You left the match for good." in played.stdout
    assert "The bot won" in played.stdout
    assert home.files() == []  # nothing to resume


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"timed_out": {"seat": 1}}, "You let the time pass, so the game chose:"),
        ({"timed_out": {"seat": 2}}, "The bot let the time pass, so the game chose:"),
        ({"left": {"seat": 2}}, "The bot left the match for good."),
        ({"taken_over": {"seat": 1}}, "The creator has given your seat to somebody else: whoever had it is out."),
        ({"taken_over": {"seat": 2}}, "The creator has given seat 2 to somebody else."),
        ({"abandoned": {}}, "Nobody is left at the table: the match was abandoned."),
    ],
)
def test_events_of_the_match_are_told(event: dict[str, Any], told: str) -> None:
    update = Update()
    update.events.add().match.CopyFrom(MatchEvent(**event))
    assert list(tell(update, find_face("goldn_crash"), voice_of(1))) == [told]


@pytest.mark.parametrize(
    ("left", "said"),
    [(25.5, "25 seconds left"), (1.2, "1 second left"), (130, "2 minutes left"), (7300, "2 hours left"), (200_000, "2 days left"), (0.4, "the time is up")],
)
def test_the_time_that_is_left_is_said_in_words(left: float, said: str) -> None:
    decision = Decision()
    decision.deadline.FromDatetime(NOW + timedelta(seconds=left))
    assert time_left(decision, Match(), NOW) == said


def test_no_more_time_is_said_to_be_left_than_a_decision_has() -> None:
    decision, match = Decision(), Match()
    decision.deadline.FromDatetime(NOW + timedelta(hours=3))
    match.move_timeout.FromSeconds(30)
    assert time_left(decision, match, NOW) == "30 seconds left"
    assert time_left(Decision(), match, NOW) == ""
