"""The contract as a later release might have it, and answers written by it: what clients of this release must live with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from tests.clients.languages.relay import Handing

LATER = 1000
"""The number of each field, oneof member and enum value that the later release adds."""


def pool_of(image: Path) -> DescriptorPool:
    """Load a compiled contract into a pool of its own."""
    return _pool(FileDescriptorSet.FromString(image.read_bytes()))


def later_pool(image: Path) -> DescriptorPool:
    """Load a compiled contract, with a field more in each message, a member more in each oneof, a value more in each enum."""
    files = FileDescriptorSet.FromString(image.read_bytes())
    for file in files.file:
        if file.package.startswith("umpire."):
            _grow(file)
    return _pool(files)


def answers_as_later(pool: DescriptorPool) -> Handing:
    """Rewrites each answer: new fields everywhere, unknown causes and seed sources, and events of kinds that nobody knows yet."""

    def between(path: str, _request: bytes, ask: Callable[[], bytes], _context: Any) -> bytes:
        service, method = path[1:].split("/")
        answer = GetMessageClass(pool.FindServiceByName(service).FindMethodByName(method).output_type).FromString(ask())
        _decorate(answer)
        return answer.SerializeToString()

    return between


def _pool(files: FileDescriptorSet) -> DescriptorPool:
    pool = DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


def _grow(file: FileDescriptorProto) -> None:
    for message in file.message_type:
        _add(message, "added_later", FieldDescriptorProto.TYPE_STRING)
        if message.oneof_decl and not message.oneof_decl[0].name.startswith("_"):
            kind = f".{file.package}.{message.name}"  # of its own type: any message will do
            _add(message, "member_added_later", FieldDescriptorProto.TYPE_MESSAGE, number=LATER + 1, type_name=kind, oneof_index=0)
    for enum in file.enum_type:
        prefix = enum.value[0].name.removesuffix("UNSPECIFIED")
        enum.value.add(name=f"{prefix}ADDED_LATER", number=LATER)


def _add(message: DescriptorProto, name: str, kind: "FieldDescriptorProto.Type.ValueType", number: int = LATER, **more: Any) -> None:
    message.field.add(name=name, number=number, type=kind, label=FieldDescriptorProto.LABEL_OPTIONAL, **more)


def _decorate(message: Message) -> None:
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.full_name.startswith("umpire."):
            for one in value if field.is_repeated else [value]:
                _decorate(one)
    message.added_later = "a field of a later release"  # type: ignore[attr-defined]
    match message.DESCRIPTOR.full_name, message:
        case "umpire.v1.Match", match_:
            match_.seed_source = LATER
        case "umpire.v1.Update", update:
            update.cause = LATER
            update.events.add().member_added_later.added_later = "an event of no known game"
            update.events.add().match.member_added_later.added_later = "an event of the match"
            update.events.add().goldn_crash.member_added_later.added_later = "an event of the game"
