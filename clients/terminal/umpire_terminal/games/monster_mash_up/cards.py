"""What the catalog says of the cards of Monster Mash-Up. Where it does not know a card, its id stands, and what it would say is empty."""

import re

from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire.v1.catalog_pb2 import CardValue
from umpire_terminal.voice import Voice, clean

ARENA = "ARENA"
SIDES: dict[int, str] = {mm.SIDE_A: "A", mm.SIDE_B: "B"}
_SPACE = "space_"


def said(voice: Voice, card_id: str, name: str) -> str:
    """Return a value of a card as text; empty if the catalog has none."""
    found = _values(voice, card_id).get(name)
    return "" if found is None else str(found.number) if found.HasField("number") else clean(found.word)


def counted(voice: Voice, card_id: str, name: str) -> int | None:
    """Return a value of a card as a number; None if the catalog has none."""
    found = _values(voice, card_id).get(name)
    return found.number if found is not None and found.HasField("number") else None


def front_name(voice: Voice, card_id: str) -> str:
    """Name the head of a card: the first word of the monster that it makes."""
    return said(voice, card_id, "front") or voice.name(card_id)


def monster_name(voice: Voice, front: str, back: str) -> str:
    """Name the monster that a front and a back make."""
    return f"{front_name(voice, front)} {said(voice, back, 'back') or voice.name(back)}"


def summary(voice: Voice, front: str, back: str) -> str:
    """Say in a line what a monster is worth."""
    values = (("Life", front, "life"), ("Int", front, "intelligence"), ("Special Attack", back, "special_attack"), ("Speed", back, "speed"))
    return ", ".join(f"{word} {number}" for word, card, name in values if (number := said(voice, card, name)))


def ability(voice: Voice, scientist: str, side: int) -> str:
    """Say what a side of a scientist does; all that its card says where the catalog does not tell the sides apart."""
    card = voice.cards_by_id.get(scientist)
    own = said(voice, scientist, f"side_{SIDES[side].lower()}") if side in SIDES else ""
    return own or (clean(card.text) if card is not None else "")


def levels(voice: Voice) -> dict[int, int]:
    """Return the level of each space of the arena."""
    known = _values(voice, ARENA).items()
    return {int(name.removeprefix(_SPACE)): value.number for name, value in known if re.fullmatch(f"{_SPACE}[0-9]+", name)}


def _values(voice: Voice, card_id: str) -> dict[str, CardValue]:
    card = voice.cards_by_id.get(card_id)
    return {value.name: value for value in card.values} if card is not None else {}
