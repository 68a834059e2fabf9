"""JSON text to a tree of Python values, as strictly as RFC 8259 and proto3 JSON want it; duplicate names are kept in mind for the reader."""

import json
import re
from typing import Any, NoReturn

from service.codec.errors import Problems

_SURROGATE = re.compile("[\ud800-\udfff]")


class Repeating(dict[str, Any]):
    """An object in whose text a name stood more than once; ``repeated`` are these names."""

    repeated: frozenset[str] = frozenset()

    def copy(self) -> "Repeating":
        """Copy with the memory of what was repeated."""
        other = Repeating(self)
        other.repeated = self.repeated
        return other


def parse_object(data: bytes, problems: Problems) -> dict[str, Any]:
    """Parse a request's body, which must be a JSON object; nothing at all counts as an empty one.

    What is wrong with the text as a whole goes to ``problems``, and the result is then empty. Objects with duplicate names come as ``Repeating``.
    """
    if not data:
        return {}
    try:
        tree = json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        problems.add("", f"is not UTF-8: byte {error.start}")
    except json.JSONDecodeError as error:
        problems.add("", f"is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}")
    except RecursionError:
        problems.add("", "is nested too deeply")
    except ValueError as error:
        problems.add("", f"is not valid JSON: {error}")
    else:
        if isinstance(tree, dict):
            return tree
        problems.add("", "must be a JSON object")
    return {}


def is_text(value: str) -> bool:
    """Whether a string is Unicode text: half a surrogate pair is none and could not be sent on."""
    return value.isascii() or _SURROGATE.search(value) is None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if len(tree) == len(pairs):
        return tree
    names = [name for name, _ in pairs]
    repeating = Repeating(tree)
    repeating.repeated = frozenset(name for name in tree if names.count(name) > 1)
    return repeating


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
