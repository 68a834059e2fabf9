"""How a game without a module of its own is shown: whatever its messages have, field by field. It is playable, if not pretty."""

from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from umpire.v1.catalog_pb2 import Card
from umpire_terminal.voice import Voice, clean, in_words, listed, sentence

PALETTE = ("cyan", "green", "magenta", "blue", "red", "yellow")
CHANGED = "reverse"


class Face:
    """How a game looks and speaks. A game's own module overrides what it can say better.

    The messages are the game's own: ``View``, ``Event`` and ``Question`` of its package. They are None where the server knows more than this release.
    """

    scores = "points"
    automaton = "the automaton"

    def styles(self, cards: Mapping[str, Card]) -> dict[str, str]:
        """Choose the colour of each card: one for each kind of card."""
        kinds = list(dict.fromkeys(card.kind for card in cards.values()))
        return {card_id: PALETTE[kinds.index(card.kind) % len(PALETTE)] for card_id, card in cards.items()}

    def draw(self, view: Any, before: Any, voice: Voice, *, full: bool) -> RenderableType:
        """Draw the table. ``before`` is the view that was drawn last, or None: what differs is marked. ``full``: also what is seldom needed."""
        del full
        if view is None:
            return Text("This release cannot draw the table of this game; its moves are listed all the same.", "italic")
        table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
        old = dict(rows(before, voice)) if before is not None else None
        for name, value in rows(view, voice):
            changed = old is not None and old.get(name) != value
            table.add_row(Text(name), voice.paint(f"{value} *" if changed else value), style=CHANGED if changed else "")
        return table

    def ask(self, kind: str, question: Any, voice: Voice) -> str:
        """Word what a decision asks."""
        details = listed([f"{name} {value}" for name, value in rows(inner(question), voice)])
        return f"Your decision: {in_words(kind)}{f' ({details})' if details else ''}."

    def heading(self, move_type: str) -> str:
        """Name a kind of moves; ``move_type`` is how their move ids begin."""
        return sentence(in_words(move_type))

    def note(self, move: Any, view: Any, voice: Voice) -> str:
        """Say what a move would mean, in a few words beside its label; empty if the label says it all. ``move`` is the game's ``Move``."""
        del move, view, voice
        return ""

    def tell(self, event: Any, voice: Voice) -> str | None:
        """Tell an event; None if this release does not know it."""
        member = inner(event)
        if member is None:
            return None
        details = "; ".join(_told(member, voice))
        return f"{sentence(in_words(_words(member.DESCRIPTOR.name)))}{f': {details}' if details else ''}."

    def reason(self, reason: str) -> str:
        """Word why a match ended."""
        return in_words(reason)


def inner(message: Any) -> Any:
    """Take what is set in the only oneof of a message; None if nothing known is."""
    choices = [] if message is None else [oneof.name for oneof in message.DESCRIPTOR.oneofs if not oneof.name.startswith("_")]  # _: an optional field
    if not choices:
        return message
    member = message.WhichOneof(choices[0])
    return getattr(message, member) if member else None


def rows(message: Message | None, voice: Voice, path: str = "") -> Iterator[tuple[str, str]]:
    """Unfold a message into names and values. Repeated messages are numbered from 1, like seats."""
    for field, value in message.ListFields() if message is not None else ():
        name = f"{path}{in_words(field.name)}"
        if field.message_type is None:
            yield name, _value(field, value, voice)
        elif not _repeated(field):
            yield from rows(value, voice, f"{name} · ")
        else:
            for number, entry in enumerate(value, 1):
                yield from rows(entry, voice, f"{name} {number} · ")


def _told(message: Message, voice: Voice) -> Iterator[str]:
    for field, value in message.ListFields():
        name = in_words(field.name)
        if name == "seat":
            yield voice.who(value)
        elif name.endswith(" seat"):
            yield f"{name}: {voice.who(value)}"
        elif field.message_type is None:
            yield f"{name} {_value(field, value, voice)}"


def _value(field: FieldDescriptor, value: Any, voice: Voice) -> str:
    return listed([_scalar(field, one, voice) for one in value]) if _repeated(field) else _scalar(field, value, voice)


def _scalar(field: FieldDescriptor, value: Any, voice: Voice) -> str:
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        prefix = f"{_words(field.enum_type.name).upper()}_"
        return in_words(known.name.removeprefix(prefix)) if known else str(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return voice.name(value) if isinstance(value, str) else clean(str(value))


def _repeated(field: FieldDescriptor) -> bool:
    return bool(field.is_repeated)


def _words(name: str) -> str:
    """Turn a message's name into words with underscores between them."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
