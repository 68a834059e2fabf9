"""From structs to plain values with names, and from those to lines. The stored form has no names: its structs are arrays."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import msgspec
from msgspec import UNSET


def plain(value: Any) -> Any:
    """Turn structs into dicts (with ``type`` where there are several of a kind), bytes into hex; what is UNSET is left out."""
    match value:
        case msgspec.Struct():
            tag = type(value).__struct_config__.tag
            fields = {name: plain(held) for name in type(value).__struct_fields__ if (held := getattr(value, name)) is not UNSET}
            return fields if tag is None else {"type": tag} | fields
        case Enum():
            return value.value
        case bytes():
            return value.hex()
        case dict():
            return {str(key): plain(held) for key, held in value.items()}
        case tuple() | list():
            return [plain(held) for held in value]
        case _:
            return value


def instant(milliseconds: int) -> str:
    """Write a time: ``2026-11-30T12:00:00.000Z``."""
    return datetime.fromtimestamp(milliseconds / 1_000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def span(milliseconds: int) -> str:
    """Write a span of time in its two largest units: ``6 d 23 h``."""
    seconds = milliseconds // 1_000
    shown: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count or (unit == "s" and not shown):
            shown.append(f"{count} {unit}")
    return " ".join(shown[:2])


def document(content: Any) -> str:
    """Write a document as JSON, in ASCII: what callers wrote may hold what moves a terminal's cursor."""
    return json.dumps(content, indent=2)


def compact(content: Any) -> str:
    """Write JSON in one line, in ASCII."""
    return json.dumps(content, separators=(",", ":"))


def printable(text: str) -> str:
    """Write out what would move a terminal's cursor."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Write columns, the last as wide as it is."""
    texts = [tuple(head), *(tuple(printable(str(cell)) for cell in row) for row in rows)]
    widths = [max(len(row[column]) for row in texts) for column in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in texts]
