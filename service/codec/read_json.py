"""Proto3 JSON to structs. Lenient where protobuf is (names in both spellings, null, numbers as text), strict in all else; every bad field is collected."""

from collections.abc import Callable, Collection
from typing import Any

from service.codec.errors import Problems, shown
from service.codec.json_scalars import read_scalar
from service.codec.json_text import Repeating
from service.codec.plan import FieldPlan, Kind, MessagePlan, UnionPlan

Read = Callable[[Any, str, Problems], Any]
"""Reads a value: the JSON tree, its path in the request, and where to put what is wrong with it. After a problem its result means nothing."""


class JsonReader:
    """Makes the functions that read messages."""

    def __init__(self) -> None:
        self._made: dict[int, Read] = {}

    def read(self, plan: MessagePlan | UnionPlan) -> Read:
        """Return the function that reads a message from a tree; the path given to it is "" or ends with a dot."""
        if id(plan) not in self._made:
            self._made[id(plan)] = self._union(plan) if isinstance(plan, UnionPlan) else self._message(plan)
        return self._made[id(plan)]

    def _message(self, plan: MessagePlan) -> Read:
        spellings = {spelling: field.name for field in plan.fields for spelling in (field.name, field.json_name)}
        readers = {field.name: self._field(field) for field in plan.fields}
        absent = {field.name: field.absent for field in plan.fields}
        required = [field.name for field in plan.fields if field.required]
        struct, oneofs, name_of_message = plan.struct, plan.oneofs, plan.descriptor.name

        def read(tree: Any, path: str, problems: Problems) -> Any:
            given, named = _members(tree, spellings, name_of_message, path, problems)
            values = absent | {name: readers[name](value, path + name, problems) for name, value in given.items()}
            for name in required:
                if name not in given and name not in named:
                    problems.add(path + name, "is required")
            for oneof in oneofs:
                if len(both := [name for name in oneof if name in given]) > 1:
                    problems.add(path + both[1], f"cannot be set together with {both[0]}")
            return None if problems else struct(**values)

        return read

    def _union(self, union: UnionPlan) -> Read:
        spellings = {spelling: name for name, json_name in union.json_names.items() for spelling in (name, json_name)}
        readers = {name: self.read(plan) for name, plan in union.members.items()}
        names, may_be_empty, name_of_message = ", ".join(readers), union.may_be_empty, union.descriptor.name

        def read(tree: Any, path: str, problems: Problems) -> Any:
            before = len(problems)
            given, _ = _members(tree, spellings, name_of_message, path, problems)
            first, *others = given or ("",)
            for name in others:
                problems.add(path + name, f"cannot be set together with {first}")
            if not given and not may_be_empty and len(problems) == before:
                problems.add(path[:-1], f"needs one of: {names}")
            # The others are wrong whatever they hold: only the first is read.
            return readers[first](given[first], f"{path}{first}.", problems) if given else None

        return read

    def _field(self, field: FieldPlan) -> Read:
        value = self._value(field)
        if not field.repeated:
            return value

        def read(items: Any, path: str, problems: Problems) -> Any:
            if not isinstance(items, list):
                problems.add(path, "must be a list")
                return ()
            return tuple([value(item, f"{path}[{index}]", problems) for index, item in enumerate(items)])

        return read

    def _value(self, field: FieldPlan) -> Read:
        if field.kind in (Kind.MESSAGE, Kind.UNION):
            inner = self.read(field.bound)
            return lambda tree, path, problems: inner(tree, f"{path}.", problems)
        return read_scalar(field)


def _members(tree: Any, spellings: dict[str, str], message: str, path: str, problems: Problems) -> tuple[dict[str, Any], Collection[str]]:
    """Sort an object's members by the contract's names; null is absent.

    Returns what is given, and the names that need no second complaint if they are not: unknown and repeated members are problems, and left out.
    """
    if not isinstance(tree, dict):
        problems.add(path[:-1], "must be an object")
        return {}, spellings.values()
    repeated = tree.repeated if isinstance(tree, Repeating) else ()
    given: dict[str, Any] = {}
    twice: set[str] = set()
    for key, value in tree.items():
        name = spellings.get(key)
        if name is None:
            problems.add(path + shown(key), f"is no field of {message}")
        elif name in given or key in repeated:
            twice.add(name)
        else:
            given[name] = value
    for name in sorted(twice):
        problems.add(path + name, "is given more than once")
    return {name: value for name, value in given.items() if value is not None and name not in twice}, twice
