"""Monster Mash-Up through ``umpire play``, as processes against a live server."""

import random
import re
import shlex
import signal
from pathlib import Path

import pytest

from tests.clients.terminal.process import Home, Playing, resuming
from tests.serving import API_KEY, Serving
from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire.v1.match_pb2 import Match
from umpire_client import Client
from umpire_terminal.games.monster_mash_up import questions
from umpire_terminal.games.monster_mash_up.cards import ability
from umpire_terminal.voice import Voice

WON = re.compile(r"^(You have won|.* won): (.*) Heads: \S.* (\d) and \S.* (\d)\.$", re.MULTILINE)
A_CARD = r"(?!no |a card|\d+ cards)"  # its name, where others read how many


@pytest.fixture
def home(tmp_path: Path, serving: Serving) -> Home:
    return Home(tmp_path / "state", serving.grpc)


def anything(seed: int) -> list[str]:
    rng = random.Random(seed)
    return [str(rng.randint(1, 7)) for _ in range(3_000)]


def ending(output: str) -> tuple[str, list[int]]:
    """Who won, and the heads of seats 1 and 2."""
    last = re.sub(r"(?<=\S) *\n(?=\S)", " ", output[output.rindex("╯") :])  # as if it were not wrapped
    (found,) = WON.findall(last)
    return found[0], [int(found[2]), int(found[3])]


@pytest.mark.parametrize("heads", [2, 3])
def test_a_whole_duel_against_a_house_bot(home: Home, heads: int) -> None:
    played = home.run("monster_mash_up", "--bot", "random", "--option", f"heads_to_win={heads}", lines=anything(heads))
    assert (played.returncode, played.stderr) == (0, "")
    won, gained = ending(played.stdout)
    assert won in {"You have won", "The bot won", "You and the bot won"}
    assert max(gained) == heads
    assert "A duel of mad scientists" in played.stdout
    assert max(map(len, played.stdout.splitlines())) <= 80
    assert "release does not know" not in played.stdout
    assert not re.search(rf"The bot drew {A_CARD}", played.stdout)
    assert home.files() == []


def test_a_whole_match_against_dr_entropy(home: Home) -> None:
    played = home.run("monster_mash_up", "--mode", "solo", lines=anything(5))
    assert (played.returncode, played.stderr) == (0, "")
    won, gained = ending(played.stdout)
    assert won in {"You have won", "Dr. Entropy won", "You and Dr. Entropy won"}
    assert max(gained) == 2
    assert "Dr. Entropy rolled his Boost Die" in played.stdout
    assert "seat 2" not in played.stdout
    assert max(map(len, played.stdout.splitlines())) <= 80


def test_without_colour_as_with_it_the_words_are_the_same(home: Home) -> None:
    lines = ["choose dr", "1", "q"]
    plain, coloured = Home(home.folder / "a", home.environment["UMPIRE_SERVER"]), Home(home.folder / "b", home.environment["UMPIRE_SERVER"])
    coloured.environment["FORCE_COLOR"] = "1"
    asked = ["monster_mash_up", "--mode", "solo", "--seed", "5a" * 32]
    with_colour = coloured.run(*asked, lines=lines).stdout
    assert re.search(r"\x1b\[[\d;]*3[1-6]m", with_colour)
    without = plain.run(*asked, lines=lines).stdout
    assert "Your turn with the dice." in without
    assert re.sub(r"\x1b\[[\d;]*m", "", with_colour).splitlines()[:-1] == without.splitlines()[:-1]  # the last one has the match's id


def test_two_people_choose_in_secret_until_both_have_chosen(home: Home, tmp_path: Path, serving: Serving) -> None:
    ann = Playing(home, "monster_mash_up", "--invite", "--name", "Ann")
    (joining,) = re.findall(r"^\S+ play .*--join .*$", ann.wait_for("Waiting for people"), re.MULTILINE)
    bobs = Home(tmp_path / "bob", serving.grpc)
    bob = Playing(bobs, *shlex.split(joining)[2:], "--name", "Bob")
    for playing in (ann, bob):
        playing.type("1", "1", "pass")
    ann.wait_for("Boost, Defend or the Panic Button?")
    bob.wait_for("Boost, Defend or the Panic Button?")
    ann.type("boost 1")
    ann.wait_for("Waiting for Bob")
    bob.type("q")
    assert bob.end() == 0
    back = bobs.run(*resuming(bob.read), lines=["t", "l", "q"])  # what Bob can see while only Ann has chosen
    seen = re.sub(r"^ +\d+ (Boost|Defend|Hit).*$", "", back.stdout, flags=re.MULTILINE)  # his own menu
    assert "Ann chose, in secret." in seen
    assert "has chosen, in secret" in seen
    assert "Boost 1" not in seen
    assert "Revealed" not in seen
    last = bobs.run("--resume", lines=["defend", "q"])
    assert "Revealed: Ann: Boost 1; you: Defend." in re.sub(r"\s+", " ", last.stdout)
    ann.wait_for("Revealed: you: Boost 1; Bob: Defend.")
    ann.process.send_signal(signal.SIGINT)  # she may not be asked next
    assert ann.end() == 130


def test_two_people_play_a_whole_duel(home: Home, tmp_path: Path) -> None:
    ann = Playing(home, "monster_mash_up", "--invite", "--name", "Ann")
    (joining,) = re.findall(r"^\S+ play .*--join .*$", ann.wait_for("Waiting for people"), re.MULTILINE)
    bobs = Home(tmp_path / "bob", home.environment["UMPIRE_SERVER"])
    bob = Playing(bobs, *shlex.split(joining)[2:], "--name", "Bob")
    for seed, playing in enumerate((ann, bob)):
        playing.type(*anything(seed)[:2_000])
    assert (ann.end(), bob.end()) == (0, 0)
    (anns, heads), (bobs_end, same) = ending(ann.read), ending(bob.read)
    assert heads == same
    assert (anns, bobs_end) in {("You have won", "Ann won"), ("Bob won", "You have won"), ("You and Bob won", "Ann and you won")}
    assert not re.search(rf"Bob drew {A_CARD}", ann.read)
    assert not re.search(rf"Ann drew {A_CARD}", bob.read)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--mode", "trio"], "it has duel, solo"),
        (["--mode", "solo", "--bot", "keen"], "1 seat in the mode solo"),
        (["--mode", "solo", "--invite"], "1 seat in the mode solo"),
        (["--seats", "3"], "1 to 2 seats"),
    ],
)
def test_a_mode_that_cannot_be_is_said_in_one_line(home: Home, arguments: list[str], problem: str) -> None:
    played = home.run("monster_mash_up", *arguments)
    assert (played.returncode, played.stdout) == (2, "")
    assert played.stderr.count("\n") == 1
    assert problem in played.stderr


def test_every_kind_of_decision_move_and_end_of_the_catalog_is_worded(serving: Serving) -> None:
    with Client(serving.grpc, api_key=API_KEY) as client:
        game = client.get_game("monster_mash_up")
        cards = client.cards("monster_mash_up", "house")
    assert {kind.kind.lower() for kind in game.decision_kinds} == set(questions.QUESTIONS)
    assert {move for kind in game.decision_kinds for move in kind.move_types} == set(questions.HEADINGS)
    assert set(game.end_reasons) == set(questions.REASONS)
    assert {value.name for card in cards.values() if card.kind == "MONSTER" for value in card.values} == {
        *("front", "life", "intelligence", "if", "back", "special_attack", "speed", "then")
    }
    voice = Voice(Match(viewer=1), cards, {})
    for card in cards.values():
        if card.kind == "SCIENTIST":  # its text is told apart by sides
            sides = [ability(voice, card.card, side) for side in (mm.SIDE_A, mm.SIDE_B)]
            assert all(side and side in card.text and "Side" not in side for side in sides)
            assert sides[0] != sides[1]
