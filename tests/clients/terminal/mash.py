"""Tables of Monster Mash-Up as messages: a duel in mid-round as seat 1 sees it."""

from typing import Any

from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire.v1.catalog_pb2 import Card, CardValue
from umpire.v1.match_pb2 import CONTROLLER_AUTOMATON, CONTROLLER_HOUSE_BOT, CONTROLLER_PERSON, Match, Seat
from umpire_terminal.games.monster_mash_up import FACE
from umpire_terminal.voice import Voice

MONSTERS = {
    "swampy_lurker": ("Swampy", 11, 2, "your Attack is 5 or less", "Lurker", 4, 7, "your opponent's monster loses 2 Life"),
    "stone_gargle": ("Stone", 12, 1, "you Defend", "Gargle", 4, 6, "you take 3 less damage if you lose this round"),
    "mothy_moonmoth": ("Mothy", 8, 4, "one of your dice shows a 2", "Moonmoth", 2, 20, "turn any die to its opposite face"),
    "two_headed_ogrelet": ("Two-Headed", 10, 4, "your dice differ by 4 to 5", "Ogrelet", 4, 5, "re-roll both your opponent's dice"),
    "radioactive_rattlebones": ("Radioactive", 10, 2, "you have paid for 2 re-rolls or more this round", "Rattlebones", 4, 14, "set one of your dice to 5"),
}
SCIENTISTS = {
    "dr_chaos": ("Dr. Chaos", "on your turn in the Roll Phase: pay 1 Life, then you gain 3 Energy", "on your turn in the Roll Phase: pay 1 Life"),
    "baron_bulwark": ("Baron Bulwark", "before damage: you take 1 less damage", "before damage: pay 1 Energy, then you take 2 less damage"),
}


def cards() -> dict[str, Card]:
    made = []
    for card_id, (front, life, intelligence, condition, back, special, speed, power) in MONSTERS.items():
        words = (("front", front), ("if", condition), ("back", back), ("then", power))
        numbers = (("life", life), ("intelligence", intelligence), ("special_attack", special), ("speed", speed))
        values = [CardValue(name=name, word=word) for name, word in words] + [CardValue(name=name, number=number) for name, number in numbers]
        made.append(Card(card=card_id, kind="MONSTER", name=f"{front} {back}", text=f"If {condition}. Then: {power}.", values=values, copies=1))
    for card_id, (name, one, other) in SCIENTISTS.items():
        values = [CardValue(name="side_a", word=one), CardValue(name="side_b", word=other)]
        made.append(
            Card(card=card_id, kind="SCIENTIST", name=name, text=f"Side A, once a round, {one}. Side B, once a round, {other}.", values=values, copies=1)
        )
    spaces = [CardValue(name=f"space_{space}", number=space) for space in range(1, 7)]
    made.append(Card(card="ARENA", kind="ARENA", name="Arena", values=[*spaces, CardValue(name="round_cap", number=20)], copies=1))
    return {card.card: card for card in made}


def voice_of(viewer: int = 1, *, solo: bool = False, names: tuple[str, str] = ("", "")) -> Voice:
    rival = 2 if viewer in {0, 1} else 1
    other = Seat(seat=rival, controller=CONTROLLER_AUTOMATON) if solo else Seat(seat=rival, house_bot="keen", controller=CONTROLLER_HOUSE_BOT)
    if names != ("", ""):
        other = Seat(seat=rival, display_name=names[rival - 1], controller=CONTROLLER_PERSON)
    own = Seat(seat=3 - rival, display_name=names[2 - rival], controller=CONTROLLER_PERSON)
    seats = sorted((own, other), key=lambda seat: seat.seat)
    return Voice(Match(viewer=viewer, seats=seats), cards(), FACE.styles(cards()), FACE.automaton)


def view(**changes: Any) -> mm.View:
    """A duel in the Roll Phase of the third round; with other fields where they are given."""
    own = mm.SeatView(
        scientist="dr_chaos",
        side=mm.SIDE_A,
        energy=5,
        life=9,
        heads=["two_headed_ogrelet"],
        hand_count=1,
        monster=mm.Monster(front="swampy_lurker", back="stone_gargle"),
        dice=[3, 1],
        disc=True,
        disc_earned=True,
        one_shown=True,
        own=mm.OwnView(hand=["mothy_moonmoth"]),
    )
    rival = mm.SeatView(
        scientist="baron_bulwark",
        side=mm.SIDE_B,
        energy=2,
        life=12,
        hand_count=1,
        monster=mm.Monster(front="stone_gargle", back="mothy_moonmoth"),
        dice=[6, 5],
        rerolls=2,
    )
    made = mm.View(
        options=mm.Options(heads_to_win=2),
        mode=mm.GAME_MODE_DUEL,
        card_set="house",
        battle=2,
        round=3,
        arena_space=3,
        arena_level=3,
        deck_count=14,
        discard=["radioactive_rattlebones", "two_headed_ogrelet"],
        last_winner=1,
        seats=[own, rival],
    )
    made.MergeFrom(mm.View(**changes))
    return made


def at_the_start(*, secret: bool = False) -> mm.View:
    """The same duel while monsters are made: seat 1 is asked, the other one has chosen if ``secret``."""
    made = changed_view(view())
    for seat in made.seats:
        for field in ("monster", "dice", "disc", "disc_earned", "one_shown", "rerolls", "life"):
            seat.ClearField(field)
        seat.hand_count = 3
    made.seats[0].own.hand[:] = ["mothy_moonmoth", "two_headed_ogrelet", "radioactive_rattlebones"]
    made.seats[1].committed = secret
    made.round = 0
    return made


def changed_view(original: mm.View) -> mm.View:
    copy = mm.View()
    copy.CopyFrom(original)
    return copy
