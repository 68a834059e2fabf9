"""The table of Gold'n Crash as a person sees it."""

import io
import re

from rich.console import Console

from tests.clients.terminal.table import changed, text, view, voice_of, words
from umpire.goldn_crash.v1 import goldn_crash_pb2 as gc
from umpire_terminal.games import find_face
from umpire_terminal.games.goldn_crash import FACE

MIDDLE = "   column 1   "


def drawn(now: gc.View, before: gc.View | None = None, *, full: bool = False) -> str:
    return text(FACE.draw(now, before, voice_of(1), full=full))


def line_with(drawing: str, part: str) -> str:
    (line,) = [line for line in drawing.splitlines() if part in line]
    return line


def test_the_game_is_found_by_its_id() -> None:
    assert find_face("goldn_crash") is FACE


def test_it_fits_80_columns_in_full_too() -> None:
    for full in (False, True):
        assert max(map(len, drawn(view(), full=full).splitlines())) <= 80


def test_the_rival_sits_above_and_the_own_side_below() -> None:
    drawing = drawn(view())
    places = [drawing.index(part) for part in ("The bot (Meowmurai)", "Board 3", "The Banker", MIDDLE, "The Countess", "Bomb 1 ", "You (Octopirate)", "Bomb 2")]
    assert places == sorted(places)


def test_seat_2_sees_its_own_side_below() -> None:
    drawing = text(FACE.draw(view(), None, voice_of(2), full=False))
    assert drawing.index("Octopirate") < drawing.index(MIDDLE) < drawing.index("You (Meowmurai)")


def test_a_spectator_sees_both_sides_by_their_names() -> None:
    drawing = text(FACE.draw(view(), None, voice_of(0, bot=False, names=("Ann", "Bob")), full=False))
    assert drawing.index("Bob (Meowmurai)") < drawing.index("Ann (Octopirate)")


def test_columns_begin_at_their_zeppelin_on_both_sides() -> None:
    lines = drawn(view()).splitlines()
    rows = [
        next(number for number, line in enumerate(lines) if part in line)
        for part in ("Board 3", "Secure 1", "The Banker", "The Countess", "Bomb 1 ", "Gold 4  last")
    ]
    assert rows == sorted(rows)
    # Short columns of the rival stand next to their zeppelins as well.
    assert "Reinforce 1" in line_with("\n".join(lines), "Secure 1")


def test_everything_of_the_own_seat_is_there() -> None:
    drawing = words(FACE.draw(view(), None, voice_of(1), full=False))
    assert "hand Bomb 2, Reinforce 2, Gold 6" in drawing
    assert "known of the deck Gold 4 as card 1 from the top" in drawing
    assert "treasure, top first Fish 1, The Jockey, Gold 4" in drawing
    assert "treasure 3, 2 locked, worth 10 gold" in drawing
    assert "deck 21" in drawing


def test_of_the_rival_only_what_the_view_has_is_there() -> None:
    above = drawn(view()).partition(MIDDLE)[0]
    assert "hand 6" in above
    assert "deck 19" in above
    assert "worth" not in above
    assert "known of the deck" not in above


def test_zeppelins_say_what_is_known_of_them() -> None:
    drawing = drawn(view())
    assert "ZEPPELIN 2, held 1" in drawing
    assert "ZEPPELIN ?, held 1" in drawing
    assert "zeppelin 1 destroyed" in drawing


def test_guests_say_what_they_want_and_are_worth() -> None:
    drawing = drawn(view())
    assert "9 gold below: +5" in drawing
    assert "3 Fish: +5" in drawing
    assert "2 Gold: +5" in drawing


def test_a_long_pile_is_cut_and_shown_whole_in_full() -> None:
    assert "discard, top first Fish 2, Secure 3, Board 2, Bomb 1 and 2 more" in words(FACE.draw(view(), None, voice_of(1), full=False))
    assert "discard, top first Fish 2, Secure 3, Board 2, Bomb 1, Gold 4, Fish 1" in words(FACE.draw(view(), None, voice_of(1), full=True))


def test_in_full_it_has_the_options_and_the_guests_out_of_the_game() -> None:
    drawing = words(FACE.draw(view(options=gc.Options(bomb_strength=gc.BOMB_STRENGTH_BOMB_CARDS)), None, voice_of(1), full=True))
    assert "Out of the game: DUELLIST and GENERAL" in drawing  # of which this catalog does not know the names
    assert "the Bomb cards of the column" in drawing
    assert "At most 100 rounds" in drawing


def test_cards_being_looked_at_are_there() -> None:
    now = view()
    now.seats[0].own.observed.extend(["SECURE_2", "FISH_1"])
    assert "looking at Secure 2, Fish 1" in words(FACE.draw(now, None, voice_of(1), full=False))


def test_the_status_says_whose_turn_it_is_and_that_it_is_the_last() -> None:
    assert "your turn · 1 action to come" in drawn(view())
    assert "THE LAST TURN" not in drawn(view())
    now = view(active_seat=2, last_turn=True)
    assert "the bot's turn" in drawn(now)
    assert "THE LAST TURN" in drawn(now)


def test_after_the_end_both_treasures_lie_open() -> None:
    now = view()
    now.active_seat = 0
    now.seats[1].treasure.CopyFrom(gc.TreasureView(cards=["GOLD_6"], gold=6))
    drawing = words(FACE.draw(now, None, voice_of(1), full=True))
    assert "the match is over" in drawing
    assert "worth 6 gold" in drawing
    assert "treasure, top first Gold 6" in drawing


def test_nothing_is_marked_at_the_first_look_or_if_nothing_changed() -> None:
    assert "*" not in drawn(view())
    assert "*" not in drawn(view(), view())


def test_what_is_new_has_a_star_and_nothing_else() -> None:
    now, before = changed(view()), view()
    now.seats[1].columns[0].cards.append("FISH_2")
    now.seats[1].hand_count = 5
    now.seats[1].columns[1].withstood = 2
    now.seats[0].own.hand.append("GOLD_6")
    now.seats[0].discard.append("BOMB_3")
    drawing = drawn(now, before)
    assert "Fish 2 *" in drawing
    assert "hand 5 *" in drawing
    assert "held 2 *" in drawing
    assert "Gold 6, Gold 6 *" in drawing
    assert "Bomb 3 *" in drawing
    assert drawing.count("*") == 5


def test_what_has_gone_leaves_a_star() -> None:
    now, before = changed(view()), view()
    del now.seats[1].columns[0].cards[-1]
    del now.seats[0].columns[2].cards[:]
    now.seats[0].columns[0].ClearField("guest")
    drawing = drawn(now, before)
    assert "Gold 4 *" in drawing
    assert "- *" in drawing
    assert "no guest *" in drawing
    assert drawing.count("*") == 3


def test_colours_are_the_terminals_own_for_light_and_dark_backgrounds() -> None:
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=True, color_system="truecolor").print(FACE.draw(view(), None, voice_of(1), full=True))
    codes = {code for found in re.findall(r"\x1b\[([\d;]*)m", out.getvalue()) for code in found.split(";")}
    assert {"31", "33"} <= codes  # Bomb, Gold
    assert not codes & {"38", "48", "30", "37", "90", "97"}  # no fixed colours, neither black nor white
    assert not any(code.startswith("4") and len(code) == 2 for code in codes)  # no backgrounds


def test_without_colour_not_a_letter_is_lost() -> None:
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=True, no_color=True).print(FACE.draw(view(), None, voice_of(1), full=True))
    assert not re.search(r"\x1b\[[\d;]*3[0-7]", out.getvalue())
    assert re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()) == drawn(view(), full=True)
