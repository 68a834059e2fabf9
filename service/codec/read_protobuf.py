"""Protobuf to structs. Unknown fields are ignored, as protobuf does; all that is wrong with the known ones is collected."""

from collections.abc import Callable
from typing import Any

from service.codec.errors import Problems
from service.codec.plan import FieldPlan, Kind, MessagePlan, UnionPlan
from service.codec.times import duration_ms, timestamp_ms
from service.messages import Duration, Timestamp

Read = Callable[[Any, str, Problems], Any]
"""Reads a value: the message or scalar, its path in the request, and where to put what is wrong with it. After a problem its result means nothing."""


class ProtobufReader:
    """Makes the functions that read messages."""

    def __init__(self) -> None:
        self._made: dict[int, Read] = {}

    def read(self, plan: MessagePlan | UnionPlan) -> Read:
        """Return the function that reads a message."""
        if id(plan) not in self._made:
            self._made[id(plan)] = self._union(plan) if isinstance(plan, UnionPlan) else self._message(plan)
        return self._made[id(plan)]

    def _message(self, plan: MessagePlan) -> Read:
        struct = plan.struct
        fields = [(field.name, field.has_presence, field.required, field.absent, self._field(field)) for field in plan.fields]

        def read(message: Any, path: str, problems: Problems) -> Any:
            values = {}
            for name, has_presence, required, absent, read_value in fields:
                if has_presence and not message.HasField(name):
                    if required:
                        problems.add(path + name, "is required")
                    values[name] = absent
                elif read_value is None:
                    values[name] = getattr(message, name)
                else:
                    values[name] = read_value(getattr(message, name), path + name, problems)
            return None if problems else struct(**values)

        return read

    def _union(self, union: UnionPlan) -> Read:
        oneof = union.descriptor.oneofs[0].name
        members = {name: self.read(plan) for name, plan in union.members.items()}
        names, may_be_empty = ", ".join(members), union.may_be_empty

        def read(message: Any, path: str, problems: Problems) -> Any:
            member = message.WhichOneof(oneof)
            if member is None:
                if not may_be_empty:
                    problems.add(path[:-1], f"needs one of: {names}")
                return None
            return members[member](getattr(message, member), f"{path}{member}.", problems)

        return read

    def _field(self, field: FieldPlan) -> Read | None:
        value = self._value(field)
        if not field.repeated:
            return value
        if value is None:
            return lambda values, _path, _problems: tuple(values)

        def read(values: Any, path: str, problems: Problems) -> Any:
            return tuple([value(item, f"{path}[{index}]", problems) for index, item in enumerate(values)])

        return read

    def _value(self, field: FieldPlan) -> Read | None:
        match field.kind:
            case Kind.ENUM:
                return _enum(field)
            case Kind.TIMESTAMP:
                return _time(timestamp_ms, Timestamp)
            case Kind.DURATION:
                return _time(duration_ms, Duration)
            case Kind.MESSAGE | Kind.UNION:
                inner = self.read(field.bound)
                return lambda message, path, problems: inner(message, f"{path}.", problems)
            case _:
                return None


def _enum(field: FieldPlan) -> Read:
    by_number = field.bound.by_number
    required = field.required and not field.has_presence

    def read(number: Any, path: str, problems: Problems) -> Any:
        word = by_number.get(number)
        if word is None:
            problems.add(path, "is required" if required and number == 0 else f"is no value of {field.bound.title}: {', '.join(field.bound.by_name)}")
        return word

    return read


def _time(to_ms: Callable[[int, int], int], kind: type[int]) -> Read:
    def read(message: Any, path: str, problems: Problems) -> Any:
        try:
            return kind(to_ms(message.seconds, message.nanos))
        except ValueError:
            problems.add(path, f"is no valid {kind.__name__}")
            return None

    return read
