"""Plans: what a message and its struct have in common, found once at start from the descriptors and the type hints.

A struct that has drifted apart from its message fails here, by name, before anything is served.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from msgspec import NODEFAULT, UnsetType

from engines.kit.structs import Options


class CodecError(TypeError):
    """A struct and its message have drifted apart; the message of this error names both."""


class Kind(Enum):
    """What a field holds."""

    INT = "int"
    STR = "str"
    BOOL = "bool"
    ENUM = "enum"
    MESSAGE = "message"
    UNION = "union"
    TIMESTAMP = "timestamp"
    DURATION = "duration"


_SCALARS = {
    (FieldDescriptor.TYPE_INT32, int): Kind.INT,
    (FieldDescriptor.TYPE_STRING, str): Kind.STR,
    (FieldDescriptor.TYPE_BOOL, bool): Kind.BOOL,
}
_TIMES = {"google.protobuf.Timestamp": Kind.TIMESTAMP, "google.protobuf.Duration": Kind.DURATION}
_ZEROS: dict[Kind, Any] = {Kind.INT: 0, Kind.STR: "", Kind.BOOL: False}


@dataclass
class EnumPlan:
    """The words of an enum: the struct's members by number and by the contract's full name, and back."""

    by_number: dict[int, StrEnum]
    by_name: dict[str, StrEnum]
    numbers: dict[StrEnum, int]
    names: dict[StrEnum, str]


@dataclass
class MessagePlan:
    """A message that is a struct."""

    descriptor: Descriptor
    struct: type[msgspec.Struct]
    fields: list["FieldPlan"] = field(default_factory=list)

    @property
    def takes_unset(self) -> bool:
        """Whether absent fields are passed on as UNSET: a game's options are filled in by its rules."""
        return issubclass(self.struct, Options)


@dataclass
class Member:
    """One member of a union: the oneof fields that lead to it, and what lies there."""

    path: tuple[str, ...]
    plan: MessagePlan


@dataclass
class UnionPlan:
    """A message that is a choice among structs, perhaps by way of another: a game's move."""

    descriptor: Descriptor
    members: dict[type[msgspec.Struct], Member] = field(default_factory=dict)

    @property
    def may_be_empty(self) -> bool:
        """Whether a union with nothing set reads as absent: a game's options, all of them defaults."""
        return all(member.plan.takes_unset for member in self.members.values())


@dataclass
class FieldPlan:
    """A field: ``default`` is the struct's, NODEFAULT if it has none; ``has_presence`` if an absent one differs from a zero."""

    name: str
    json_name: str
    kind: Kind
    repeated: bool
    has_presence: bool
    may_be_unset: bool
    default: Any
    enum: EnumPlan | None = None
    message: MessagePlan | None = None
    union: UnionPlan | None = None

    @property
    def required(self) -> bool:
        """Whether a request must have it: the struct has no default for it, and the contract tells absence apart."""
        return self.default is NODEFAULT and self.has_presence

    @property
    def is_message(self) -> bool:
        """Whether an absent one is None, not UNSET."""
        return self.kind in {Kind.MESSAGE, Kind.UNION, Kind.TIMESTAMP, Kind.DURATION}


UnionMembers = Mapping[str, Mapping[str, Any]]
"""For each union message, by full name: its members by oneof field. A member is a struct class, or a tuple of them, told apart by their tags."""


class Planner:
    """Makes and keeps plans."""

    def __init__(self, unions: UnionMembers) -> None:
        self._unions = unions
        self._plans: dict[tuple[str, type[msgspec.Struct]], MessagePlan] = {}
        self._union_plans: dict[str, UnionPlan] = {}

    def message(self, descriptor: Descriptor, struct: type[msgspec.Struct]) -> MessagePlan:
        """Plan a message with its struct.

        Raises:
            CodecError: they have drifted apart.
        """
        key = descriptor.full_name, struct
        if key not in self._plans:
            plan = self._plans[key] = MessagePlan(descriptor, struct)
            plan.fields += self._fields(descriptor, struct)
        return self._plans[key]

    def union(self, descriptor: Descriptor) -> UnionPlan:
        """Plan a union message.

        Raises:
            CodecError: a member has no struct, or a struct no member.
        """
        if descriptor.full_name not in self._union_plans:
            plan = self._union_plans[descriptor.full_name] = UnionPlan(descriptor)
            plan.members.update(self._members(descriptor, self._unions[descriptor.full_name], ()))
        return self._union_plans[descriptor.full_name]

    def _members(self, descriptor: Descriptor, given: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[type[msgspec.Struct], Member]]:
        names = {member.name for member in descriptor.fields}
        if len(descriptor.oneofs) != 1 or names != set(given):
            raise CodecError(f"{descriptor.full_name} and the registered games differ in {', '.join(sorted(names ^ set(given))) or 'its oneof'}")
        for member in cast(Any, descriptor.fields):
            here = given[member.name]
            if isinstance(here, tuple):
                by_tag = {str(struct.__struct_config__.tag): struct for struct in here}
                yield from self._members(member.message_type, by_tag, (*path, member.name))
            else:
                yield here, Member((*path, member.name), self.message(member.message_type, here))

    def _fields(self, descriptor: Descriptor, struct: type[msgspec.Struct]) -> Iterator[FieldPlan]:
        hints = get_type_hints(struct, include_extras=True)
        infos = {info.name: info for info in msgspec.structs.fields(struct)}
        names = {member.name for member in descriptor.fields}
        if names != set(infos):
            raise CodecError(f"{descriptor.full_name} and {struct.__name__} differ in {', '.join(sorted(names ^ set(infos)))}")
        for member in descriptor.fields:
            yield self._field(f"{descriptor.full_name}.{member.name}", member, hints[member.name], infos[member.name].default)

    def _field(self, where: str, member: Any, hint: Any, default: Any) -> FieldPlan:
        inner, may_be_none, may_be_unset = _unwrap(hint)
        repeated = bool(member.is_repeated)
        if repeated is not (get_origin(inner) is tuple):
            raise CodecError(f"{where}: is repeated in one of contract and struct only")
        if repeated:
            inner = get_args(inner)[0]
        plan = FieldPlan(member.name, member.json_name, Kind.INT, repeated, bool(member.has_presence) and not repeated, may_be_unset, default)
        self._fill_kind(where, plan, member, inner)
        if may_be_none and not plan.is_message:
            raise CodecError(f"{where}: an absent scalar is UNSET, not None")
        if not repeated and not plan.has_presence and (may_be_unset or default not in (NODEFAULT, _ZEROS.get(plan.kind))):
            raise CodecError(f"{where}: may be absent or has a default of its own, which the contract cannot tell from a zero")
        return plan

    def _fill_kind(self, where: str, plan: FieldPlan, member: Any, inner: Any) -> None:
        if member.type == FieldDescriptor.TYPE_MESSAGE:
            name = member.message_type.full_name
            if name in _TIMES:
                plan.kind = _TIMES[name]
            elif name in self._unions:
                plan.kind, plan.union = Kind.UNION, self.union(member.message_type)
            elif isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                plan.kind, plan.message = Kind.MESSAGE, self.message(member.message_type, inner)
            else:
                raise CodecError(f"{where}: is the message {name} in the contract and {inner} in the struct")
        elif member.type == FieldDescriptor.TYPE_ENUM:
            plan.kind, plan.enum = Kind.ENUM, _enum(where, member.enum_type, inner)
        else:
            kind = _SCALARS.get((member.type, inner))
            if kind is None:
                raise CodecError(f"{where}: is {inner} in the struct, which does not fit the contract")
            plan.kind = kind


def _enum(where: str, descriptor: EnumDescriptor, inner: Any) -> EnumPlan:
    if not (isinstance(inner, type) and issubclass(inner, StrEnum)):
        raise CodecError(f"{where}: is the enum {descriptor.name} in the contract and {inner} in the struct")
    prefix = descriptor.values_by_number[0].name.removesuffix("UNSPECIFIED")
    words = {value.name.removeprefix(prefix): value.number for value in descriptor.values if value.number}
    own = {member.value: member for member in inner}
    if set(words) != set(own):
        raise CodecError(f"{where}: {descriptor.full_name} and {inner.__name__} differ in {', '.join(sorted(set(words) ^ set(own)))}")
    return EnumPlan(
        by_number={number: own[word] for word, number in words.items()},
        by_name={prefix + word: own[word] for word in words},
        numbers={own[word]: number for word, number in words.items()},
        names={own[word]: prefix + word for word in words},
    )


def _unwrap(hint: Any) -> tuple[Any, bool, bool]:
    """Take ``Annotated``, ``| None`` and ``| UnsetType`` off a hint; say whether the latter two were there."""
    if get_origin(hint) is Annotated:
        return _unwrap(get_args(hint)[0])
    if get_origin(hint) not in {Union, types.UnionType}:
        return hint, False, False
    parts = get_args(hint)
    kept = [part for part in parts if part not in {type(None), UnsetType}]
    inner = _unwrap(kept[0])[0] if len(kept) == 1 else hint
    return inner, type(None) in parts, UnsetType in parts
