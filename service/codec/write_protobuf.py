"""Structs to protobuf: for each message a generated function that fills an empty message, field by field.

Frozen structs that come again and again (``cached``) are kept as finished bytes: where they are a repeated field of the outermost message, their bytes
are appended to the rest, which protobuf allows, as the order of fields in the bytes means nothing.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from google.protobuf.message_factory import GetMessageClass
from msgspec import UNSET

from service.codec.plan import FieldPlan, Kind, MessagePlan, UnionPlan
from service.codec.source import Source, describes
from service.codec.times import split_duration, split_timestamp

_CACHE_SIZE = 16_384
_LENGTH_DELIMITED = 2


class ProtobufWriter:
    """Makes the functions; ``cached`` are the full names of messages whose bytes are kept."""

    def __init__(self, cached: frozenset[str]) -> None:
        self._cached = cached
        self._source = Source()
        self._source.namespace.update(split_timestamp=split_timestamp, split_duration=split_duration, UNSET=UNSET)

    def to_bytes(self, plan: MessagePlan) -> Callable[[Any], bytes]:
        """Return the function that turns a struct into bytes."""
        make = GetMessageClass(plan.descriptor)
        appended = [field for field in plan.fields if field.repeated and field.kind is Kind.MESSAGE and field.bound.name in self._cached]
        if not appended:
            fill = self._fill(plan)

            def plain(struct: Any) -> bytes:
                message = make()
                fill(message, struct)
                return message.SerializeToString()

            return plain
        source = self._source
        fill_name = f"{source.name_of('fill', plan)}_head"
        source.define(fill_name, "m, s", self._body(plan, [field for field in plan.fields if field not in appended]))
        parts = ", ".join(f"*map({source.refer('bytes_of', self._bytes_of(field))}, s.{field.name})" for field in appended)
        body = [f"m = {source.refer('make', make)}()", f"{fill_name}(m, s)", f"return b''.join((m.SerializeToString(), {parts}))"]
        return source.define(source.name_of("to_bytes", plan), "s", body)

    def _bytes_of(self, field: FieldPlan) -> Callable[[Any], bytes]:
        to_bytes = self.to_bytes(field.bound)
        tag = _varint(field.descriptor.number << 3 | _LENGTH_DELIMITED)

        @lru_cache(maxsize=_CACHE_SIZE)
        def bytes_of(struct: Any) -> bytes:
            data = to_bytes(struct)
            return tag + _varint(len(data)) + data

        return bytes_of

    def _fill(self, plan: MessagePlan) -> Callable[..., Any]:
        name = self._source.name_of("fill", plan)
        if name not in self._source.namespace:
            self._source.define(name, "m, s", self._body(plan, plan.fields))
        function: Callable[..., Any] = self._source.namespace[name]
        return function

    def _body(self, plan: MessagePlan, fields: list[FieldPlan]) -> list[str]:
        # What was just made and gets no value set is not there; a scalar that is set, even to zero, makes it be there.
        certain = any(field.kind.is_scalar and not field.repeated and not field.has_presence for field in fields)
        lines = [describes(plan)] if certain else [describes(plan), "m.SetInParent()"]
        for field in fields:
            lines += self._repeated(field) if field.repeated else self._single(field)
        return lines

    def _single(self, field: FieldPlan) -> list[str]:
        target, value = f"m.{field.name}", f"s.{field.name}"
        if not field.has_presence:
            return [f"{target} = {self._scalar(field, value)}"]
        match field.kind:
            case Kind.MESSAGE | Kind.UNION:
                line = f"{self._nested(field, 'v')}({target}, v)"
            case Kind.TIMESTAMP:
                line = f"t = {target}; t.seconds, t.nanos = split_timestamp(v)"
            case Kind.DURATION:
                line = f"t = {target}; t.seconds, t.nanos = split_duration(v)"
            case _:
                line = f"{target} = {self._scalar(field, 'v')}"
        if field.kind.is_scalar:
            return [f"v = {value}", f"if v is not UNSET: {line}"]
        conditions = [f"v is not {absent}" for absent, may_be in (("None", field.may_be_none), ("UNSET", field.may_be_unset)) if may_be]
        return [f"v = {value}", f"if {' and '.join(conditions)}: {line}" if conditions else line]

    def _repeated(self, field: FieldPlan) -> list[str]:
        value, target = f"s.{field.name}", f"m.{field.name}"
        match field.kind:
            case Kind.MESSAGE | Kind.UNION:
                line = f"for v in {value}: {self._nested(field, 'v')}({target}.add(), v)"
            case Kind.ENUM:
                line = f"{target}.extend([{self._scalar(field, 'v')} for v in {value}])"
            case Kind.TIMESTAMP | Kind.DURATION:
                split = "split_timestamp" if field.kind is Kind.TIMESTAMP else "split_duration"
                line = f"for v in {value}: t = {target}.add(); t.seconds, t.nanos = {split}(v)"
            case _:
                line = f"{target}.extend({value})"
        # Most lists are empty, and an empty one needs no call.
        return [f"if {value}{f' and {value} is not UNSET' if field.may_be_unset else ''}:", f"    {line}"]

    def _scalar(self, field: FieldPlan, value: str) -> str:
        return f"{self._source.refer('numbers', field.bound.numbers)}[{value}]" if field.kind is Kind.ENUM else value

    def _nested(self, field: FieldPlan, value: str) -> str:
        if isinstance(field.bound, UnionPlan):
            return f"{self._union(field.bound)}[type({value})]"
        self._fill(field.bound)
        return self._source.name_of("fill", field.bound)

    def _union(self, union: UnionPlan) -> str:
        name = self._source.name_of("union", union)
        if name not in self._source.namespace:
            by_type: dict[type[Any], Callable[..., Any]] = {}
            self._source.namespace[name] = by_type
            for path, leaf in union.leaves():
                function = f"{name}_{'_'.join(path)}"
                by_type[leaf.struct] = self._source.define(function, "m, s", [f"m = m.{'.'.join(path)}", *self._body(leaf, leaf.fields)])
        return name


def _varint(number: int) -> bytes:
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)
