"""The short way from a JSON body to a struct, for the requests that most calls send: flat, spelled as the contract spells, and right in every field.

It gives no verdicts: whatever it is not sure of, wrong or merely unusual, is left to the long way, which names what is wrong. A request that it reads comes
out as the long way would read it.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from service.codec.plan import Kind, MessagePlan

QuickRead = Callable[[bytes, Mapping[str, str]], Any]
"""Reads a request from its body (b"" for none) and the texts that its path gives; None: ask the long way."""

_TYPES: dict[Kind, Any] = {Kind.INT32: Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)], Kind.STRING: str, Kind.BOOL: bool}


def quick_reader(plan: MessagePlan) -> QuickRead:
    """Make the function that reads a message; fields that are not plain are among what it leaves to the long way."""
    plain = {field.name: field for field in plan.fields if field.kind in _TYPES and not field.repeated}
    shadow = msgspec.defstruct(
        f"quick_{plan.descriptor.name}",
        [(name, _TYPES[field.kind] | UnsetType, UNSET) for name, field in plain.items()],
        rename={name: field.json_name for name, field in plain.items()},
        forbid_unknown_fields=True,
    )
    decode = msgspec.json.Decoder(shadow).decode
    nothing = shadow()
    absent = {field.name: field.absent for field in plan.fields}
    names = tuple(plain)
    texts = frozenset(name for name, field in plain.items() if field.kind is Kind.STRING)
    required = frozenset(field.name for field in plan.fields if field.required)
    struct = plan.struct

    def read(body: bytes, path: Mapping[str, str]) -> Any:
        try:
            body_fields = decode(body) if body else nothing
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
        given = {name: value for name in names if (value := getattr(body_fields, name)) is not UNSET}
        # Every member of an object has a colon. If there are no more of them than fields came out, none was given twice.
        if body.count(b":") != len(given):
            return None
        for name, text in path.items():
            if name in given or name not in texts:
                return None
            given[name] = text
        return struct(**{**absent, **given}) if given.keys() >= required else None

    return read if not plan.oneofs else lambda _body, _path: None
