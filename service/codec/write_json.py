"""Structs to proto3 JSON: for each message a shadow struct with JSON's names, and a generated function that makes it; msgspec writes the text.

Defaults are printed; what is absent is UNSET in the shadow, which msgspec leaves out. Frozen structs that come again and again (``cached``) are kept as
finished text.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET

from service.codec.plan import FieldPlan, Kind, MessagePlan, UnionPlan
from service.codec.source import Source, describes
from service.codec.times import duration_text, timestamp_text

_CACHE_SIZE = 16_384
_encode = msgspec.json.Encoder().encode


class JsonWriter:
    """Makes the functions; ``cached`` are the full names of messages whose text is kept."""

    def __init__(self, cached: frozenset[str]) -> None:
        self._cached = cached
        self._source = Source()
        self._source.namespace.update(timestamp_text=timestamp_text, duration_text=duration_text, UNSET=UNSET)

    def to_json(self, plan: MessagePlan) -> Callable[[Any], bytes]:
        """Return the function that turns a struct into JSON."""
        shadow = self._shadow(plan)
        return lambda struct: _encode(shadow(struct))

    def _shadow(self, plan: MessagePlan) -> Callable[[Any], Any]:
        name = self._source.name_of("shadow", plan)
        if name not in self._source.namespace:
            self._source.define(name, "s", [describes(plan), f"return {self._made(plan)}"])
            if plan.name in self._cached:
                self._source.namespace[name] = _kept(self._source.namespace[name])
        function: Callable[[Any], Any] = self._source.namespace[name]
        return function

    def _made(self, plan: MessagePlan) -> str:
        fields = [(field.name, Any) for field in plan.fields]
        rename = {field.name: field.json_name for field in plan.fields}
        # gc=False: a shadow lives for one call and is in no cycle.
        shadow = msgspec.defstruct(plan.descriptor.name, fields, rename=rename, gc=False)
        return f"{self._source.refer('Shadow', shadow)}({', '.join(map(self._field, plan.fields))})"

    def _field(self, field: FieldPlan) -> str:
        value = f"s.{field.name}"
        if field.repeated:
            return self._repeated(field, value)
        if field.kind in (Kind.INT32, Kind.STRING, Kind.BOOL):
            return value  # UNSET as it is
        written = self._value(field, value)
        if field.kind is Kind.ENUM and not field.may_be_unset and not field.has_presence:
            return written
        conditions = [f"{value} is {absent}" for absent, may_be in (("None", field.may_be_none), ("UNSET", self._may_be_unset(field))) if may_be]
        return f"(UNSET if {' or '.join(conditions)} else {written})" if conditions else written

    @staticmethod
    def _may_be_unset(field: FieldPlan) -> bool:
        return field.may_be_unset or (field.kind is Kind.ENUM and field.has_presence)

    def _repeated(self, field: FieldPlan, value: str) -> str:
        plain = field.kind in (Kind.INT32, Kind.STRING, Kind.BOOL)
        written = value if plain else f"[{self._value(field, 'v')} for v in {value}]"
        return f"(() if {value} is UNSET else {written})" if field.may_be_unset else written

    def _value(self, field: FieldPlan, value: str) -> str:
        match field.kind:
            case Kind.ENUM:
                return f"{self._source.refer('names', field.bound.names)}[{value}]"
            case Kind.TIMESTAMP:
                return f"timestamp_text({value})"
            case Kind.DURATION:
                return f"duration_text({value})"
            case Kind.UNION:
                return f"{self._union(field.bound)}[type({value})]({value})"
            case Kind.MESSAGE:
                self._shadow(field.bound)
                return f"{self._source.name_of('shadow', field.bound)}({value})"
            case _:
                return value

    def _union(self, union: UnionPlan) -> str:
        name = self._source.name_of("union", union)
        if name not in self._source.namespace:
            by_type: dict[type[Any], Callable[[Any], Any]] = {}
            self._source.namespace[name] = by_type
            for path, leaf in union.leaves():
                made = self._made(leaf)
                for member in reversed(_json_path(union, path)):
                    made = f"{{{member!r}: {made}}}"
                by_type[leaf.struct] = self._source.define(f"{name}_{'_'.join(path)}", "s", [f"return {made}"])
        return name


def _json_path(union: MessagePlan | UnionPlan, path: tuple[str, ...]) -> list[str]:
    names = []
    for member in path:
        assert isinstance(union, UnionPlan)  # noqa: S101 - a path leads through unions
        names.append(union.json_names[member])
        union = union.members[member]
    return names


def _kept(shadow: Callable[[Any], Any]) -> Callable[[Any], msgspec.Raw]:
    @lru_cache(maxsize=_CACHE_SIZE)
    def kept(struct: Any) -> msgspec.Raw:
        return msgspec.Raw(_encode(shadow(struct)))

    return kept
