"""What is asked for on the command line, before any match is made."""

from pathlib import Path

import pytest

from umpire.goldn_crash.v1 import goldn_crash_pb2 as gc
from umpire.v1.catalog_pb2 import Game, GameSummary, Mode
from umpire_terminal.command import _joining, _resume
from umpire_terminal.memory import Memory, NotRemembered, Remembered, state_folder
from umpire_terminal.opening import Wanted, _find_game, plan_seats
from umpire_terminal.options import BadChoice, read_options

DUEL = Game(summary=GameSummary(game="duel", title="Duel", modes=[Mode(min_seats=2, max_seats=2)], house_bots=["random", "keen"]))
MASH = Game(
    summary=GameSummary(
        game="mash",
        title="Mash",
        modes=[Mode(mode="DUEL", min_seats=2, max_seats=2), Mode(mode="SOLO", min_seats=1, max_seats=1)],
        house_bots=["random", "keen"],
    )
)
PARTY = Game(
    summary=GameSummary(game="party", title="Party", modes=[Mode(min_seats=3, max_seats=3), Mode(min_seats=4, max_seats=5)], house_bots=["random", "keen"])
)
LONELY = Game(summary=GameSummary(game="lonely", title="Lonely", modes=[Mode(min_seats=2, max_seats=2)]))


class OneGame:
    """A server with one game."""

    def list_games(self) -> list[GameSummary]:
        return [DUEL.summary]

    def get_game(self, game: str) -> Game:
        assert game == "duel"
        return DUEL


def test_without_a_game_the_only_one_is_played() -> None:
    assert _find_game(OneGame(), "") is DUEL


@pytest.mark.parametrize(
    ("game", "wanted", "plan"),
    [
        (DUEL, Wanted("duel"), ["", "keen"]),
        (DUEL, Wanted("duel", seat=2), ["keen", ""]),
        (DUEL, Wanted("duel", bots=["random"]), ["", "random"]),
        (DUEL, Wanted("duel", invite=True), ["", ""]),
        (PARTY, Wanted("party"), ["", "keen", "keen"]),
        (PARTY, Wanted("party", seats=5, bots=["random"], invite=True), ["", "random", "", "", ""]),
        (PARTY, Wanted("party", seat=4), ["keen", "keen", "keen", ""]),
        (PARTY, Wanted("party", bots=["random", "random", "keen"]), ["", "random", "random", "keen"]),
        (LONELY, Wanted("lonely", invite=True), ["", ""]),
        (MASH, Wanted("mash"), ["", "keen"]),
        (MASH, Wanted("mash", seat=2), ["keen", ""]),
        (MASH, Wanted("mash", seats=1), [""]),
        (MASH, Wanted("mash", mode="solo"), [""]),
        (MASH, Wanted("mash", mode="DUEL", bots=["random"]), ["", "random"]),
        (MASH, Wanted("mash", invite=True), ["", ""]),
    ],
)
def test_who_sits_where(game: Game, wanted: Wanted, plan: list[str]) -> None:
    assert plan_seats(game, wanted) == plan


@pytest.mark.parametrize(
    ("game", "wanted", "problem"),
    [
        (DUEL, Wanted("duel", seat=3), "Duel has 2 seats"),
        (DUEL, Wanted("duel", seat=0), "from 1"),
        (DUEL, Wanted("duel", bots=["keen", "keen"]), "Duel has 2 seats"),
        (DUEL, Wanted("duel", bots=["clever"]), "it has random, keen"),
        (PARTY, Wanted("party", seats=6), "Party has 3 to 5 seats"),
        (PARTY, Wanted("party", seats=3, seat=4), "Party has 3 to 5 seats"),
        (LONELY, Wanted("lonely"), "--invite"),
        (MASH, Wanted("mash", mode="trio"), "no mode 'trio'; it has duel, solo"),
        (MASH, Wanted("mash", mode="solo", seat=2), "Mash has 1 seat in the mode solo"),
        (MASH, Wanted("mash", mode="solo", bots=["keen"]), "Mash has 1 seat in the mode solo"),
        (MASH, Wanted("mash", mode="solo", invite=True), "Mash has 1 seat in the mode solo"),
        (MASH, Wanted("mash", mode="solo", seats=2), "Mash has 1 seat in the mode solo"),
    ],
)
def test_what_a_game_does_not_have_is_refused_with_what_it_has(game: Game, wanted: Wanted, problem: str) -> None:
    with pytest.raises(BadChoice, match=problem):
        plan_seats(game, wanted)


def test_options_are_read_by_their_types() -> None:
    read = read_options("goldn_crash", ["bomb_strength=bomb_cards", "round_limit=30", "seat_1_crew=MEOWMURAI", "first_seat=0"])
    assert read is not None
    assert read.goldn_crash == gc.Options(bomb_strength=gc.BOMB_STRENGTH_BOMB_CARDS, round_limit=30, seat_1_crew="MEOWMURAI", first_seat=0)
    assert read_options("goldn_crash", []) is None


@pytest.mark.parametrize(
    ("pair", "problem"),
    [
        ("bomb_strength", "key=value"),
        ("colour=red", "bomb_strength, pile_minimum"),
        ("bomb_strength=LOUD", "ALL_CARDS, BOMB_CARDS"),
        ("bomb_strength=UNSPECIFIED", "ALL_CARDS, BOMB_CARDS"),
        ("bomb_strength=CARDS", "ALL_CARDS, BOMB_CARDS"),
        ("round_limit=ten", "a number"),
    ],
)
def test_a_bad_option_is_refused_with_what_it_takes(pair: str, problem: str) -> None:
    with pytest.raises(BadChoice, match=problem):
        read_options("goldn_crash", [pair])


def test_an_option_of_an_unknown_game_is_refused() -> None:
    with pytest.raises(BadChoice, match="does not know"):
        read_options("acorns", ["a=1"])


def remembered(match_id: str = "1-a", seat: int = 1) -> Remembered:
    return Remembered(match_id, seat, f"credential of {match_id}.{seat}", "127.0.0.1:50051", invites={"2": "an invite"})


def test_a_match_is_kept_where_only_its_owner_reads(tmp_path: Path) -> None:
    memory = Memory(state_folder({"XDG_STATE_HOME": str(tmp_path)}))
    memory.keep(remembered())
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert memory.find("1-a") == remembered()


def test_the_last_one_is_found_without_an_id_and_a_forgotten_one_is_not(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "state")
    with pytest.raises(NotRemembered, match="No match is remembered"):
        memory.find("")
    memory.keep(remembered("1-a"))
    memory.keep(remembered("1-b"))
    memory.keep(remembered("1-b"))
    assert memory.find("").match_id == "1-b"
    memory.forget(remembered("1-b"))
    assert memory.find("").match_id == "1-a"
    with pytest.raises(NotRemembered, match="No match 1-b"):
        memory.find("1-b")


def test_two_seats_of_a_match_are_told_apart(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep(remembered(seat=1))
    memory.keep(remembered(seat=2))
    with pytest.raises(NotRemembered, match="--seat 1 or --seat 2"):
        memory.find("1-a")
    assert memory.find("1-a", 2).seat == 2


def test_a_match_id_cannot_name_a_file_elsewhere(tmp_path: Path) -> None:
    Memory(tmp_path / "state").keep(remembered("../../evil"))
    assert [path.parent for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "state"]


def test_a_broken_file_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep(remembered())
    (tmp_path / "other.1.json").write_text("[]")
    (tmp_path / "another.1.json").write_text("{")
    assert memory.find("") == remembered()


def test_without_a_state_home_it_is_in_the_home() -> None:
    assert state_folder({}) == Path.home() / ".local/state/umpire/matches"


def test_an_id_or_invite_of_a_server_does_not_command_the_terminal(tmp_path: Path) -> None:
    known = Remembered("a-match\x1b[8m; rm x", 1, "a credential", "127.0.0.1:50051")
    for line in (_joining(known, "an-invite\x1b[2K\r"), _resume(known, Memory(tmp_path))):
        assert line.isprintable()
        assert "'a-match[8m; rm x'" in line
