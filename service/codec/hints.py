"""Taking type hints of struct fields apart."""

from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType


class Hint(NamedTuple):
    """A field's hint: its type (or types, if it is a union of structs), whether a tuple of it, whether None or UNSET may stand instead, and its default."""

    types: tuple[Any, ...]
    repeated: bool
    may_be_none: bool
    may_be_unset: bool
    default: Any

    @property
    def has_default(self) -> bool:
        return self.default is not NODEFAULT


def hints_of(struct: type[Any]) -> dict[str, Hint]:
    """Take apart the hints of all fields of a struct, in stored order."""
    hints = get_type_hints(struct, include_extras=True)
    return {field.name: _take_apart(hints[field.name], _default(field)) for field in msgspec.structs.fields(struct)}


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


def _take_apart(hint: Any, default: Any) -> Hint:
    members = _members(hint)
    types = tuple(member for member in members if member not in (NoneType, UnsetType))
    repeated = len(types) == 1 and get_origin(types[0]) is tuple and get_args(types[0])[1:] == (...,)
    if repeated:
        types = _members(get_args(types[0])[0])
    return Hint(types, repeated, NoneType in members, UnsetType in members, default)


def _members(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Annotated:
        return _members(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return tuple(inner for member in get_args(hint) for inner in _members(member))
    return (hint,)


def described(hint: Hint) -> str:
    """Say a hint in words, for a CodecError."""
    names = [getattr(kind, "__name__", str(kind)) for kind in hint.types]
    text = " | ".join(names)
    text = f"tuple[{text}, ...]" if hint.repeated else text
    return text + (" | None" if hint.may_be_none else "") + (" | UNSET" if hint.may_be_unset else "")


def is_empty(value: Any) -> bool:
    """Whether a default says the same as proto3's own: zero, "", false, no elements."""
    return value is UNSET or (not isinstance(value, Enum) and value in (0, "", False, ()))
