"""A card set: what is in its file, what makes it valid, and what the rules read of it.

The id of a crew card is its face, ``TYPE_VALUE``: two cards with the same face are the same to everybody (ruling 24).
"""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from engines.kit.cards import Card, CardSet, CardSetError, Provenance, read_as
from engines.kit.structs import Choice

CARD_TYPES = ("BOMB", "BOARD", "FISH", "REINFORCE", "SECURE", "GOLD")

_SMALLEST_DECK = 11
_FEWEST_GUESTS = 6
_CREWS = 2


class Effect(Choice):
    """The closed vocabulary of effects; ``effects`` says what each needs and does."""

    BOMB_ZEPPELIN = "BOMB_ZEPPELIN"
    DISCARD_OPPOSITE = "DISCARD_OPPOSITE"
    TAKE_FROM_DISCARD = "TAKE_FROM_DISCARD"
    DRAW_FROM_DECK = "DRAW_FROM_DECK"
    SECURE_ADJACENT = "SECURE_ADJACENT"
    CRACK_SAFE = "CRACK_SAFE"
    MANOEUVRE = "MANOEUVRE"
    CALL_BACK = "CALL_BACK"
    OBSERVE = "OBSERVE"
    LOOT = "LOOT"
    NONE = "NONE"


_PLAY_EFFECTS = frozenset(tuple(Effect)[:5]) | {Effect.NONE}
_DISCARD_EFFECTS = frozenset(tuple(Effect)[5:])


class Requirement(Choice):
    """What a guest counts in its column when a card arrives there (GUEST-3)."""

    GOLD_IN_COLUMN = "GOLD_IN_COLUMN"
    PLAYED_THIS_TURN = "PLAYED_THIS_TURN"
    CARDS_IN_COLUMN = "CARDS_IN_COLUMN"
    DIFFERENT_TYPES = "DIFFERENT_TYPES"
    CARDS_OF_TYPE = "CARDS_OF_TYPE"


# ---- the file

Id = Annotated[str, Meta(pattern="^[A-Za-z0-9_]{1,40}$")]
Value = Annotated[int, Meta(ge=1, le=9)]


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    pass


class CrewEntry(_Entry):
    """A crew and the deck that it plays."""

    id: Id
    name: str
    deck: Id
    provenance: Provenance


class CardTypeEntry(_Entry):
    """A type of card with its effects."""

    id: Id
    name: str
    play_effect: Effect
    discard_effect: Effect
    text: str


class FaceEntry(_Entry):
    """A face in a deck."""

    type: Id
    value: Value
    copies: Annotated[int, Meta(ge=1, le=99)]


class DeckEntry(_Entry):
    """A deck."""

    id: Id
    cards: list[FaceEntry]
    provenance: Provenance


class ZeppelinsEntry(_Entry):
    """The robustness of a crew's three zeppelins."""

    robustness: Annotated[list[Value], Meta(min_length=3, max_length=3)]
    provenance: Provenance


class RequirementEntry(_Entry):
    """A guest's requirement; ``type`` for CARDS_OF_TYPE only."""

    kind: Requirement
    count: Annotated[int, Meta(ge=1, le=999)]
    type: str = ""


class GuestEntry(_Entry):
    """A guest."""

    id: Id
    name: str
    gold: Annotated[int, Meta(ge=0, le=9)]
    requirement: RequirementEntry
    provenance: Provenance


class SetFile(_Entry):
    """The whole file."""

    id: Id
    title: str
    game: str
    format: Annotated[int, Meta(ge=1, le=1)]
    crew: list[CrewEntry]
    card_type: list[CardTypeEntry]
    deck: list[DeckEntry]
    zeppelins: ZeppelinsEntry
    guest: list[GuestEntry]


# ---- the set


class GoldnCrashCards(CardSet):
    """What the rules read: decks by crew, and for each face its type, value, effects and place in the order of listing."""

    def __init__(self, content: SetFile, digest: str) -> None:
        super().__init__(content.id, content.title, digest, tuple(_catalogue(content)))
        decks = {deck.id: deck for deck in content.deck}
        types = {card_type.id: card_type for card_type in content.card_type}
        faces = sorted({(entry.type, entry.value) for deck in content.deck for entry in deck.cards}, key=lambda face: (CARD_TYPES.index(face[0]), face[1]))
        self.crews = tuple(crew.id for crew in content.crew)
        self.decks = {crew.id: _unfold(decks[crew.deck]) for crew in content.crew}
        self.robustness = tuple(content.zeppelins.robustness)
        self.guests = {guest.id: guest for guest in content.guest}
        self.order = {card_id(*face): place for place, face in enumerate(faces)}
        self.type_of = {card_id(*face): face[0] for face in faces}
        self.gold_of = {card_id(*face): face[1] for face in faces} | {guest.id: guest.gold for guest in content.guest}
        self.name_of = {card_id(*face): f"{types[face[0]].name} {face[1]}" for face in faces}
        self.play_effect = {card_id(*face): types[face[0]].play_effect for face in faces}
        self.discard_effect = {card_id(*face): types[face[0]].discard_effect for face in faces}


def card_id(card_type: str, value: int) -> str:
    """Make the id of a face.

    >>> card_id("BOMB", 2)
    'BOMB_2'
    """
    return f"{card_type}_{value}"


def build_card_set(content: dict[str, Any], digest: str) -> GoldnCrashCards:
    """Make a card set from parsed TOML.

    Raises:
        CardSetError: the content is not of the format, or breaks a rule of validity; the entry is named.
    """
    file = read_as(content, SetFile)
    for problem in _problems(file):
        raise CardSetError(problem)
    return GoldnCrashCards(file, digest)


def _problems(file: SetFile) -> Iterator[str]:
    """Find what breaks the rules of validity."""
    if file.game != "goldn_crash":
        yield f"game: {file.game!r} is another game"
    if len(file.crew) != _CREWS:
        yield f"crew: {len(file.crew)} entries, not {_CREWS}"
    for kind, ids in (("crew", file.crew), ("card_type", file.card_type), ("deck", file.deck), ("guest", file.guest)):
        for repeated, count in Counter(entry.id for entry in ids).items():
            if count > 1:
                yield f"{kind} {repeated}: stands {count} times"
    for crew in file.crew:
        if crew.deck not in {deck.id for deck in file.deck}:
            yield f"crew {crew.id}: there is no deck {crew.deck!r}"
    yield from _type_problems(file)
    yield from _deck_problems(file)
    yield from _guest_problems(file)
    yield from _id_problems(file)


def _type_problems(file: SetFile) -> Iterator[str]:
    given = {card_type.id for card_type in file.card_type}
    for missing in sorted(set(CARD_TYPES) - given):
        yield f"card_type {missing}: is missing"
    for card_type in file.card_type:
        if card_type.id not in CARD_TYPES:
            yield f"card_type {card_type.id}: is not one of {', '.join(CARD_TYPES)}"
        if card_type.play_effect not in _PLAY_EFFECTS:
            yield f"card_type {card_type.id}: {card_type.play_effect} is no play effect"
        if card_type.discard_effect not in _DISCARD_EFFECTS:
            yield f"card_type {card_type.id}: {card_type.discard_effect} is no discard effect"


def _deck_problems(file: SetFile) -> Iterator[str]:
    for deck in file.deck:
        size = sum(face.copies for face in deck.cards)
        if size < _SMALLEST_DECK:
            yield f"deck {deck.id}: {size} cards, fewer than {_SMALLEST_DECK}"
        for face, count in Counter((entry.type, entry.value) for entry in deck.cards).items():
            if face[0] not in CARD_TYPES:
                yield f"deck {deck.id}: {face[0]!r} is no card type"
            if count > 1:
                yield f"deck {deck.id}: {card_id(*face)} stands {count} times"


def _guest_problems(file: SetFile) -> Iterator[str]:
    if len(file.guest) < _FEWEST_GUESTS:
        yield f"guest: {len(file.guest)} entries, fewer than {_FEWEST_GUESTS}"
    for guest in file.guest:
        counts_type = guest.requirement.kind is Requirement.CARDS_OF_TYPE
        if counts_type and guest.requirement.type not in CARD_TYPES:
            yield f"guest {guest.id}: {guest.requirement.type!r} is no card type"
        if not counts_type and guest.requirement.type:
            yield f"guest {guest.id}: {guest.requirement.kind} counts no type"


def _id_problems(file: SetFile) -> Iterator[str]:
    """Find ids that would say two things: the catalogue has one list of them."""
    taken = {card_id(entry.type, entry.value): "a crew card" for deck in file.deck for entry in deck.cards}
    taken |= {_zeppelin_id(robustness): "a zeppelin" for robustness in file.zeppelins.robustness}
    for kind, entries in (("crew", file.crew), ("guest", file.guest)):
        for entry in entries:
            if entry.id in taken:
                yield f"{kind} {entry.id}: has the id of {taken[entry.id]}"
        taken |= {entry.id: f"a {kind}" for entry in entries}


def _zeppelin_id(robustness: int) -> str:
    return f"ZEPPELIN_{robustness}"


def _unfold(deck: DeckEntry) -> tuple[str, ...]:
    return tuple(card_id(face.type, face.value) for face in deck.cards for _ in range(face.copies))


def _catalogue(file: SetFile) -> Iterator[Card]:
    for crew in file.crew:
        yield Card(crew.id, "CREW", crew.name, "", (("deck", crew.deck),), 1, crew.provenance)
    types = {card_type.id: card_type for card_type in file.card_type}
    yield from _crew_cards(file, types)
    for robustness, copies in Counter(file.zeppelins.robustness).items():
        yield Card(_zeppelin_id(robustness), "ZEPPELIN", f"Zeppelin {robustness}", "", (("robustness", robustness),), copies, file.zeppelins.provenance)
    for guest in file.guest:
        wanted = guest.requirement
        values = (("gold", guest.gold), ("requirement", wanted.kind.value), ("count", wanted.count), *((("type", wanted.type),) if wanted.type else ()))
        yield Card(guest.id, "GUEST", guest.name, _guest_text(guest, types), values, 1, guest.provenance)


def _crew_cards(file: SetFile, types: dict[str, CardTypeEntry]) -> Iterator[Card]:
    """Yield each face once; a set of several decks says how often it is in each."""
    faces: dict[tuple[str, int], Provenance] = {}
    for deck in file.deck:
        for face in deck.cards:
            faces.setdefault((face.type, face.value), deck.provenance)
    for (type_id, gold), provenance in faces.items():
        in_decks = {deck.id: sum(face.copies for face in deck.cards if (face.type, face.value) == (type_id, gold)) for deck in file.deck}
        card_type = types[type_id]
        values: tuple[tuple[str, int | str], ...] = (
            ("type", type_id),
            ("gold", gold),
            ("play_effect", card_type.play_effect.value),
            ("discard_effect", card_type.discard_effect.value),
            *((f"copies_in_{deck}", copies) for deck, copies in in_decks.items() if len(in_decks) > 1),
        )
        yield Card(card_id(type_id, gold), "CREW_CARD", f"{card_type.name} {gold}", card_type.text, values, sum(in_decks.values()), provenance)


def _guest_text(guest: GuestEntry, types: dict[str, CardTypeEntry]) -> str:
    count = guest.requirement.count
    match guest.requirement.kind:
        case Requirement.GOLD_IN_COLUMN:
            return f"Comes to your treasure when the cards below are worth {count} gold or more."
        case Requirement.PLAYED_THIS_TURN:
            return f"Comes to your treasure when you have played {count} cards below in one turn."
        case Requirement.CARDS_IN_COLUMN:
            return f"Comes to your treasure when {count} cards lie below."
        case Requirement.DIFFERENT_TYPES:
            return f"Comes to your treasure when cards of {count} types lie below."
        case Requirement.CARDS_OF_TYPE:
            return f"Comes to your treasure when {count} {types[guest.requirement.type].name} cards lie below."
