"""The canonical text of a move: its type and its fields, ``play_card(card=BOMB_2,column=2)``.

Made and read generically, for every game. Values are integers, ``true``/``false``, words (letters, digits, ``_``, ``-``, ``.``) and lists ``[a,b]`` of these.
Reading is exact: fields in declared order, no spaces, no leading zeros, so that a move has one text and one only.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from engines.kit.structs import Choice, Move, fields_of

_CALL = re.compile(r"([a-z][a-z0-9_]*)(?:\(([^()]*)\))?")
_FIELD = re.compile(r"([a-z][a-z0-9_]*)=(\[[^\[\]]*\]|[^,\[\]=]*)(?:,(?!$)|$)")
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,8}")
_WORD = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_MAX_TEXT = 512


class NotationError(ValueError):
    """A text that is no move of the game; the message says where it goes wrong."""


@lru_cache(maxsize=65_536)
def write_move(move: Move) -> str:
    """Write a move's canonical text.

    >>> class PlayCard(Move, frozen=True):
    ...     card: str
    ...     column: int
    >>> write_move(PlayCard("BOMB_2", 2))
    'play_card(card=BOMB_2,column=2)'
    """
    tag = str(type(move).__struct_config__.tag)
    fields = ",".join(f"{name}={_write(getattr(move, name))}" for name in fields_of(type(move)))
    return f"{tag}({fields})" if fields else tag


def _write(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Choice():
            return value.value
        case tuple():
            return f"[{','.join(map(_write, value))}]"
        case _:
            return str(value)


class MoveReader:
    """Reads canonical texts of the given types of moves."""

    def __init__(self, types: Iterable[type[Move]]) -> None:
        self._types = {str(kind.__struct_config__.tag): (kind, get_type_hints(kind)) for kind in types}
        self.read = lru_cache(maxsize=8_192)(self._read)

    def _read(self, text: str) -> Move:
        """Read a move.

        Raises:
            NotationError: the text names no type of this game, or its fields are not that type's, in order, each with a value of its type.
        """
        call = _CALL.fullmatch(text) if len(text) <= _MAX_TEXT else None
        if call is None or call[1] not in self._types:
            raise NotationError("is no move of this game")
        kind, hints = self._types[call[1]]
        given = _split(call[2] or "")
        wanted = fields_of(kind)
        if tuple(name for name, _ in given) != wanted:
            raise NotationError(f"{call[1]} takes the fields ({', '.join(wanted)}), in this order")
        if call[2] == "":
            raise NotationError(f"{call[1]} is written without brackets")
        return kind(**{name: _value(name, value, hints[name]) for name, value in given})


def _split(fields: str) -> list[tuple[str, str]]:
    pairs, at = [], 0
    while at < len(fields):
        field = _FIELD.match(fields, at)
        if field is None:
            raise NotationError(f"cannot be read from {fields[at : at + 20]!r} on")
        pairs.append((field[1], field[2]))
        at = field.end()
    return pairs


def _value(name: str, text: str, hint: Any) -> Any:
    if text.startswith("["):
        item_hint = get_args(hint)[0] if get_origin(hint) is tuple else None
        plain: Any = [_plain(name, item, item_hint) for item in text[1:-1].split(",")] if len(text) > 2 else []
    else:
        plain = _plain(name, text, hint)
    try:
        return msgspec.convert(plain, hint)
    except msgspec.ValidationError as error:
        raise NotationError(f"{name}: {error}") from None


def _plain(name: str, text: str, hint: Any) -> object:
    if hint is str and _WORD.fullmatch(text):
        return text  # a word that looks like a number is still a word where the type wants one
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _WORD.fullmatch(text) and not text.lstrip("-").isdigit():
        return text
    raise NotationError(f"{name}: {text[:20]!r} is no value")
