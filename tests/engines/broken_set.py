"""Breaking a card set in one place."""

from collections.abc import Callable
from typing import Any


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Make what sets one place of a parsed card set, such as ``deck.0.cards.2.value``; None takes it away."""

    def apply(content: dict[str, Any]) -> None:
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        here: Any = content
        for part in way:
            here = here[part]
        if value is None:
            del here[last]
        else:
            here[last] = value

    return apply
