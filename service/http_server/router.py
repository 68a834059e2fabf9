"""From method and path to an rpc: REST by the contract's annotations, Connect by the rpcs' own paths."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from service.contract import ContractError, HttpRule, Rpc
from service.errors import InvalidRequest, MethodNotAllowed, NotFound

_LONGEST_KEPT = 256
BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class Route(NamedTuple):
    """Where a request goes: the rpc, the fields that its path gives, and whether it speaks Connect."""

    rpc: Rpc
    fields: Mapping[str, str]
    is_connect: bool


class Router:
    """Finds routes. Segments are looked up one after the other: a literal before a field.

    Raises:
        ContractError: two rpcs stand at one place.
    """

    def __init__(self, rpcs: Iterable[Rpc]) -> None:
        self._root: dict[Any, Any] = {}
        self._connect: dict[bytes, Rpc] = {}
        self._found_lately = lru_cache(maxsize=2_048)(self._find)
        self._fields: dict[str, list[str]] = {}
        for rpc in rpcs:
            self._connect[rpc.path.encode()] = rpc
            if rpc.http is not None:
                self._add(rpc, rpc.http)

    def find(self, method: str, raw_path: bytes) -> Route:
        """Find the route of a request. A match's paths come again with every move, so what was found lately is kept.

        Raises:
            NotFound: ROUTE_NOT_FOUND.
            MethodNotAllowed: the path is there, with other methods.
            InvalidRequest: the path is not well encoded.
        """
        return self._found_lately(method, raw_path) if len(raw_path) <= _LONGEST_KEPT else self._find(method, raw_path)

    def _find(self, method: str, raw_path: bytes) -> Route:
        connect = self._connect.get(raw_path)
        if connect is not None:
            if method != "POST":
                raise MethodNotAllowed(method, "POST")
            return Route(connect, {}, is_connect=True)
        methods, values = self._at(raw_path)
        if not methods:
            hint = "; begin at /v1/games, the README says what else there is" if raw_path == b"/" else ""
            raise NotFound("ROUTE_NOT_FOUND", f"there is nothing at this path{hint}", {"path": raw_path.decode("ascii", "replace")[:256]})
        rpc = methods.get("GET" if method == "HEAD" else method)
        if rpc is None or rpc.http is None or (rpc.is_stream and method == "HEAD"):
            raise MethodNotAllowed(method, ", ".join(sorted(methods)))
        return Route(rpc, dict(zip(self._fields[rpc.path], values, strict=True)), is_connect=False)

    def methods_at(self, raw_path: bytes) -> str:
        """List the methods that a path takes, for a preflight; "" if there is nothing there."""
        if raw_path in self._connect:
            return "POST"
        methods, _ = self._at(raw_path)
        return ", ".join(sorted(methods))

    def _add(self, rpc: Rpc, rule: HttpRule) -> None:
        self._fields[rpc.path] = [segment[1:-1] for segment in rule.segments if segment.startswith("{")]
        node = self._root
        for segment in rule.segments:
            node = node.setdefault("{}" if segment.startswith("{") else segment, {})
        methods = node.setdefault(("methods", rule.custom_verb), {})
        if rule.method in methods:
            raise ContractError(f"{rule.method} {rule.template}: {rpc.path} and {methods[rule.method].path} stand at one place")
        methods[rule.method] = rpc

    def _at(self, raw_path: bytes) -> tuple[dict[str, Rpc], list[str]]:
        """Return the methods at a path, none if there is nothing there, and the texts of its fields."""
        path, verb = self._split_verb(raw_path)
        if b"%" in path or not path.isascii():
            return self._walk([_decode(segment) for segment in path[1:].split(b"/")], verb)
        return self._walk(path[1:].decode("ascii").split("/"), verb)

    @staticmethod
    def _split_verb(raw_path: bytes) -> tuple[bytes, str]:
        """Split off what stands after the last colon: a verb, also one of a newer release, which leads nowhere here. Ids have their colons escaped."""
        before, _, verb = raw_path.rpartition(b":")
        return (before, verb.decode("ascii", "replace")) if before and verb and b"/" not in verb else (raw_path, "")

    def _walk(self, segments: list[str], verb: str) -> tuple[dict[str, Rpc], list[str]]:
        node = self._root
        values: list[str] = []
        for segment in segments:
            if segment in node and segment != "{}":
                node = node[segment]
            elif "{}" in node and segment:
                node = node["{}"]
                values.append(segment)
            else:
                return {}, []
        methods: dict[str, Rpc] = node.get(("methods", verb), {})
        return methods, values


def _decode(segment: bytes) -> str:
    if BAD_ESCAPE.search(segment):
        raise InvalidRequest(("", "the path is not well percent-encoded"))
    try:
        return unquote_to_bytes(segment).decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest(("", "the path is not UTF-8")) from None
