"""From protobuf and from JSON to structs. Requests are strict: every bad field is named, all of them at once.

JSON as proto3 has it, with what the API adds: camelCase and snake_case names, null is absent, unknown and repeated fields are refused.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from msgspec import NODEFAULT, UNSET

from service.coding.plan import EnumPlan, FieldPlan, Kind, MessagePlan, UnionPlan
from service.errors import InvalidRequest

_INT32 = range(-(2**31), 2**31)
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DURATION = re.compile(r"(-?)([0-9]{1,12})(?:\.([0-9]{1,9}))?s")
_ZEROS: dict[Kind, Any] = {Kind.INT: 0, Kind.STR: "", Kind.BOOL: False}
_BAD = object()

Problems = list[tuple[str, str]]


class JsonObject(dict[str, Any]):
    """A JSON object; ``repeated`` are the names that stood in it more than once."""

    repeated: tuple[str, ...] = ()


def parse_json(data: bytes) -> Any:
    """Parse JSON.

    Raises:
        InvalidRequest: it is none, is not UTF-8, or is nested too deeply.
    """
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise InvalidRequest(("", "the body is not UTF-8")) from None
    except RecursionError:
        raise InvalidRequest(("", "the body is nested too deeply")) from None
    except ValueError as error:
        raise InvalidRequest(("", f"the body is no JSON: {error}")) from None


def read_json(plan: MessagePlan, value: Any) -> Any:
    """Read a request from parsed JSON.

    Raises:
        InvalidRequest: naming every bad field.
    """
    problems: Problems = []
    if not isinstance(value, dict):
        raise InvalidRequest(("", "the body must be a JSON object"))
    return _finish(_json_message(plan, value, "", problems), value.get("match_id", value.get("matchId", "")), problems)


def read_proto(plan: MessagePlan, data: bytes) -> Any:
    """Read a request from protobuf's bytes.

    Raises:
        InvalidRequest: they are none of this message, or naming every bad field.
    """
    message = GetMessageClass(plan.descriptor)()
    try:
        message.ParseFromString(data)
    except DecodeError:
        raise InvalidRequest(("", f"the body is no {plan.descriptor.full_name}")) from None
    problems: Problems = []
    return _finish(_proto_message(plan, message, "", problems), getattr(message, "match_id", ""), problems)


def merge_texts(plan: MessagePlan, body: JsonObject, path: Mapping[str, str], query: Iterable[tuple[str, str]]) -> JsonObject:
    """Put the fields of a path and of a query beside those of a body.

    Raises:
        InvalidRequest: a name is unknown, stands twice, or its text is no value of its type.
    """
    problems: Problems = []
    merged = JsonObject(body)
    merged.repeated = body.repeated
    fields = {name: field for field in plan.fields for name in (field.name, field.json_name)}
    taken = {fields[name].name for name in body if name in fields}
    for name, text in (*path.items(), *query):
        field = fields.get(name)
        if field is None or field.repeated or field.kind not in _TEXTS:
            problems.append((name, "is no field that can stand here"))
        elif field.name in taken:
            problems.append((field.name, "stands twice"))
        else:
            taken.add(field.name)
            merged[field.name] = _TEXTS[field.kind].get(text, text) if field.kind is Kind.BOOL else text
            if field.kind is Kind.BOOL and text not in _TEXTS[Kind.BOOL]:
                problems.append((field.name, "must be true or false"))
    if problems:
        error = InvalidRequest(*problems)
        error.match_id = path.get("match_id", "")
        raise error
    return merged


_TEXTS: dict[Kind, dict[str, Any]] = {Kind.INT: {}, Kind.STR: {}, Kind.BOOL: {"true": True, "false": False}}


def _finish(read: Any, match_id: Any, problems: Problems) -> Any:
    if problems:
        error = InvalidRequest(*problems)
        error.match_id = match_id if isinstance(match_id, str) else ""
        raise error
    return read


# ---- JSON


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        made.repeated = tuple(name for name in made if names.count(name) > 1)
    return made


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _json_message(plan: MessagePlan, value: Any, path: str, problems: Problems) -> Any:
    if not isinstance(value, dict):
        problems.append((path, "must be an object"))
        return _BAD
    given: dict[str, Any] = {}
    known = {name: field for field in plan.fields for name in (field.json_name, field.name)}
    for name, part in value.items():
        field = known.get(name)
        if field is None:
            problems.append((_join(path, name), "is no field of this request"))
        elif field.name in given:
            problems.append((_join(path, field.name), "stands twice"))
        else:
            given[field.name] = part
    problems += [(_join(path, known[name].name if name in known else name), "stands twice") for name in getattr(value, "repeated", ())]
    return _build(plan, path, problems, lambda field: _json_field(field, given.get(field.name), _join(path, field.name), problems))


def _json_field(field: FieldPlan, value: Any, path: str, problems: Problems) -> Any:
    if value is None:
        return UNSET
    if not field.repeated:
        return _json_value(field, value, path, problems)
    if not isinstance(value, list):
        problems.append((path, "must be a list"))
        return _BAD
    return tuple(_json_value(field, part, f"{path}[{index}]", problems) for index, part in enumerate(value))


def _json_value(field: FieldPlan, value: Any, path: str, problems: Problems) -> Any:
    match field.kind:
        case Kind.MESSAGE if field.message is not None:
            return _json_message(field.message, value, path, problems)
        case Kind.UNION if field.union is not None:
            return _json_union(field.union, value, path, problems)
        case Kind.ENUM if field.enum is not None:
            read, wanted = _json_enum(field.enum, value), f"one of {', '.join(field.enum.by_name)}"
        case _:
            reader, wanted = _SCALARS[field.kind]
            read = reader(value)
    if read is _BAD:
        problems.append((path, f"must be {wanted}"))
    return read


def _json_union(plan: UnionPlan, value: Any, path: str, problems: Problems) -> Any:
    """Follow the one member that is set, through both levels of a game's union."""
    here, depth = value, 0
    names: list[str] = []
    options = {member.path: member for member in plan.members.values()}
    while True:
        if not isinstance(here, dict):
            problems.append((_join(path, *names), "must be an object"))
            return _BAD
        choices = {choice for member_path in options for choice in _spellings(member_path[depth])}
        unknown = [name for name in here if name not in choices]
        problems += [(_join(path, *names, name), "is no field of this request") for name in unknown]
        problems += [(_join(path, *names, _snake(name)), "stands twice") for name in getattr(here, "repeated", ())]
        given = {name: part for name, part in here.items() if name in choices and part is not None}
        if len(given) != 1:
            if not unknown and (given or names or not plan.may_be_empty):
                problems.append((_join(path, *names), "must have exactly one member"))
                return _BAD
            return _BAD if unknown else UNSET
        ((name, here),) = given.items()
        names.append(_snake(name))
        depth += 1
        options = {member_path: member for member_path, member in options.items() if member_path[:depth] == tuple(names)}
        if tuple(names) in options:
            return _json_message(options[tuple(names)].plan, here, _join(path, *names), problems)


def _json_int(value: Any) -> Any:
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value) if len(value) <= 11 else _BAD
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _INT32 else _BAD


def _json_enum(plan: EnumPlan, value: Any) -> Any:
    if isinstance(value, str):
        return plan.by_name.get(value, _BAD)
    return plan.by_number.get(value, _BAD) if isinstance(value, int) and not isinstance(value, bool) else _BAD


def _json_duration(value: Any) -> Any:
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return _BAD
    milliseconds = int(found[2]) * 1000 + int((found[3] or "").ljust(9, "0")) // 1_000_000
    return -milliseconds if found[1] else milliseconds


def _json_timestamp(value: Any) -> Any:
    try:
        when = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return _BAD
    return _BAD if when is None or when.tzinfo is None else int(when.timestamp() * 1000)


def _json_str(value: Any) -> Any:
    try:
        # A lone surrogate is no text that protobuf can carry.
        return value if isinstance(value, str) and value.encode() is not None else _BAD
    except UnicodeEncodeError:
        return _BAD


def _json_bool(value: Any) -> Any:
    return value if isinstance(value, bool) else _BAD


_SCALARS: dict[Kind, tuple[Callable[[Any], Any], str]] = {
    Kind.STR: (_json_str, "a string"),
    Kind.BOOL: (_json_bool, "true or false"),
    Kind.INT: (_json_int, "a whole number of 32 bits"),
    Kind.DURATION: (_json_duration, 'a duration such as "3600s"'),
    Kind.TIMESTAMP: (_json_timestamp, "a time of RFC 3339"),
}


# ---- protobuf


def _proto_message(plan: MessagePlan, message: Any, path: str, problems: Problems) -> Any:
    return _build(plan, path, problems, lambda field: _proto_field(field, message, _join(path, field.name), problems))


def _proto_field(field: FieldPlan, message: Any, path: str, problems: Problems) -> Any:
    if field.repeated:
        values = getattr(message, field.name)
        return tuple(_proto_value(field, value, f"{path}[{index}]", problems) for index, value in enumerate(values)) if values else UNSET
    if field.has_presence and not message.HasField(field.name):
        return UNSET
    return _proto_value(field, getattr(message, field.name), path, problems)


def _proto_value(field: FieldPlan, value: Any, path: str, problems: Problems) -> Any:
    match field.kind:
        case Kind.MESSAGE if field.message is not None:
            return _proto_message(field.message, value, path, problems)
        case Kind.UNION if field.union is not None:
            return _proto_union(field.union, value, path, problems)
        case Kind.TIMESTAMP | Kind.DURATION:
            return value.seconds * 1000 + value.nanos // 1_000_000
        case Kind.ENUM if field.enum is not None:
            if value not in field.enum.by_number:
                problems.append((path, f"must be one of {', '.join(field.enum.by_name)}"))
                return _BAD
            return field.enum.by_number[value]
    return value


def _proto_union(plan: UnionPlan, message: Any, path: str, problems: Problems) -> Any:
    names: list[str] = []
    members = {member.path: member for member in plan.members.values()}
    while True:
        name = message.WhichOneof(message.DESCRIPTOR.oneofs[0].name)
        if name is None:
            if names or not plan.may_be_empty:
                problems.append((_join(path, *names), "must have exactly one member"))
                return _BAD
            return UNSET
        names.append(name)
        message = getattr(message, name)
        if tuple(names) in members:
            return _proto_message(members[tuple(names)].plan, message, _join(path, *names), problems)


# ---- both


def _build(plan: MessagePlan, path: str, problems: Problems, read: Any) -> Any:
    """Build a struct from what ``read`` gives for each field: a value, UNSET if it is absent, _BAD if a problem was noted."""
    values: dict[str, Any] = {}
    before = len(problems)
    for field in plan.fields:
        value = read(field)
        if value is not UNSET:
            values[field.name] = value
        elif plan.takes_unset:
            values[field.name] = UNSET
        elif field.required:
            problems.append((_join(path, field.name), "is required"))
        elif field.default is NODEFAULT:
            values[field.name] = () if field.repeated else _ZEROS.get(field.kind)
    return _BAD if len(problems) > before else plan.struct(**values)


def _join(*parts: str) -> str:
    return ".".join(part for part in parts if part)


def _spellings(name: str) -> tuple[str, str]:
    first, *others = name.split("_")
    return name, first + "".join(other.capitalize() for other in others)


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)
