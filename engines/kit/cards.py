"""Card sets: TOML files in a game's ``cards/`` folder, checked when they are loaded, pinned by a digest of their content."""

import hashlib
import tomllib
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
C = TypeVar("C", bound="CardSet")


class Provenance(StrEnum):
    """Where a card's facts come from."""

    RULEBOOK = "RULEBOOK"
    PUBLIC = "PUBLIC"
    HOUSE = "HOUSE"


class Card(msgspec.Struct, frozen=True):
    """What a set says of an id that views, events and moves name: a card, or a crew, a guest, a place. ``values`` are in a fixed order."""

    id: str
    kind: str
    name: str
    text: str
    values: tuple[tuple[str, int | str], ...]
    copies: int
    provenance: Provenance


class CardSet:
    """A loaded card set: what all games share. A game's own class adds what its rules read.

    ``digest`` is "sha256:" and the SHA-256 of the content (not of the file: comments and layout do not count).
    """

    def __init__(self, id: str, title: str, digest: str, cards: tuple[Card, ...]) -> None:  # noqa: A002 - the domain's word
        self.id = id
        self.title = title
        self.digest = digest
        self.cards = cards


class CardSetError(ValueError):
    """A set that breaks the format or the game's validity rules; the message names the file and the entry."""


def load_card_sets(folder: Path, build: Callable[[dict[str, Any], str], C]) -> dict[str, C]:
    """Load every ``*.toml`` of a folder, by id, in the order of their file names; the first is the game's default.

    ``build`` makes the game's card set from the parsed content and its digest.

    Raises:
        CardSetError: a file cannot be read, breaks a rule, or repeats an id.
    """
    sets: dict[str, C] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
            loaded = build(content, content_digest(content))
        except (CardSetError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise CardSetError(f"{path.name}: {error}") from error
        if loaded.id in sets:
            raise CardSetError(f"{path.name}: id {loaded.id!r} is taken by another file")
        sets[loaded.id] = loaded
    if not sets:
        raise CardSetError(f"{folder}: holds no card set")
    return sets


def content_digest(content: dict[str, Any]) -> str:
    """Digest a set's content: SHA-256 over its JSON with sorted keys.

    >>> content_digest({"b": 1, "a": 2}) == content_digest({"a": 2, "b": 1})
    True
    """
    return "sha256:" + hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def read_as(content: dict[str, Any], shape: type[T]) -> T:
    """Read parsed TOML into a struct, strictly.

    Raises:
        CardSetError: naming the entry, for example "Expected `int`, got `str` - at `$.deck[0].cards[2].value`".
    """
    try:
        return msgspec.convert(content, shape)
    except msgspec.ValidationError as error:
        raise CardSetError(str(error)) from error


def read_entries(entries: list[dict[str, Any]], shape: type[T], kind: str) -> list[T]:
    """Read a list of parsed entries, each by itself, so that a bad one is named by its own id (its number, if it has none).

    Raises:
        CardSetError: for example "monster wolf: Expected `int`, got `str` - at `$.front.life`".
    """
    read = []
    for number, entry in enumerate(entries, 1):
        try:
            read.append(msgspec.convert(entry, shape))
        except msgspec.ValidationError as error:
            raise CardSetError(f"{kind} {entry.get('id', number)}: {error}") from error
    return read
