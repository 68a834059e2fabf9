"""Tables of Gold'n Crash as messages, and what is read off a drawing of them."""

import io
import re
from typing import Any

from rich.console import Console, RenderableType

from umpire.goldn_crash.v1 import goldn_crash_pb2 as gc
from umpire.v1.catalog_pb2 import Card, CardValue
from umpire.v1.match_pb2 import CONTROLLER_HOUSE_BOT, CONTROLLER_PERSON, Match, Seat
from umpire_terminal.games import find_face
from umpire_terminal.voice import Voice

TYPES = ("BOMB", "BOARD", "FISH", "REINFORCE", "SECURE", "GOLD")
GUESTS = {
    "COUNTESS": ("GOLD_IN_COLUMN", 9, ""),
    "JOCKEY": ("PLAYED_THIS_TURN", 2, ""),
    "GOURMET": ("CARDS_OF_TYPE", 3, "FISH"),
    "BANKER": ("CARDS_OF_TYPE", 2, "GOLD"),
}


def cards() -> dict[str, Card]:
    made = [
        Card(
            card=f"{kind}_{gold}",
            kind="CREW_CARD",
            name=f"{kind.title()} {gold}",
            text=f"What {kind.title()} does.",
            values=[CardValue(name="type", word=kind), CardValue(name="gold", number=gold)],
            copies=3,
        )
        for kind in TYPES
        for gold in ((4, 6) if kind == "GOLD" else (1, 2, 3))
    ]
    made += [Card(card=crew, kind="CREW", name=crew.title(), copies=1) for crew in ("OCTOPIRATE", "MEOWMURAI")]
    for guest, (requirement, count, kind) in GUESTS.items():
        values = [CardValue(name="gold", number=5), CardValue(name="requirement", word=requirement), CardValue(name="count", number=count)]
        values += [CardValue(name="type", word=kind)] if kind else []
        made.append(Card(card=guest, kind="GUEST", name=f"The {guest.title()}", text="Comes when it is pleased.", values=values, copies=1))
    return {card.card: card for card in made}


def voice_of(viewer: int, *, bot: bool = True, names: tuple[str, str] = ("", ""), game: str = "goldn_crash") -> Voice:
    rival = 2 if viewer == 1 else 1
    seats = [
        Seat(
            seat=number,
            display_name=names[number - 1],
            house_bot="keen" if bot and number == rival else "",
            controller=CONTROLLER_HOUSE_BOT if bot and number == rival else CONTROLLER_PERSON,
        )
        for number in (1, 2)
    ]
    return Voice(Match(viewer=viewer, seats=seats), cards(), find_face(game).styles(cards()))


def view(**changes: Any) -> gc.View:
    """A table in mid-match as seat 1 sees it."""
    own = gc.SeatView(
        crew="OCTOPIRATE",
        deck_count=21,
        hand_count=3,
        discard=["FISH_1", "GOLD_4", "BOMB_1", "BOARD_2", "SECURE_3", "FISH_2"],
        treasure_count=3,
        treasure_locked=2,
        columns=[
            gc.ColumnView(cards=["BOMB_1", "GOLD_4"], guest="COUNTESS", robustness=2, withstood=1),
            gc.ColumnView(guest="GOURMET"),
            gc.ColumnView(cards=["FISH_3"], destroyed=True, robustness=1),
        ],
        own=gc.OwnView(hand=["BOMB_2", "REINFORCE_2", "GOLD_6"], known_deck=[gc.KnownCard(position=1, card="GOLD_4")]),
        treasure=gc.TreasureView(cards=["GOLD_4", "JOCKEY", "FISH_1"], gold=10),
    )
    rival = gc.SeatView(
        crew="MEOWMURAI",
        deck_count=19,
        hand_count=6,
        discard=["FISH_1"],
        treasure_count=1,
        columns=[gc.ColumnView(cards=["SECURE_1", "GOLD_4", "BOARD_3"], guest="BANKER"), gc.ColumnView(cards=["REINFORCE_1"], withstood=1), gc.ColumnView()],
    )
    made = gc.View(
        options=gc.Options(bomb_strength=gc.BOMB_STRENGTH_ALL_CARDS, pile_minimum=1, round_limit=100),
        turn=7,
        active_seat=1,
        actions_left=1,
        plays=[1, 0, 0],
        seats=[own, rival],
        box=["DUELLIST", "GENERAL"],
    )
    made.MergeFrom(gc.View(**changes))
    return made


def changed(original: gc.View) -> gc.View:
    copy = gc.View()
    copy.CopyFrom(original)
    return copy


def text(drawing: RenderableType, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width, markup=False, highlight=False).print(drawing)
    return out.getvalue()


def words(drawing: RenderableType) -> str:
    """The drawing's text with each run of spaces as one, so that wrapping does not matter."""
    return re.sub(r"\s+", " ", text(drawing))
