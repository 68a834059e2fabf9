"""One message in its three forms: struct, protobuf, JSON."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from service.codec import read_json, read_protobuf
from service.codec.errors import Problems, shown
from service.codec.json_text import parse_object
from service.codec.plan import Kind, MessagePlan
from service.codec.quick_json import QuickRead
from service.messages import Message

_MATCH_ID = "match_id"
# What can stand in a path or query: each is text there, and read as JSON's text is, but for bool, which JSON never writes as text.
_TEXTS = frozenset({Kind.INT32, Kind.STRING, Kind.BOOL, Kind.ENUM, Kind.TIMESTAMP, Kind.DURATION})
_NO_PATH: Mapping[str, str] = {}
_BOOLS = {"true": True, "false": False}


class MessageCodec:
    """Translates one message: ``to_bytes`` and ``to_json`` a struct; ``from_…`` read requests."""

    def __init__(
        self,
        plan: MessagePlan,
        to_bytes: Callable[[Any], bytes],
        to_json: Callable[[Any], bytes],
        read_message: read_protobuf.Read,
        read_tree: read_json.Read,
        quick_read: QuickRead,
    ) -> None:
        self.name = plan.name
        self.to_bytes = to_bytes
        self.to_json = to_json
        self._fields = {spelling: field.name for field in plan.fields for spelling in (field.name, field.json_name)}
        self._as_text = {field.name: field.kind for field in plan.fields if field.kind in _TEXTS and not field.repeated}
        self._has_match_id = self._as_text.get(_MATCH_ID) is Kind.STRING
        self._make = GetMessageClass(plan.descriptor)
        self._read_message = read_message
        self._read_tree = read_tree
        self._quick_read = quick_read

    def from_bytes(self, data: bytes) -> Message:
        """Read protobuf.

        Raises:
            InvalidRequest: it cannot be parsed, or a field is missing or has no valid value; every such field is named.
        """
        problems = Problems()
        message = self._make()
        try:
            message.ParseFromString(data)
        except DecodeError:
            problems.add("", f"is no valid {self.name}")
            raise problems.error() from None
        struct = self._read_message(message, "", problems)
        if problems:
            raise problems.error(getattr(message, _MATCH_ID) if self._has_match_id else "")
        return cast(Message, struct)

    def from_json(self, data: bytes) -> Message:
        """Read JSON.

        Raises:
            InvalidRequest: it cannot be parsed, or a field is unknown, repeated, missing or has no valid value; every such field is named.
        """
        quickly = self._quick_read(data, _NO_PATH)
        if quickly is not None:
            return cast(Message, quickly)
        problems = Problems()
        return self._from_tree(parse_object(data, problems), problems)

    def from_parts(self, body: bytes, path: Mapping[str, str], query: Sequence[tuple[str, str]], *, takes_query: bool = True) -> Message:
        """Read a request whose fields stand in a path, a query and a JSON body (b"" if there is none).

        Where a call takes no query, its fields are refused by name: a body may hold an invite, which has no place in a URL.

        Raises:
            InvalidRequest: as from_json; a field that stands in two places is named too.
        """
        quickly = None if query else self._quick_read(body, path)
        if quickly is not None:
            return cast(Message, quickly)
        problems = Problems()
        tree = parse_object(body, problems)
        taken = {self._fields[key] for key in tree if key in self._fields}
        merged = tree.copy() if path or query else tree
        for spelling, text in (*path.items(), *query):
            name = self._fields.get(spelling, "")
            if name not in self._as_text or not (takes_query or spelling in path):
                problems.add(shown(spelling), "is no field that can stand here")
            elif name in taken:
                problems.add(name, "is given more than once")
            else:
                taken.add(name)
                merged[name] = _BOOLS.get(text, text) if self._as_text[name] is Kind.BOOL else text
        return self._from_tree(merged, problems)

    def _from_tree(self, tree: dict[str, Any], problems: Problems) -> Message:
        # A body that could not be read at all lacks nothing in particular.
        struct = None if problems and not tree else self._read_tree(tree, "", problems)
        if problems:
            raise problems.error(self._match_id(tree))
        return cast(Message, struct)

    def _match_id(self, tree: dict[str, Any]) -> str:
        named = [value for key, value in tree.items() if self._has_match_id and self._fields.get(key) == _MATCH_ID]
        return named[0] if len(named) == 1 and isinstance(named[0], str) else ""
