"""Plans: what a message looks like once it is bound to its struct. Made by ``binding``, read by whatever writes or reads."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor


class Kind(Enum):
    """What a field holds."""

    INT32 = "int"
    STRING = "str"
    BOOL = "bool"
    ENUM = "enum"
    MESSAGE = "message"
    UNION = "union"
    TIMESTAMP = "Timestamp"
    DURATION = "Duration"

    @property
    def is_scalar(self) -> bool:
        return self in (Kind.INT32, Kind.STRING, Kind.BOOL, Kind.ENUM)


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """A field: ``bound`` is what its kind needs (Words of an enum, MessagePlan or UnionPlan).

    ``has_presence`` is the contract's; a field that is absent reads as ``absent``, unless it is ``required``.
    """

    name: str
    json_name: str
    kind: Kind
    bound: Any
    repeated: bool
    has_presence: bool
    may_be_none: bool
    may_be_unset: bool
    required: bool
    absent: Any
    descriptor: FieldDescriptor


@dataclass(eq=False, slots=True)
class MessagePlan:
    """A message and its struct. ``fields`` in the contract's order; ``oneofs`` the names of fields of which at most one may be set."""

    descriptor: Descriptor
    struct: type[Any]
    fields: list[FieldPlan] = field(default_factory=list)
    oneofs: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.descriptor.full_name


@dataclass(eq=False, slots=True)
class UnionPlan:
    """A message that is one oneof of messages, bound to several structs: by member, each a struct's plan or a further union.

    ``may_be_empty``: no member at all says that the whole is absent (a game's options).
    """

    descriptor: Descriptor
    members: dict[str, "MessagePlan | UnionPlan"] = field(default_factory=dict)
    json_names: dict[str, str] = field(default_factory=dict)
    may_be_empty: bool = False

    @property
    def name(self) -> str:
        return self.descriptor.full_name

    def leaves(self) -> list[tuple[tuple[str, ...], MessagePlan]]:
        """List the structs, each with the members that lead to it: ``("some_game", "play_card")``."""
        found: list[tuple[tuple[str, ...], MessagePlan]] = []
        for member, plan in self.members.items():
            below = plan.leaves() if isinstance(plan, UnionPlan) else [((), plan)]
            found += [((member, *path), leaf) for path, leaf in below]
        return found
