"""Binds one field of a message to one field of its struct."""

from enum import StrEnum
from keyword import iskeyword
from typing import Any, Protocol

import msgspec
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from msgspec import UNSET

from engines.kit.structs import Move, Options
from service.codec.errors import CodecError
from service.codec.hints import Hint, described, is_empty
from service.codec.plan import FieldPlan, Kind, MessagePlan, UnionPlan
from service.codec.times import DURATION, TIMESTAMP
from service.codec.words import bind_enum
from service.messages import Duration, Timestamp

_SCALARS = {
    FieldDescriptor.TYPE_INT32: (Kind.INT32, int, 0),
    FieldDescriptor.TYPE_STRING: (Kind.STRING, str, ""),
    FieldDescriptor.TYPE_BOOL: (Kind.BOOL, bool, False),
}
_TIMES = {TIMESTAMP: (Kind.TIMESTAMP, Timestamp), DURATION: (Kind.DURATION, Duration)}


class Binder(Protocol):
    """What binds the messages that a field refers to."""

    def nested(self, descriptor: Descriptor, types: tuple[Any, ...], where: str) -> MessagePlan | UnionPlan: ...


def bind_field(binder: Binder, field: FieldDescriptor, struct: type[Any], hint: Hint) -> FieldPlan:
    """Bind a field.

    Raises:
        CodecError: type, presence or default differ.
    """
    where = f"{field.full_name} ({struct.__qualname__})"
    if iskeyword(field.name):
        raise CodecError(f"{where}: {field.name} is a keyword of Python")
    kind, bound = _kind(binder, field, hint, where)
    if field.is_repeated != hint.repeated:
        raise CodecError(f"{where}: it is {'repeated' if field.is_repeated else 'not repeated'}, the hint is {described(hint)}")
    required, absent = _absence(field, kind, struct, hint, where)
    return FieldPlan(
        field.name, field.json_name, kind, bound, field.is_repeated, field.has_presence, hint.may_be_none, hint.may_be_unset, required, absent, field
    )


def _kind(binder: Binder, field: FieldDescriptor, hint: Hint, where: str) -> tuple[Kind, Any]:
    mismatch = CodecError(f"{where}: the hint {described(hint)} is not of the contract's type")
    if field.type in _SCALARS:
        kind, python, _ = _SCALARS[field.type]
        if hint.types != (python,):
            raise mismatch
        return kind, None
    if field.enum_type is not None:
        if len(hint.types) != 1 or not isinstance(hint.types[0], type) or not issubclass(hint.types[0], StrEnum):
            raise mismatch
        return Kind.ENUM, bind_enum(field.enum_type, hint.types[0], where)
    message = field.message_type
    if message is None or message.GetOptions().map_entry:
        raise CodecError(f"{where}: fields of this type have no place in this contract")
    if message.full_name in _TIMES:
        kind, python = _TIMES[message.full_name]
        if hint.types != (python,):
            raise mismatch
        return kind, None
    bound = binder.nested(message, hint.types, where)
    return (Kind.UNION if isinstance(bound, UnionPlan) else Kind.MESSAGE), bound


def _absence(field: FieldDescriptor, kind: Kind, struct: type[Any], hint: Hint, where: str) -> tuple[bool, Any]:
    """Say whether a field is required, and else what its absence reads as."""
    if field.is_repeated:
        if hint.may_be_none or (hint.has_default and not is_empty(hint.default)):
            raise CodecError(f"{where}: an absent list is empty, the default is {hint.default!r}")
        return False, ()
    if not kind.is_scalar:
        if hint.has_default and hint.default is not None and hint.default is not UNSET:
            raise CodecError(f"{where}: an absent message is None or UNSET, the default is {hint.default!r}")
        return not (hint.may_be_none or hint.may_be_unset), UNSET if hint.may_be_unset else None
    if hint.may_be_none:
        raise CodecError(f"{where}: an absent scalar is UNSET, not None")
    if field.has_presence:
        return _optional_scalar(struct, hint)
    if issubclass(struct, Move | Options):
        raise CodecError(f"{where}: every scalar of a move and of options is optional in the contract, so that a missing one is seen")
    if hint.may_be_unset:
        raise CodecError(f"{where}: it may be UNSET, but the contract's field is not optional")
    if hint.has_default and not (is_empty(hint.default) and hint.default is not UNSET):
        raise CodecError(f"{where}: absent means zero in the contract, the default is {hint.default!r}")
    # An enum's zero is its UNSPECIFIED, so one without presence has to be set.
    return kind is Kind.ENUM, _SCALARS[field.type][2] if field.type in _SCALARS else None


def _optional_scalar(struct: type[msgspec.Struct], hint: Hint) -> tuple[bool, Any]:
    if issubclass(struct, Options):
        return False, UNSET  # the kit fills in what is absent
    if hint.may_be_unset:
        return False, UNSET
    if issubclass(struct, Move) or not hint.has_default:
        return True, None
    return False, hint.default
