"""``umpire play`` as a process: what is typed goes in, what is read comes out."""

import contextlib
import os
import pty
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engines.registry import games
from tests.clients.terminal.process import UMPIRE, Home, Playing, resuming
from tests.serving import API_KEY, Serving, free_port
from umpire_client import Client, person
from umpire_terminal.calling import as_called
from umpire_terminal.games.goldn_crash import wording
from umpire_terminal.memory import Memory, Remembered, state_folder

GENERIC = """
import sys
from umpire_terminal import command, sitting
from umpire_terminal.calling import as_called
from umpire_terminal.games.generic import Face
sitting.find_face = lambda game: Face()
sys.exit(command.main(sys.argv[2:]))
"""
ANYTHING = ["1"] * 3_000
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


@pytest.fixture
def home(tmp_path: Path, serving: Serving) -> Home:
    return Home(tmp_path / "state", serving.grpc)


def ending(output: str) -> tuple[str, list[int]]:
    """How the match ended, and the gold of seats 1 and 2."""
    last = re.sub(r"(?<=\S) ?\n(?=\S)", " ", output[output.rindex("╯") :])  # as if it were not wrapped
    (found,) = re.findall(r"^(You have won|.* won|A draw): .*Gold: \S.* (\d+) and \S.* (\d+)\.$", last, re.MULTILINE)
    return found[0], [int(found[1]), int(found[2])]


def test_a_whole_match_against_a_house_bot(home: Home) -> None:
    rng = random.Random(7)
    played = home.run("goldn_crash", "--bot", "random", lines=[str(rng.randint(1, 12)) for _ in range(3_000)])
    assert played.returncode == 0, played.stderr
    assert played.stderr == ""
    won, gold = ending(played.stdout)
    assert won in {"You have won", "The bot won", "A draw"}
    assert len(gold) == 2
    assert "Traceback" not in played.stdout
    assert not CONTROL.search(played.stdout)  # no terminal, no colours
    assert max(map(len, played.stdout.splitlines())) <= 80
    assert home.files() == []  # nothing to resume


def test_a_match_is_told_from_this_seat_only(home: Home) -> None:
    told = home.run("goldn_crash", lines=[*["1"] * 8, "l"]).stdout
    assert re.search(r"· You drew (Bomb|Board|Fish|Reinforce|Secure|Gold) \d\.", told)
    assert "· The bot drew a card." in told or "· The bot played" in told
    assert not re.search(r"The bot drew (Bomb|Board|Fish|Reinforce|Secure|Gold)", told)
    assert "The bot's hand: 5 cards." in told


def test_the_same_seed_deals_the_same_hand(home: Home) -> None:
    asked = ["goldn_crash", "--seed", "5a" * 32, "--option", "first_seat=1", "--seat", "1"]
    hands = [re.findall(r"^  hand .*$", home.run(*asked).stdout, re.MULTILINE) for _ in range(2)]
    assert hands[0] == hands[1] != []


def test_seat_2_and_options_and_the_bot_can_be_chosen(home: Home) -> None:
    played = home.run(
        "goldn_crash",
        "--seat",
        "2",
        "--bot",
        "random",
        "--option",
        "bomb_strength=BOMB_CARDS",
        "--option",
        "seat_1_crew=MEOWMURAI",
        "--name",
        "Ann",
        lines=["t"],
    )
    assert played.returncode == 0
    assert "You (Octopirate)" in played.stdout
    assert "The bot (Meowmurai)" in played.stdout
    assert "the Bomb cards of the column" in played.stdout


def test_without_a_game_one_is_asked_which(home: Home) -> None:
    asked = home.run()
    assert asked.returncode == 2
    assert asked.stderr == f"umpire: which game? {', '.join(games())}\n"


def hands(shown: str) -> list[list[str]]:
    """The cards of each hand that is shown: a long one goes on in further lines, and new cards have a star."""
    found = re.findall(r"^  hand .*(?:\n {12,}\S.*)*", shown, re.MULTILINE)
    return [" ".join(one.replace(" *", "").split()).removeprefix("hand ").split(", ") for one in found]


def test_leaving_and_resuming_goes_on_with_the_same_match(home: Home) -> None:
    left = home.run("goldn_crash", "--option", "first_seat=1", lines=["draw", "q"])
    assert left.returncode == 0
    (file,) = home.files()
    assert file.stat().st_mode & 0o777 == 0o600
    credential = re.search(r'"credential": "([^"]+)"', file.read_text())
    assert credential
    assert credential.group(1) not in left.stdout
    hand = hands(left.stdout)[-1]
    again = home.run(*resuming(left.stdout))
    assert again.returncode == 0
    assert hand in hands(again.stdout)
    assert "1 action to come" in again.stdout
    to_the_end = home.run("--resume", lines=ANYTHING)
    assert ending(to_the_end.stdout)
    assert home.files() == []
    gone = home.run("--resume")
    assert gone.returncode == 2
    assert gone.stderr.startswith("umpire: No match is remembered")


def test_a_match_that_was_deleted_is_said_to_be_gone_and_forgotten(home: Home, serving: Serving) -> None:
    with Client(serving.grpc, api_key=API_KEY) as client:
        created = client.create_match("goldn_crash", [person(), person()])
        Memory(state_folder(home.environment)).keep(Remembered(created.match_id, 1, created.seats[1].credential, serving.grpc))
        created.creator.delete()
    refused = home.run("--resume", created.match_id)
    assert refused.returncode == 1
    assert refused.stderr == "umpire: there is no such match: it was deleted or has expired\n"
    assert home.files() == []


def test_ctrl_c_leaves_and_says_how_to_resume(home: Home) -> None:
    playing = Playing(home, "goldn_crash")
    playing.wait_for("What do you do?")
    playing.process.send_signal(signal.SIGINT)
    assert playing.end() == 130
    assert "Traceback" not in playing.read
    assert home.run(*resuming(playing.wait_for("--resume"))).returncode == 0


def in_a_terminal(home: Home, *arguments: str, keys: bytes, pressed_at: bytes = b"> ", **environment: str) -> tuple[int, str]:
    """Run it in a terminal of its own, press keys at the first prompt (or such a one); returns the exit status and what stood on the screen."""
    own, its = pty.openpty()
    process = subprocess.Popen(
        [*home.command, "play", *arguments], env=home.environment | {"TERM": "xterm-256color"} | environment, stdin=its, stdout=its, stderr=its, close_fds=True
    )
    os.close(its)
    too_long = threading.Timer(60, process.kill)
    too_long.start()
    read, pressed = b"", False
    with contextlib.suppress(OSError):  # how the end of a terminal is told
        while piece := os.read(own, 4_096):
            read += piece
            if pressed_at in read and not pressed:
                os.write(own, keys)
                pressed = True
    os.close(own)
    too_long.cancel()
    return process.wait(30), read.decode()


COLOURED = re.compile(r"\x1b\[[\d;]*3[1-6]m")


@pytest.mark.parametrize("keys", [b"q\n", b"\x04", b"draw\nq\n"])
def test_in_a_terminal_it_has_colours_and_leaves_by_q_or_ctrl_d(home: Home, keys: bytes) -> None:
    status, screen = in_a_terminal(home, "goldn_crash", keys=keys)
    assert status == 0, screen
    assert COLOURED.search(screen)
    assert "umpire play --resume" in screen


def test_at_the_prompt_of_what_is_asked_no_more_it_is_said_so(home: Home, serving: Serving) -> None:
    with Client(serving.grpc, api_key=API_KEY) as client:
        created = client.create_match("goldn_crash", [person("Ann"), person("Ben")], options={"goldn_crash": {"first_seat": 1}}, move_timeout=5)
    seat = created.seats[1]
    Memory(state_folder(home.environment)).keep(Remembered(seat.match_id, 1, seat.credential, serving.grpc, False))
    status, screen = in_a_terminal(home, "--resume", "--no-color", keys=b"q\n", pressed_at=b"asked no more, Enter goes on > ")
    assert status == 0, screen
    assert screen.index("You let the time pass") < screen.index("asked no more, Enter goes on > ")
    assert len(re.findall(r"seconds? left > ", screen)) == 1, "the time of what is asked no more stands there no more"


@pytest.mark.parametrize(("arguments", "environment"), [(["--no-color"], {}), (["--no-colour"], {}), ([], {"NO_COLOR": "1"})])
def test_a_terminal_without_colours_gets_none(home: Home, arguments: list[str], environment: dict[str, str]) -> None:
    status, screen = in_a_terminal(home, "goldn_crash", *arguments, keys=b"q\n", **environment)
    assert status == 0, screen
    assert "What do you do?" in screen
    assert not COLOURED.search(screen)


def test_two_people_play_by_invite(home: Home, tmp_path: Path, serving: Serving) -> None:
    ann = Playing(home, "goldn_crash", "--invite", "--name", "Ann")
    (joining,) = re.findall(r"^\S+ play .*--join .*$", ann.wait_for("Waiting for people"), re.MULTILINE)
    bobs = Home(tmp_path / "bob", "127.0.0.1:1")  # the command itself says which server
    del bobs.environment["UMPIRE_API_KEY"]
    bob = Playing(bobs, *shlex.split(joining)[2:], "--name", "Bob")
    rng = random.Random(11)
    for playing in (ann, bob):
        playing.type(*(str(rng.randint(1, 9)) for _ in range(2_000)))
    assert (ann.end(), bob.end()) == (0, 0)
    (anns, gold), (bobs_end, same) = ending(ann.read), ending(bob.read)
    assert gold == same
    assert (anns, bobs_end) in {("You have won", "Ann won"), ("Bob won", "You have won"), ("A draw", "A draw")}
    assert not re.search(r"Bob drew (Bomb|Board|Fish|Reinforce|Secure|Gold)", ann.read)
    assert not re.search(r"Ann drew (Bomb|Board|Fish|Reinforce|Secure|Gold)", bob.read)
    assert home.files() == bobs.files() == []


def test_leaving_while_waiting_keeps_the_invite(home: Home, tmp_path: Path, serving: Serving) -> None:
    ann = Playing(home, "goldn_crash", "--invite", "--option", "first_seat=2")
    first = re.findall(r"^\S+ play .*--join .*$", ann.wait_for("Waiting for people"), re.MULTILINE)
    ann.process.send_signal(signal.SIGINT)
    assert ann.end() == 130
    again = Playing(home, *resuming(ann.wait_for("--resume")))
    assert re.findall(r"^\S+ play .*--join .*$", again.wait_for("Waiting for people"), re.MULTILINE) == first
    bobs = Home(tmp_path / "bob", serving.grpc)
    match, invite = shlex.split(first[0])[-2:]
    bob = bobs.run("--join", match, lines=[invite, "q"])  # the invite is asked for, and is not in the shell's history
    assert bob.returncode == 0, bob.stderr
    again.wait_for("The match begins")
    again.process.send_signal(signal.SIGINT)
    assert again.end() == 130
    taken = bobs.run("--join", match, invite)
    assert taken.returncode == 1
    assert "invite has been used" in taken.stderr


def test_wrong_input_is_answered_and_breaks_nothing(home: Home) -> None:
    wrong = ["", "99", "0", "-1", "nonsense", "play_card(card=GOLD_9,column=1)", "\x1b[31mred", "🎲", "r NOPE-1", "c nothing", "9" * 5000, "x" * 5000, "? ?"]
    played = home.run("goldn_crash", "--option", "first_seat=1", lines=[*wrong, "draw"])
    assert played.returncode == 0, played.stderr
    assert played.stderr == ""
    assert "There is no move 99: type a number from 1 to" in played.stdout
    assert "No move begins with “nonsense”" in played.stdout
    assert "There is no rule NOPE-1" in played.stdout
    assert "There is no card nothing" in played.stdout
    assert not CONTROL.search(played.stdout)
    assert "You drew" in played.stdout  # the move after all that was played


def test_a_move_that_a_rule_forbids_is_answered_with_the_rule(home: Home) -> None:
    played = home.run("goldn_crash", "--option", "first_seat=1", lines=["pass"])
    assert "TURN-5  You can still take an action." in played.stdout


def test_help_rules_cards_log_and_reasons_are_there_for_the_asking(home: Home) -> None:
    told = home.run("goldn_crash", "--option", "first_seat=1", lines=["h", "?", "r play-2", "c bomb 1", "t", "l", "r", "c"]).stdout
    assert "leave; the match can be resumed" in told
    assert "DISC-1  This column has no card." in told
    assert "PLAY-2  Not in a longest column" in told
    assert "Bomb 1  Play: bomb the zeppelin" in told
    assert "Out of the game: " in told
    assert "GUEST-4" in told


def test_without_a_server_one_line_says_how_to_start_one(tmp_path: Path) -> None:
    server = f"127.0.0.1:{free_port()}"
    for nowhere in (server, "no such host:1", "127.0.0.1:x"):
        played = Home(tmp_path, nowhere).run("goldn_crash")
        assert played.returncode == 1
        assert played.stdout == ""
        assert played.stderr.count("\n") == 1
        assert nowhere in played.stderr
        assert "`umpire serve`" in played.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (["chess"], 2, "there is no game 'chess' on this server; it has " + ", ".join(games())),
        (["goldn_crash", "--bot", "clever"], 2, "it has random, keen"),
        (["goldn_crash", "--seat", "3"], 2, "2 seats"),
        (["goldn_crash", "--option", "speed=9"], 2, "bomb_strength"),
        (["goldn_crash", "--option", "round_limit=9"], 1, "round_limit"),
        (["goldn_crash", "--seed", "5a"], 1, "seed"),
        (["goldn_crash", "--card-set", "none"], 1, "card set"),
        (["goldn_crash", "--api-key", "wrong"], 1, "key"),
        (["goldn_crash", "--api-key", "two words"], 2, "API key"),
        (["goldn_crash", "--server", "127.0.0.9"], 1, "127.0.0.9:50051"),
        (["--resume", "0-nothing"], 2, "No match 0-nothing"),
        (["--join", "0-nothing", "invite"], 1, "invite"),
        (["--join", "a", "b", "c"], 2, "--join"),
        (["--join", "a", "b", "--resume"], 2, "--resume"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(home: Home, arguments: list[str], status: int, problem: str) -> None:
    played = home.run(*arguments)
    assert (played.returncode, played.stdout) == (status, "")
    assert played.stderr.count("\n") == 1
    assert problem.lower() in played.stderr.lower()


def test_a_server_with_keys_asks_for_one(home: Home) -> None:
    del home.environment["UMPIRE_API_KEY"]
    played = home.run("goldn_crash")
    assert played.returncode == 1
    assert "UMPIRE_API_KEY" in played.stderr


def test_the_commands_that_it_prints_begin_as_it_was_called(home: Home) -> None:
    home.command = [sys.executable, "-m", "umpire_terminal"]
    left = subprocess.run([*home.command, "goldn_crash"], input="q\n", env=home.environment, capture_output=True, text=True, timeout=60, check=True)
    (command,) = re.findall(r"^  (.* --resume .*)$", left.stdout, re.MULTILINE)
    assert shlex.split(command)[:3] == home.command
    again = subprocess.run(shlex.split(command), input="q\n", env=home.environment, capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == 0, again.stderr


def test_a_command_on_the_path_is_printed_without_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "umpire").write_text("#!/bin/sh\n")
        (tmp_path / folder / "umpire").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "one"))
    assert as_called([str(tmp_path / "one" / "umpire"), "play"], None, []) == ["umpire", "play"]
    assert as_called([str(tmp_path / "two" / "umpire"), "play"], None, []) == [str(tmp_path / "two" / "umpire"), "play"]
    assert as_called(["-c", "play"], None, ["python3", "-c"]) == ["umpire", "play"]


def test_a_port_that_speaks_no_grpc_is_asked_about_in_one_line(home: Home, serving: Serving) -> None:
    http = f"127.0.0.1:{serving.http_port}"
    for arguments in (["--server", http], ["--server", serving.grpc, "--tls"]):
        played = home.run("goldn_crash", *arguments)
        assert (played.returncode, played.stdout) == (1, "")
        (line,) = [line for line in played.stderr.splitlines() if not line.startswith(("E0000", "I0000", "E1", "I1", "WARNING"))]
        assert line.startswith("umpire: ")
        assert "is this the gRPC port" in line


def test_a_game_without_a_module_of_its_own_is_played_to_the_end(tmp_path: Path, serving: Serving) -> None:
    stranger = Home(tmp_path, serving.grpc, [sys.executable, "-c", GENERIC])
    played = stranger.run("goldn_crash", lines=[*["1"] * 5, "?", "l", "t", *ANYTHING])
    assert played.returncode == 0, played.stderr
    assert "seats 1 · own · hand" in played.stdout
    assert "Cards drawn: you; count 1; cards " in played.stdout
    assert re.search(r"^(You have won|The bot won|A draw): ", played.stdout, re.MULTILINE)


def test_a_game_without_a_module_of_its_own_names_its_automaton(tmp_path: Path, serving: Serving) -> None:
    stranger = Home(tmp_path, serving.grpc, [sys.executable, "-c", GENERIC])
    rng = random.Random(3)
    played = stranger.run("monster_mash_up", "--mode", "solo", lines=[str(rng.randint(1, 5)) for _ in range(1_000)])
    assert played.returncode == 0, played.stderr
    assert "Monster placed: the automaton; front" in played.stdout
    assert re.search(r"^(You have won|The automaton won|You and the automaton won): ", played.stdout, re.MULTILINE)


def test_every_kind_of_decision_and_every_end_of_the_catalog_is_worded(serving: Serving) -> None:
    with Client(serving.grpc, api_key=API_KEY) as client:
        game = client.get_game("goldn_crash")
    assert {kind.kind.lower() for kind in game.decision_kinds} == set(wording.QUESTIONS)
    assert {move for kind in game.decision_kinds for move in kind.move_types} == set(wording.HEADINGS)
    assert set(game.end_reasons) == set(wording.REASONS)


def test_the_service_s_own_command_line_lists_it() -> None:
    shown = subprocess.run([*UMPIRE, "--help"], capture_output=True, text=True, timeout=60, check=True)
    assert "play a game in the terminal" in shown.stdout
    of_its_own = subprocess.run([*UMPIRE, "play", "--help"], capture_output=True, text=True, timeout=60, check=True)
    assert "--invite" in of_its_own.stdout
