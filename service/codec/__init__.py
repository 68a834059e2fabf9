"""Plain structs to protobuf and proto3 JSON and back, compiled once at start from the contract's descriptors and the structs' type hints.

words, hints, times    the small translations
plan, fields, binding  what goes with what; any drift between contract and structs is found here
write_*, source        structs out: generated code
read_*, json_*         requests in: every bad field named
quick_json             the short way in, for what most requests look like
"""

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from google.protobuf.descriptor import FileDescriptor

from engines.kit.contract import Game
from service.codec.binding import Binding
from service.codec.errors import CodecError, Problems
from service.codec.message_codec import MessageCodec
from service.codec.plan import Kind
from service.codec.quick_json import quick_reader
from service.codec.read_json import JsonReader
from service.codec.read_protobuf import ProtobufReader
from service.codec.write_json import JsonWriter
from service.codec.write_protobuf import ProtobufWriter

__all__ = ["Codec", "CodecError", "Kind", "MessageCodec", "Problems"]

# A seat is offered nearly the same moves decision after decision: the one part of an answer that is worth keeping in its written form.
_CACHED = frozenset({"umpire.v1.LegalMove"})


class Codec:
    """The codecs of all messages of a contract.

    ``files`` hold the messages of the service's own package; ``namespace`` the classes of the same names; ``games`` the registered games by id; ``events``
    the structs of the events that are no game's.
    """

    def __init__(self, files: Iterable[FileDescriptor], namespace: ModuleType, games: Mapping[str, Game], events: tuple[type[Any], ...]) -> None:
        protobuf_writer, json_writer = ProtobufWriter(_CACHED), JsonWriter(_CACHED)
        protobuf_reader, json_reader = ProtobufReader(), JsonReader()
        self._codecs = {
            name: MessageCodec(
                plan, protobuf_writer.to_bytes(plan), json_writer.to_json(plan), protobuf_reader.read(plan), json_reader.read(plan), quick_reader(plan)
            )
            for name, plan in Binding(files, namespace, games, events).plans.items()
        }

    def message(self, name: str) -> MessageCodec:
        """Return the codec of a message by its full name.

        Raises:
            CodecError: the service's package has no such message.
        """
        if name not in self._codecs:
            raise CodecError(f"{name}: no message of this contract")
        return self._codecs[name]

    def names(self) -> Iterable[str]:
        """List the full names of the messages."""
        return self._codecs.keys()
