"""A contract of the codec tests' own: a game of squirrels, a request with every kind of field, and an answer. ``protos/`` is its other half."""

from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import msgspec
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from msgspec import UNSET, Meta, UnsetType

from engines.kit import structs
from engines.kit.structs import Choice
from scripts.compile_contract import compile_contract
from service.messages import Duration, Message, Timestamp
from tests.service.codec.wired import Codec

PROTOS = Path(__file__).with_name("protos")


class Nut(Choice):
    OAK = "OAK"
    BEECH = "BEECH"


class AcornsOptions(structs.Options, frozen=True):
    rounds: Annotated[int, Meta(ge=1, le=9, description="how long")] = 5
    favourite: Annotated[Nut, Meta(description="which")] | UnsetType = UNSET


class Gather(structs.Move, frozen=True):
    from_tree: int
    nut: Nut
    quietly: bool
    note: str


class Eat(structs.Move, frozen=True):
    pass


class Store(structs.View, frozen=True):
    notes: tuple[str, ...]


class Gathered(structs.Event, frozen=True):
    seat: int
    nuts: tuple[Nut, ...]
    notes: tuple[str, ...] | UnsetType = UNSET
    stash: int | UnsetType = UNSET
    found: Store | None = None


class Hungry(structs.Question, frozen=True):
    pass


class AcornsView(structs.View, frozen=True):
    options: AcornsOptions
    heap: tuple[Nut, ...]
    stores: tuple[Store, ...]
    own: Store | None


class Started(structs.Event, frozen=True):
    seats: int


class LegalMove(Message, frozen=True):
    move_id: str
    move: structs.Move


class Part(Message, frozen=True):
    display_name: str = ""
    house: bool = False


class AskRequest(Message, frozen=True):
    decision_id: int
    match_id: str = ""
    move_id: str | UnsetType = UNSET
    move: structs.Move | None = None
    options: structs.Options | None = None
    parts: tuple[Part, ...] = ()
    ttl: Duration | None = None
    since: Timestamp | None = None
    omit_view: bool = False
    page_size: int = 0


class AskResponse(Message, frozen=True):
    view: structs.View | None
    events: tuple[structs.Event, ...]
    question: structs.Question | None
    legal_moves: tuple[LegalMove, ...]


def game(**changes: Any) -> Any:
    """What the codec reads of a registered game."""
    return SimpleNamespace(
        **{"id": "acorns", "moves": (Gather, Eat), "events": (Gathered,), "questions": (Hungry,), "view": AcornsView, "options": AcornsOptions} | changes
    )


def classes(**changes: Any) -> Any:
    """The classes of the messages, as ``service.messages`` has them for the real contract."""
    own = {kind.__name__: kind for kind in (LegalMove, Part, AskRequest, AskResponse)}
    return SimpleNamespace(Message=Message, **own | changes)


def pool_of(compiled: Path) -> tuple[DescriptorPool, list[Any]]:
    """A compiled contract's descriptors, and its files of the service's own package."""
    pool = DescriptorPool()
    files = FileDescriptorSet.FromString(compiled.read_bytes()).file
    for file in files:
        pool.Add(file)
    return pool, [pool.FindFileByName(file.name) for file in files if file.package == "umpire.v1"]


def compiled(folder: Path, edits: dict[str, str] | None = None) -> tuple[DescriptorPool, list[Any]]:
    """Compile the protos, with texts in them replaced."""
    for source in PROTOS.rglob("*.proto"):
        text = source.read_text()
        for old, new in (edits or {}).items():
            text = text.replace(old, new)
        target = folder / source.relative_to(PROTOS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    compile_contract(folder, folder / "contract.binpb")
    return pool_of(folder / "contract.binpb")


def codec(files: list[Any], *, games: dict[str, Any] | None = None, namespace: Any = None) -> Codec:
    """Bind the classes above to the compiled protos."""
    return Codec(files, namespace or classes(), games if games is not None else {"acorns": game()}, (Started,))


def replaced(struct: msgspec.Struct, **changes: Any) -> Any:
    return msgspec.structs.replace(struct, **changes)
