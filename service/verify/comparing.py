"""Where two trees of plain values differ first."""

from typing import Any, NamedTuple


class Difference(Exception):
    """A proof differs from what it should be: ``version`` is the step's (0: none in particular), ``field`` its path in the proof's JSON.

    ``expected`` and ``found`` are plain values, if there is one of each to show; ``why`` is a sentence.
    """

    def __init__(self, version: int, field: str, why: str, *, expected: Any = None, found: Any = None) -> None:
        super().__init__(why)
        self.version = version
        self.field = field
        self.why = why
        self.expected = expected
        self.found = found


class Place(NamedTuple):
    """Where two trees differ, and what stands there; None: nothing. No tree holds a None."""

    path: str
    expected: Any
    found: Any


def first_difference(expected: Any, found: Any, path: str = "") -> Place | None:
    """Find the first place, in the order of ``expected``, where two trees differ.

    >>> first_difference({"a": [1, 2]}, {"a": [1, 3]})
    Place(path='a[1]', expected=2, found=3)
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        names = [*expected, *(name for name in found if name not in expected)]
        pairs = [(f"{path}.{name}" if path else name, expected.get(name), found.get(name)) for name in names]
    elif isinstance(expected, list) and isinstance(found, list):
        longest = max(len(expected), len(found))
        pairs = [(f"{path}[{index}]", _item(expected, index), _item(found, index)) for index in range(longest)]
    else:
        return None if expected == found and type(expected) is type(found) else Place(path, expected, found)
    return next((place for at, one, other in pairs if (place := first_difference(one, other, at)) is not None), None)


def _item(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else None
