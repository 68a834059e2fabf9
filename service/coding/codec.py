"""The codec: bound once, at start, to the descriptors, the structs and the registered games."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.message_factory import GetMessageClass

from engines.kit.contract import Game
from engines.kit.structs import Event
from service.coding.plan import CodecError, MessagePlan, Planner, UnionMembers
from service.coding.read import JsonObject, merge_texts, parse_json, read_json, read_proto
from service.coding.write import Writer
from service.messages import Message

_SHARED = frozenset({"umpire.v1.LegalMove", "umpire.v1.IllegalMove"})
"""The same few thousand moves are listed again and again: their written forms are kept."""


class MessageCodec:
    """Translates one message. Whatever is made for writing is made when it is first written."""

    def __init__(self, plan: MessagePlan, writer: Writer) -> None:
        self._plan = plan
        self._message = GetMessageClass(plan.descriptor)
        self._fill = writer.fill(plan)
        self._plain = writer.plain(plan)
        self._encode = msgspec.json.Encoder().encode

    def to_bytes(self, struct: Message) -> bytes:
        """Write protobuf."""
        message = self._message()
        self._fill(message, struct)
        data: bytes = message.SerializeToString()
        return data

    def from_bytes(self, data: bytes) -> Message:
        """Read protobuf.

        Raises:
            InvalidRequest: naming every bad field.
        """
        read: Message = read_proto(self._plan, data)
        return read

    def to_json(self, struct: Message) -> bytes:
        """Write proto3 JSON, defaults printed."""
        return self._encode(self._plain(struct))

    def from_json(self, data: bytes) -> Message:
        """Read proto3 JSON.

        Raises:
            InvalidRequest: naming every bad field.
        """
        read: Message = read_json(self._plan, parse_json(data) if data else JsonObject())
        return read

    def from_parts(self, body: bytes, path: Mapping[str, str], query: Iterable[tuple[str, str]]) -> Message:
        """Read a request whose fields stand in a path, a query and a JSON body ("" if there is none).

        Raises:
            InvalidRequest: naming every bad field.
        """
        parsed = parse_json(body) if body else JsonObject()
        merged = merge_texts(self._plan, parsed, path, query) if isinstance(parsed, JsonObject) else parsed
        read: Message = read_json(self._plan, merged)
        return read


class Codec:
    """Translates all messages of the service's own package.

    Raises:
        CodecError: a struct and its message have drifted apart, or a message has no struct.
    """

    def __init__(self, files: Iterable[FileDescriptor], structs: Any, games: Mapping[str, Game], match_events: tuple[type[Event], ...]) -> None:
        described = {descriptor.full_name: descriptor for file in files for descriptor in file.message_types_by_name.values()}
        package = next(iter(described)).rpartition(".")[0]
        unions = _unions(package, games, match_events)
        planner = Planner(unions)
        writer = Writer(_SHARED)
        own_events = {event.__name__ for event in match_events}
        self._messages: dict[str, MessageCodec] = {}
        for name, descriptor in described.items():
            short = descriptor.name
            if name in unions:
                planner.union(descriptor)
            elif short not in own_events and not _is_union_of_events(descriptor):
                self._messages[name] = MessageCodec(planner.message(descriptor, _struct(structs, name, short)), writer)

    def message(self, full_name: str) -> MessageCodec:
        """Return the codec of a message, for example ``umpire.v1.ApplyMoveRequest``."""
        return self._messages[full_name]


def _unions(package: str, games: Mapping[str, Game], match_events: tuple[type[Event], ...]) -> UnionMembers:
    return {
        f"{package}.Move": {game_id: game.moves for game_id, game in games.items()},
        f"{package}.Event": {"match": match_events} | {game_id: game.events for game_id, game in games.items()},
        f"{package}.Question": {game_id: game.questions for game_id, game in games.items()},
        f"{package}.View": {game_id: game.view for game_id, game in games.items()},
        f"{package}.Options": {game_id: game.options for game_id, game in games.items()},
    }


def _is_union_of_events(descriptor: Descriptor) -> bool:
    return descriptor.name == "MatchEvent"


def _struct(structs: Any, name: str, short: str) -> type[msgspec.Struct]:
    struct = getattr(structs, short, None)
    if not (isinstance(struct, type) and issubclass(struct, msgspec.Struct)):
        raise CodecError(f"{name}: there is no struct {short}")
    return struct
