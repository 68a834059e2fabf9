"""Reads the scalars of proto3 JSON."""

import re
from collections.abc import Callable
from typing import Any

from service.codec.errors import Problems
from service.codec.json_text import is_text
from service.codec.plan import FieldPlan, Kind
from service.codec.times import read_duration, read_timestamp
from service.messages import Duration, Timestamp

_INTEGER = re.compile(r"-?[0-9]{1,10}")
_LOWEST, _HIGHEST = -(2**31), 2**31 - 1


def read_scalar(field: FieldPlan) -> Callable[[Any, str, Problems], Any]:
    """Return the function that reads a field's value."""
    match field.kind:
        case Kind.INT32:
            return _int32
        case Kind.STRING:
            return _string
        case Kind.BOOL:
            return _bool
        case Kind.ENUM:
            return _enum(field)
        case Kind.TIMESTAMP:
            return _time(read_timestamp, Timestamp, 'must be a time such as "2026-01-31T12:00:00Z"')
        case _:
            return _time(read_duration, Duration, 'must be a duration in seconds, such as "90s"')


def _int32(value: Any, path: str, problems: Problems) -> Any:
    number = value if type(value) is int else _integral(value)
    if number is None or not _LOWEST <= number <= _HIGHEST:
        problems.add(path, "must be an integer of 32 bits")
    return number


def _integral(value: Any) -> int | None:
    """Read 23.0 and "23" as 23, as protobuf does; None for anything else."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else None


def _string(value: Any, path: str, problems: Problems) -> Any:
    if not isinstance(value, str):
        problems.add(path, "must be a string")
    elif not is_text(value):
        problems.add(path, "must be Unicode text: it holds half a surrogate pair")
    return value


def _bool(value: Any, path: str, problems: Problems) -> Any:
    if not isinstance(value, bool):
        problems.add(path, "must be true or false")
    return value


def _enum(field: FieldPlan) -> Callable[[Any, str, Problems], Any]:
    by_name, by_number, name_of_enum = field.bound.by_name, field.bound.by_number, field.bound.title

    def read(value: Any, path: str, problems: Problems) -> Any:
        word = by_name.get(value) if isinstance(value, str) else None
        if word is None and not isinstance(value, bool):
            word = by_number.get(_integral(value) if not isinstance(value, int) else value)
        if word is None:
            problems.add(path, f"is no value of {name_of_enum}: {', '.join(by_name)}")
        return word

    return read


def _time(read_ms: Callable[[str], int], kind: type[int], expected: str) -> Callable[[Any, str, Problems], Any]:
    def read(value: Any, path: str, problems: Problems) -> Any:
        try:
            return kind(read_ms(value)) if isinstance(value, str) else problems.add(path, expected)
        except (ValueError, OverflowError):
            problems.add(path, expected)
            return None

    return read
