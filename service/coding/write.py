"""From structs to protobuf and to JSON: for each message two functions, generated as source from its plan.

Generated, since an answer has a few hundred fields, and a loop over plans would cost ten times as much as the statements that it comes down to.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from google.protobuf.message_factory import GetMessageClass
from msgspec import UNSET

from service.coding.plan import FieldPlan, Kind, MessagePlan, UnionPlan

Fill = Callable[[Any, Any], None]
ToPlain = Callable[[Any], Any]

_MOST_PARTS = 8_192
_MS = 1000


class Writer:
    """Writes messages. ``shared`` are the full names of messages that come again and again with the same values: their written forms are kept."""

    def __init__(self, shared: frozenset[str]) -> None:
        self._shared = shared
        self._fills: dict[int, Fill] = {}
        self._plains: dict[int, ToPlain] = {}

    # ---- protobuf

    def fill(self, plan: MessagePlan) -> Fill:
        """Return the function that fills a message from a struct."""
        made: Fill = self._made(self._fills, plan, self._fill_source, "fill(m, s)")
        return made

    def _fill_source(self, plan: MessagePlan, names: dict[str, Any]) -> list[str]:
        return [line for at, member in enumerate(plan.fields) for line in self._fill_lines(at, member, names)] or ["pass"]

    def _fill_lines(self, at: int, member: FieldPlan, names: dict[str, Any]) -> list[str]:
        source, target = f"s.{member.name}", f"m.{member.name}"
        if member.repeated:
            return self._fill_repeated(at, member, names)
        match member.kind:
            case Kind.ENUM if member.enum is not None:
                names[f"e{at}"] = member.enum.numbers
                set_it = f"{target} = e{at}[v]"
            case Kind.MESSAGE if member.message is not None:
                names[f"f{at}"] = self.fill(member.message)
                return [f"v = {source}", "if v is not None:", f" t = {target}", " t.SetInParent()", f" f{at}(t, v)"]
            case Kind.UNION if member.union is not None:
                names[f"u{at}"] = self._fill_union(member.union)
                return [f"v = {source}", "if v is not None:", f" u{at}[type(v)]({target}, v)"]
            case Kind.TIMESTAMP | Kind.DURATION:
                names["fill_time"] = _fill_time
                return [f"v = {source}", "if v is not None:", f" fill_time({target}, v)"]
            case _:
                set_it = f"{target} = v"
        guard = ["if v is not UNSET:", f" {set_it}"] if member.may_be_unset else [set_it]
        return [f"v = {source}", *guard]

    def _fill_repeated(self, at: int, member: FieldPlan, names: dict[str, Any]) -> list[str]:
        source, target = f"s.{member.name}", f"m.{member.name}"
        match member.kind:
            case Kind.ENUM if member.enum is not None:
                names[f"e{at}"] = member.enum.numbers
                lines = [f"{target}.extend([e{at}[x] for x in v])"]
            case Kind.MESSAGE if member.message is not None and member.message.descriptor.full_name in self._shared:
                names[f"k{at}"] = self._kept_message(member.message)
                lines = [f"{target}.extend([k{at}(x) for x in v])"]
            case Kind.MESSAGE if member.message is not None:
                names[f"f{at}"] = self.fill(member.message)
                lines = [f"add = {target}.add", "for x in v:", f" f{at}(add(), x)"]
            case Kind.UNION if member.union is not None:
                names[f"u{at}"] = self._fill_union(member.union)
                lines = [f"add = {target}.add", "for x in v:", f" u{at}[type(x)](add(), x)"]
            case _:
                lines = [f"{target}.extend(v)"]
        guard = "if v is not UNSET:" if member.may_be_unset else "if v:"
        return [f"v = {source}", guard, *(f" {line}" for line in lines)]

    def _fill_union(self, plan: UnionPlan) -> dict[type, Fill]:
        fills = {}
        for struct, member in plan.members.items():
            names: dict[str, Any] = {"f": self.fill(member.plan)}
            fills[struct] = _define("fill(m, s)", [f"t = m.{'.'.join(member.path)}", "t.SetInParent()", "f(t, s)"], names)
        return fills

    def _kept_message(self, plan: MessagePlan) -> Callable[[Any], Any]:
        message, fill = GetMessageClass(plan.descriptor), self.fill(plan)

        @lru_cache(maxsize=_MOST_PARTS)
        def kept(struct: Any) -> Any:
            made = message()
            fill(made, struct)
            return made

        return kept

    # ---- JSON

    def plain(self, plan: MessagePlan) -> ToPlain:
        """Return the function that makes what msgspec writes as a message's JSON."""
        made: ToPlain = self._made(self._plains, plan, self._plain_source, "plain(s)")
        return made

    def _plain_source(self, plan: MessagePlan, names: dict[str, Any]) -> list[str]:
        always, sometimes = [], []
        for at, member in enumerate(plan.fields):
            value = self._plain_value(at, member, names)
            if member.repeated or not member.has_presence:
                hidden = "() if s.{0} is UNSET else " if member.may_be_unset else ""
                always.append(f'"{member.json_name}": {hidden.format(member.name)}{value(f"s.{member.name}")}')
            else:
                absent = "None" if member.is_message else "UNSET"
                sometimes += [f"v = s.{member.name}", f"if v is not {absent}:", f' d["{member.json_name}"] = {value("v")}']
        return [f"d = {{{', '.join(always)}}}", *sometimes, "return d"]

    def _plain_value(self, at: int, member: FieldPlan, names: dict[str, Any]) -> Callable[[str], str]:
        match member.kind:
            case Kind.ENUM if member.enum is not None:
                names[f"e{at}"] = member.enum.names
                one = f"e{at}[{{0}}]"
            case Kind.MESSAGE if member.message is not None and member.message.descriptor.full_name in self._shared:
                names[f"k{at}"] = self._kept_json(member.message)
                one = f"k{at}({{0}})"
            case Kind.MESSAGE if member.message is not None:
                names[f"p{at}"] = self.plain(member.message)
                one = f"p{at}({{0}})"
            case Kind.UNION if member.union is not None:
                names[f"u{at}"] = self._plain_union(member.union)
                one = f"u{at}[type({{0}})]({{0}})"
            case Kind.TIMESTAMP:
                names["time"] = write_timestamp
                one = "time({0})"
            case Kind.DURATION:
                names["duration"] = write_duration
                one = "duration({0})"
            case _:
                return lambda value: value
        if member.repeated:
            return lambda value: f"[{one.format('x')} for x in {value}]"
        return one.format

    def _plain_union(self, plan: UnionPlan) -> dict[type, ToPlain]:
        plains = {}
        for struct, member in plan.members.items():
            value = "p(s)"
            for name in reversed(member.path):
                value = f'{{"{_json_name(name)}": {value}}}'
            plains[struct] = _define("plain(s)", [f"return {value}"], {"p": self.plain(member.plan)})
        return plains

    def _kept_json(self, plan: MessagePlan) -> ToPlain:
        plain = self.plain(plan)

        @lru_cache(maxsize=_MOST_PARTS)
        def kept(struct: Any) -> Any:
            return msgspec.Raw(msgspec.json.encode(plain(struct)))

        return kept

    def _made(self, made: dict[int, Any], plan: MessagePlan, source: Callable[[MessagePlan, dict[str, Any]], list[str]], head: str) -> Any:
        # Plans live as long as the codec, so their identity is a key. No message of the contract contains itself.
        if id(plan) not in made:
            names: dict[str, Any] = {}
            made[id(plan)] = _define(head, source(plan, names), names)
        return made[id(plan)]


def write_timestamp(milliseconds: int) -> str:
    """Write a time as proto3 JSON does.

    >>> write_timestamp(1_700_000_000_000), write_timestamp(1_700_000_000_120)
    ('2023-11-14T22:13:20Z', '2023-11-14T22:13:20.120Z')
    """
    seconds, rest = divmod(milliseconds, _MS)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{rest:03d}Z" if rest else f"{text}Z"


def write_duration(milliseconds: int) -> str:
    """Write a duration as proto3 JSON does.

    >>> write_duration(604_800_000), write_duration(1_500)
    ('604800s', '1.500s')
    """
    seconds, rest = divmod(milliseconds, _MS)
    return f"{seconds}.{rest:03d}s" if rest else f"{seconds}s"


def _fill_time(target: Any, milliseconds: int) -> None:
    target.seconds, rest = divmod(milliseconds, _MS)
    target.nanos = rest * 1_000_000


def _json_name(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def _define(head: str, body: list[str], names: dict[str, Any]) -> Any:
    scope = {"UNSET": UNSET, **names}
    exec("\n".join([f"def {head}:", *(f" {line}" for line in body)]), scope)  # noqa: S102 - source made here, of the contract's names
    return scope[head.partition("(")[0]]
