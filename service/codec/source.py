"""Generated Python: the functions that write structs are made as source text, since a loop over plans would take several times as long."""

from collections.abc import Callable
from typing import Any

from service.codec.plan import MessagePlan


class Source:
    """Functions being generated. They refer to one another, and to objects that they need, by names made here."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {}
        self._names: dict[tuple[str, int], str] = {}
        self._kept: list[object] = []

    def refer(self, role: str, value: object) -> str:
        """Return a name under which generated code finds an object."""
        name = self.name_of(role, value)
        self.namespace[name] = value
        return name

    def name_of(self, role: str, value: object) -> str:
        """Return the name that belongs to an object in a role, whether or not it is defined yet."""
        key = (role, id(value))
        if key not in self._names:
            self._names[key] = f"{role}_{len(self._names)}"
            self._kept.append(value)  # so that its id stays its own
        return self._names[key]

    def define(self, name: str, arguments: str, body: list[str]) -> Callable[..., Any]:
        """Compile a function and make it known under its name."""
        text = f"def {name}({arguments}):\n" + "".join(f"    {line}\n" for line in body or ["pass"])
        exec(compile(text, f"<codec {name}>", "exec"), self.namespace)  # noqa: S102 - the text is made of the contract's own names
        function: Callable[..., Any] = self.namespace[name]
        return function


def describes(plan: MessagePlan) -> str:
    """Name a message and its struct as a comment of generated code."""
    return f"# {plan.name} <- {plan.struct.__module__}.{plan.struct.__qualname__}"
