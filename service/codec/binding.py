"""Binds messages to structs, once, at start; whatever has drifted apart is a CodecError.

``umpire.v1.X`` is the class X of ``service.messages``; the five unions over games reach the classes that each game registers; what these refer to is
bound by their type hints. A struct and its message have the same fields, of the same types, with the same meaning of absence.
"""

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from google.protobuf.descriptor import Descriptor, FileDescriptor

from engines.kit import structs
from engines.kit.contract import Game
from service.codec.errors import CodecError
from service.codec.fields import bind_field
from service.codec.hints import hints_of
from service.codec.plan import FieldPlan, MessagePlan, UnionPlan

_UNIONS = {structs.Move: "moves", structs.Event: "events", structs.Question: "questions", structs.View: "view", structs.Options: "options"}


class Binding:
    """The bound messages of a contract. ``events`` are the structs of the events that are no game's."""

    def __init__(self, files: Iterable[FileDescriptor], namespace: ModuleType, games: Mapping[str, Game], events: tuple[type[Any], ...]) -> None:
        self._games = games
        self._events = events
        self._messages: dict[tuple[str, Any], MessagePlan] = {}
        self._under_way: set[tuple[str, Any]] = set()
        self._unions: dict[tuple[str, Any], UnionPlan] = {}
        bound = {file_message: vars(namespace).get(file_message.name) for file in files for file_message in file.message_types_by_name.values()}
        self._package = {descriptor.full_name for descriptor in bound}
        base = namespace.Message
        self.plans = {
            descriptor.full_name: self.message(descriptor, struct)
            for descriptor, struct in bound.items()
            if isinstance(struct, type) and issubclass(struct, base)
        }
        self._complete(bound, [kind for kind in vars(namespace).values() if isinstance(kind, type) and issubclass(kind, base) and kind is not base])

    def message(self, descriptor: Descriptor, struct: type[Any]) -> MessagePlan:
        """Bind a message to its struct.

        Raises:
            CodecError: they differ.
        """
        key = (descriptor.full_name, struct)
        if key not in self._messages:
            plan = self._messages[key] = MessagePlan(descriptor, struct)
            self._under_way.add(key)
            plan.fields = self._fields(descriptor, struct)
            self._under_way.remove(key)
            plan.oneofs = [tuple(field.name for field in oneof.fields) for oneof in descriptor.oneofs if len(oneof.fields) > 1]
        if key in self._under_way:
            raise CodecError(f"{descriptor.full_name}: it holds itself; an answer could be of any depth")
        return self._messages[key]

    def nested(self, descriptor: Descriptor, types: tuple[Any, ...], where: str) -> MessagePlan | UnionPlan:
        """Bind what a field of message type holds: one struct, a union of them, or a union over all games.

        Raises:
            CodecError: the hint does not go with the message.
        """
        if len(types) == 1 and types[0] in _UNIONS:
            return self._over_games(descriptor, types[0])
        if not all(isinstance(kind, type) and hasattr(kind, "__struct_fields__") for kind in types):
            raise CodecError(f"{where}: {descriptor.full_name} needs a struct, the hint is {types}")
        return self.message(descriptor, types[0]) if len(types) == 1 else self._by_tag(descriptor, types)

    def _fields(self, descriptor: Descriptor, struct: type[Any]) -> list[FieldPlan]:
        hints = hints_of(struct)
        named = {field.name for field in descriptor.fields}
        for name in sorted(named ^ set(hints)):
            owner, other = (descriptor.full_name, struct.__qualname__) if name in named else (struct.__qualname__, descriptor.full_name)
            raise CodecError(f"{descriptor.full_name}.{name}: {owner} has this field, {other} has not")
        return [bind_field(self, field, struct, hints[field.name]) for field in descriptor.fields]

    def _over_games(self, descriptor: Descriptor, base: type[Any]) -> UnionPlan:
        key = (descriptor.full_name, base)
        if key in self._unions:
            return self._unions[key]
        union = self._unions[key] = UnionPlan(descriptor, may_be_empty=base is structs.Options)
        unbound = set(self._games)
        for name, member in self._members(descriptor, union).items():
            unbound.discard(name)
            if member.full_name in self._package:
                union.members[name] = self._by_tag(member, self._events)
            elif name in self._games:
                classes = getattr(self._games[name], _UNIONS[base])
                union.members[name] = self._by_tag(member, classes) if isinstance(classes, tuple) else self.message(member, classes)
            else:
                raise CodecError(f"{descriptor.full_name}.{name}: there is no game of this id")
        if unbound:
            raise CodecError(f"{descriptor.full_name}: no member for {', '.join(sorted(unbound))}")
        return self._checked(union)

    def _by_tag(self, descriptor: Descriptor, classes: tuple[type[Any], ...]) -> UnionPlan:
        key = (descriptor.full_name, classes)
        if key in self._unions:
            return self._unions[key]
        union = self._unions[key] = UnionPlan(descriptor)
        by_tag = {kind.__struct_config__.tag: kind for kind in classes}
        members = self._members(descriptor, union)
        for name in sorted(set(members) ^ set(by_tag), key=str):
            what = "no class has this tag" if name in members else f"{by_tag[name].__qualname__} has no member"
            raise CodecError(f"{descriptor.full_name}.{name}: {what}")
        for name, member in members.items():
            union.members[name] = self.message(member, by_tag[name])
        return self._checked(union)

    @staticmethod
    def _members(descriptor: Descriptor, union: UnionPlan) -> dict[str, Descriptor]:
        members = {field.name: field for field in descriptor.fields}
        if len(descriptor.oneofs) != 1 or any(field.containing_oneof is None or field.message_type is None for field in descriptor.fields):
            raise CodecError(f"{descriptor.full_name}: a union is one oneof of messages and nothing else")
        union.json_names.update({name: field.json_name for name, field in members.items()})
        return {name: field.message_type for name, field in members.items() if field.message_type is not None}

    @staticmethod
    def _checked(union: UnionPlan) -> UnionPlan:
        structs_in_it = [leaf.struct for _, leaf in union.leaves()]
        for struct in structs_in_it:
            if structs_in_it.count(struct) > 1:
                raise CodecError(f"{union.name}: {struct.__qualname__} stands behind several members")
        return union

    def _complete(self, bound: Mapping[Descriptor, Any], classes: list[type[Any]]) -> None:
        """Check that nothing was left over on either side."""
        reached = {name for name, _ in self._messages} | {name for name, _ in self._unions}
        unreached = [descriptor.full_name for descriptor in bound if descriptor.full_name not in reached]
        if unreached:
            raise CodecError(f"no class of this name: {', '.join(unreached)}")
        for kind in classes:
            if kind not in {struct for _, struct in self._messages}:
                raise CodecError(f"{kind.__qualname__}: no message of this name")
