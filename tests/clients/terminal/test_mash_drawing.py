"""The table of Monster Mash-Up as a person sees it."""

import io
import re

import pytest
from rich.console import Console

from tests.clients.terminal.mash import at_the_start, changed_view, view, voice_of
from tests.clients.terminal.table import text
from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire.v1.match_pb2 import Match, Seat
from umpire_terminal.games import find_face
from umpire_terminal.games.monster_mash_up import FACE
from umpire_terminal.voice import Voice


def drawn(now: mm.View, before: mm.View | None = None, *, full: bool = False, voice: Voice | None = None) -> str:
    return text(FACE.draw(now, before, voice or voice_of(), full=full))


def sides(drawing: str) -> tuple[str, str]:
    """What stands in the left and in the right column, each as one line."""
    rows = [line.split("│") for line in drawing.splitlines() if line.startswith("│")]
    middle = [len(row) // 2 for row in rows]
    left = " ".join(" ".join(row[1:cut]) for row, cut in zip(rows, middle, strict=True))
    right = " ".join(" ".join(row[cut:-1]) for row, cut in zip(rows, middle, strict=True))
    return " ".join(left.split()), " ".join(right.split())


def words(drawing: str) -> str:
    return " ".join(drawing.split())


def test_the_game_is_found_by_its_id() -> None:
    assert find_face("monster_mash_up") is FACE


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("now", [view(), at_the_start(), at_the_start(secret=True)])
def test_it_fits_80_columns_in_full_too(now: mm.View, full: bool) -> None:
    assert max(map(len, drawn(now, view(), full=full).splitlines())) <= 80


def test_the_own_side_is_left_and_the_other_right() -> None:
    left, right = sides(drawn(view()))
    assert left.startswith("You: Dr. Chaos, side A")
    assert right.startswith("The bot: Baron Bulwark, side B")
    left, right = sides(drawn(view(), voice=voice_of(2)))
    assert left.startswith("You: Baron Bulwark, side B")
    assert right.startswith("The bot: Dr. Chaos, side A")


def test_a_spectator_sees_both_by_their_names() -> None:
    left, right = sides(drawn(view(), voice=voice_of(0, names=("Ann", "Bob"))))
    assert left.startswith("Ann: Dr. Chaos")
    assert right.startswith("Bob: Baron Bulwark")


def test_monsters_have_their_names_values_and_words() -> None:
    left, right = sides(drawn(view()))
    assert "Swampy Gargle Life 9 ■■■■■■■■■·· Int 2, Special Attack 4, Speed 6" in left
    assert "If your Attack is 5 or less Then you take 3 less damage if you lose this round" in left
    assert "Stone Moonmoth Life 12 ■■■■■■■■■■■■ Int 1, Special Attack 2, Speed 20" in right
    assert "If you Defend Then turn any die to its opposite face" in right


def test_tracks_heads_and_scientists_are_there() -> None:
    left, right = sides(drawn(view()))
    assert "Heads 1 Two-Headed Energy 5 ■■■■■··· On your turn in the Roll Phase: pay 1 Life, then you gain 3 Energy" in left
    assert "Heads 0 Energy 2 ■■······ Before damage: pay 1 Energy, then you take 2 less damage" in right
    now = view()
    now.seats[1].scientist_used = True
    assert "side B, used" in sides(drawn(now))[1]


def test_the_arena_shows_where_the_cube_is() -> None:
    assert "Battle 2 · round 3 · arena  1  2 [3] 4  5  6  damage 3 · 2 heads win" in drawn(view())


def test_dice_are_there_with_their_sum_and_what_counts_this_round() -> None:
    now = view()
    now.seats[0].attack_bonus, now.seats[0].damage_bonus, now.seats[0].shield = 2, 3, 1
    marks = words(drawn(now))
    assert "╭───╮ ╭───╮ Attack 4 │ ╭───╮ ╭───╮ Attack 11 │" in marks
    assert "│ │ 3 │ │ 1 │ │ │ 6 │ │ 5 │ │" in marks
    left, right = sides(drawn(now))
    assert left.endswith("Attack Total +2, damage +3, shield 1, had its 1")
    assert right.endswith("2 paid re-rolls")


@pytest.mark.parametrize(
    ("disc", "earned", "told"), [(True, True, "Disc on the monster: power ready"), (False, True, "Disc used or gone"), (False, False, "Disc waits for the If")]
)
def test_the_disc_is_on_the_monster_or_not(disc: bool, earned: bool, told: str) -> None:
    now = view()
    now.seats[0].disc, now.seats[0].disc_earned = disc, earned
    assert told in sides(drawn(now))[0]


def test_revealed_choices_and_totals_are_there() -> None:
    now = view()
    now.seats[0].choice.CopyFrom(mm.BoostChoice(kind=mm.BOOST_KIND_BOOST, fingers=2))
    now.seats[0].attack_bonus = 2
    now.seats[1].choice.CopyFrom(mm.BoostChoice(kind=mm.BOOST_KIND_DEFEND))
    left, right = drawn(now), sides(drawn(now))[1]
    assert "Boost 2" in left
    assert "Attack Total 8" in left
    assert "Defend" in right
    now.seats[1].choice.kind = mm.BOOST_KIND_PANIC
    assert "Panic Button" in drawn(now)


def test_a_secret_choice_of_the_other_seat_is_only_known_to_be_made() -> None:
    now, known = view(), view()
    known.seats[1].committed = True
    drawing = drawn(known, now, full=True)
    assert "has chosen, in secret" in drawing
    assert drawing.replace("has chosen, in secret", " " * 21) == drawn(now, now, full=True)


def test_the_own_secret_choice_is_shown_to_its_owner_as_a_secret() -> None:
    now = view()
    now.seats[0].committed = True
    now.seats[0].own.committed_choice.CopyFrom(mm.BoostChoice(kind=mm.BOOST_KIND_BOOST, fingers=3))
    assert "Boost 3, in secret" in drawn(now)
    now = at_the_start()
    now.seats[0].committed = True
    now.seats[0].own.committed_monster.CopyFrom(mm.Monster(front="mothy_moonmoth", back="two_headed_ogrelet"))
    assert "A monster is chosen, in secret: the Mothy Ogrelet" in sides(drawn(now))[0]


def test_a_secret_monster_of_the_other_seat_is_only_known_to_be_made() -> None:
    left, right = sides(drawn(at_the_start(secret=True), full=True))
    assert left.endswith("No monster")
    assert right.endswith("A monster is chosen, in secret")


def test_while_a_monster_is_made_the_hand_stands_as_fronts_and_backs() -> None:
    drawing = drawn(at_the_start())
    assert re.search(r"^Mothy +8 +4 +one of your +Moonmoth +2 +20 +turn any", drawing, re.MULTILINE)
    assert re.search(r"^Radioactive +10 +2 ", drawing, re.MULTILINE)
    assert "Cards: 3 in the bot's hand, 14 in the deck." in drawing


def test_in_battle_the_hand_is_named_and_told_in_full() -> None:
    assert "Your hand: Mothy Moonmoth\n" in re.sub(" +\n", "\n", drawn(view()))
    assert "Cards: 1 in the bot's hand, 14 in the deck." in drawn(view())
    drawing = words(drawn(view(), full=True))
    assert "Discarded, in their order: Radioactive Rattlebones and Two-Headed Ogrelet." in drawing
    assert "The last battle: won by you." in drawing
    assert "A duel, with the card set house." in drawing


def test_against_dr_entropy_he_has_his_name_and_neither_scientist_nor_hand() -> None:
    now = view(mode=mm.GAME_MODE_SOLO)
    now.seats[1].ClearField("scientist")
    now.seats[1].ClearField("side")
    now.seats[1].hand_count = 0
    drawing = drawn(now, full=True, voice=voice_of(solo=True))
    assert sides(drawing)[1].startswith("Dr. Entropy Heads 0 Energy 2")
    assert "Cards: 14 in the deck." in drawing
    assert "Solo against Dr. Entropy" in drawing


def test_after_the_end_it_says_so() -> None:
    now = at_the_start()
    now.outcome.CopyFrom(mm.Outcome(reason="HEADS", winners=[1], heads=[2, 0]))
    assert drawn(now).startswith("The match is over")


def test_before_the_first_battle_and_without_a_catalog_it_can_be_drawn() -> None:
    empty = mm.View(seats=[mm.SeatView(energy=3), mm.SeatView(energy=3)], arena_space=1, arena_level=1)
    assert drawn(empty).startswith("Before the first battle")
    blind = Voice(Match(viewer=1, seats=[Seat(seat=1), Seat(seat=2)]), {}, {})
    drawing = drawn(view(), full=True, voice=blind)
    assert "swampy_lurker stone_gargle" in drawing
    assert max(map(len, drawing.splitlines())) <= 80


def test_nothing_is_marked_at_the_first_look_or_if_nothing_changed() -> None:
    assert "*" not in drawn(view())
    assert "*" not in drawn(view(), view())


def test_what_is_new_has_a_star_and_nothing_else() -> None:
    now, before = changed_view(view()), view()
    now.seats[0].energy, now.seats[0].life = 4, 7
    now.seats[1].dice[0] = 2
    now.arena_space = now.arena_level = 4
    now.seats[1].disc = now.seats[1].disc_earned = True
    drawing = drawn(now, before)
    assert "Energy  4 ■■■■···· *" in drawing
    assert "Life    7 ■■■■■■■···· *" in drawing
    assert "│ 2*│ │ 5 │" in drawing
    assert "[4] *" in drawing
    assert "power ready *" in drawing
    assert drawing.count("*") == 5


def in_colour(**console: bool | str) -> str:
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=True, **console).print(FACE.draw(view(), at_the_start(), voice_of(), full=True))  # type: ignore[arg-type]
    return out.getvalue()


def test_colours_are_the_terminals_own_for_light_and_dark_backgrounds() -> None:
    codes = {code for found in re.findall(r"\x1b\[([\d;]*)m", in_colour(color_system="truecolor")) for code in found.split(";")}
    assert {"31", "32", "33", "35"} <= codes  # Life, monsters, Energy, scientists
    assert not codes & {"38", "48", "30", "37", "90", "97"}  # no fixed colours, neither black nor white
    assert not any(code.startswith("4") and len(code) == 2 for code in codes)  # no backgrounds


def test_without_colour_not_a_letter_is_lost() -> None:
    plain = in_colour(no_color=True)
    assert not re.search(r"\x1b\[[\d;]*3[0-7]", plain)
    assert re.sub(r"\x1b\[[\d;]*m", "", plain) == drawn(view(), at_the_start(), full=True)


def test_every_field_of_a_seat_changes_the_drawing() -> None:
    """So that a field that a later release of the contract adds is not forgotten here; ``own`` and ``committed`` have tests of their own."""
    full = view()
    full.seats[0].choice.CopyFrom(mm.BoostChoice(kind=mm.BOOST_KIND_BOOST, fingers=1))
    other = {"scientist": "baron_bulwark", "side": mm.SIDE_B, "scientist_used": True, "disc": False, "disc_earned": False, "one_shown": False}
    for field in mm.SeatView.DESCRIPTOR.fields:
        now = changed_view(full)
        seat = now.seats[0]
        match field.name:
            case "own" | "committed":
                continue
            case "hand_count":
                seat = now.seats[1]
                seat.hand_count = 7
            case "heads" | "dice":
                del getattr(seat, field.name)[:]
            case "monster" | "choice":
                seat.ClearField(field.name)  # type: ignore[arg-type]
            case "disc_earned":
                seat.disc = full.seats[0].disc = False
                seat.disc_earned = False
            case name if name in other:
                setattr(seat, name, other[name])
            case name:
                setattr(seat, name, 7)
        assert drawn(now, full=True) != drawn(full, full=True), field.name
        full.seats[0].disc = True
