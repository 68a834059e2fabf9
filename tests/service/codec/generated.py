"""Random messages, made from descriptors alone: the tests know nothing of the structs, so that json_format can judge what the codec makes of them."""

import re
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

_WORDS = ("", "BOMB_2", "straße", 'quote " \\ slash', "line\nbreak\t\x01", "😀 \u2028", "0", "null")
_NUMBERS = (0, 1, -1, 7, 300, 2**31 - 1, -(2**31))
_STEP = re.compile(r"([a-z0-9_]+)(?:\[(\d+)\])?")


def fill(message: Any, rng: Random, *, density: float) -> None:
    """Give a message random values; ``density`` is how likely a field with presence, or a list, is set at all."""
    members = [oneof.fields for oneof in message.DESCRIPTOR.oneofs if len(oneof.fields) > 1 or not _is_optional(oneof.fields[0])]
    chosen = {rng.choice(fields).name for fields in members}
    in_oneof = {field.name for fields in members for field in fields}
    for field in message.DESCRIPTOR.fields:
        if field.name in in_oneof:
            if field.name in chosen:
                set_field(message, field, rng, density=density)
        elif not (field.has_presence or field.is_repeated) or rng.random() < density:
            set_field(message, field, rng, density=density)


def set_field(message: Any, field: FieldDescriptor, rng: Random, *, density: float) -> None:
    """Give one field a random value."""
    if field.is_repeated:
        for _ in range(rng.randint(1, 3)):
            if field.message_type:
                _fill_inner(getattr(message, field.name).add(), rng, density)
            else:
                getattr(message, field.name).append(_scalar(field, rng))
    elif field.message_type:
        inner = getattr(message, field.name)
        inner.SetInParent()
        _fill_inner(inner, rng, density)
    else:
        setattr(message, field.name, _scalar(field, rng))


def set_path(message: Any, path: str, rng: Random) -> None:
    """Give the field at a path such as ``seats[1].own.hand`` a random value."""
    *steps, last = path.split(".")
    for step in steps:
        name, index = _STEP.fullmatch(step).groups()
        message = getattr(message, name) if index is None else getattr(message, name)[int(index)]
    set_field(message, message.DESCRIPTOR.fields_by_name[last], rng, density=1)


def _fill_inner(message: Any, rng: Random, density: float) -> None:
    name = message.DESCRIPTOR.full_name
    if name == "google.protobuf.Timestamp":
        message.FromMilliseconds(rng.choice((0, -1, 1_700_000_000_120, rng.randrange(-62_135_596_800_000, 253_402_300_799_999))))
    elif name == "google.protobuf.Duration":
        message.FromMilliseconds(rng.choice((0, -1_500, 604_800_000, rng.randrange(-(10**12), 10**12))))
    else:
        fill(message, rng, density=density)


def _scalar(field: FieldDescriptor, rng: Random) -> Any:
    if field.enum_type:
        return rng.choice([value.number for value in field.enum_type.values if value.number])
    match field.type:
        case FieldDescriptor.TYPE_BOOL:
            return rng.random() < 0.5
        case FieldDescriptor.TYPE_STRING:
            return rng.choice(_WORDS)
        case _:
            return rng.choice(_NUMBERS)


def _is_optional(field: FieldDescriptor) -> bool:
    return field.message_type is None and field.containing_oneof.name == f"_{field.name}"
