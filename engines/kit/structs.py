"""The base structs of every game: what its moves, events, questions, steps and states are made of.

All of them but options are stored as MessagePack arrays: small and fast, and the order of fields is part of the stored format. So a released struct
grows at its end only, by fields with defaults.
"""

import re
from enum import StrEnum
from typing import Any

import msgspec

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    """Turn a class name into the tag under which it is stored, named in the contract and written in moves.

    >>> snake_case("PlayCard")
    'play_card'
    """
    return _BOUNDARY.sub("_", name).lower()


class Choice(StrEnum):
    """A closed set of words in moves, events and options; the contract has the same words behind a prefix."""


class Move(msgspec.Struct, frozen=True, array_like=True, tag=snake_case):
    """What a seat may answer to its open decision. Its canonical text is made from type and fields (``kit.notation``)."""


class Event(msgspec.Struct, frozen=True, array_like=True, tag=snake_case):
    """Something that happened. A field that may be private is declared ``T | UnsetType = UNSET``."""


class Question(msgspec.Struct, frozen=True, array_like=True, tag=snake_case):
    """What an open decision is about; public, whole."""


class Step(msgspec.Struct, array_like=True, tag=snake_case):
    """A piece of pending work on a state's stack."""


class Options(msgspec.Struct, frozen=True):
    """A game's options with the values in force. Defaults, ranges and descriptions are declared on the fields (``kit.options``).

    Stored as a map, because an option that is left to chance is absent (UNSET), which an array cannot say.
    """


class State(msgspec.Struct, array_like=True):
    """The full truth about a match between two moves. A game's state adds its own fields.

    ``ruleset`` is the revision of the rules by which the match is played; ``position`` counts the blocks drawn from its generator.
    """

    ruleset: int
    position: int


class View(msgspec.Struct, frozen=True):
    """What one viewer may know. Built field by field, never by deleting from a state."""


class Decision(msgspec.Struct, frozen=True):
    """A decision that is open: ``seat`` is asked, answering for ``as_seat``.

    ``offer`` tells apart two decisions of the same seat and kind that are not the same question put once (the windows of successive reactions);
    games without windows leave it 0.
    """

    seat: int
    as_seat: int
    kind: str
    question: Question
    offer: int = 0


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """How a match ended: the winning seats (none: a draw, or the game itself won), the reason, one score a seat (or none at all)."""

    winners: tuple[int, ...]
    reason: str
    scores: tuple[int, ...] = ()


def fields_of(struct: type[Any]) -> tuple[str, ...]:
    """List the field names of a struct class, in stored order."""
    return tuple(struct.__struct_fields__)
