"""Options: declared on a game's ``Options`` struct, listed for the catalog, filled in and checked for a match.

A field's type says what it takes: an ``int`` with ``Meta(ge=…, le=…)``, a ``Choice``, or a ``str`` whose values the game names by card set
(``OptionValues``). Its ``Meta(description=…)`` says what it changes; its default is the value in force when it is absent.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_type_hints

import msgspec
from msgspec import UNSET, Meta

from engines.kit.cards import CardSet
from engines.kit.structs import Choice, Options

O = TypeVar("O", bound=Options)  # noqa: E741 - the letter of the type

OptionValues = Mapping[str, Callable[[Any], tuple[str, ...]]]
"""For each option that names something of the card set: the values that a card set gives it."""


class OptionsError(ValueError):
    """Options out of range: ``problems`` holds (field, what is wrong) for every bad one."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{field}: {problem}" for field, problem in problems))
        self.problems = problems


class OptionInfo(msgspec.Struct, frozen=True):
    """An option as the catalog shows it. ``default`` is "" where the game then chooses by chance."""

    name: str
    description: str
    default: str
    values: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None

    def problem(self, value: object) -> str | None:
        """Say what is wrong with a value, or None if it can be taken."""
        if self.minimum is not None and self.maximum is not None:
            good = isinstance(value, int) and not isinstance(value, bool) and self.minimum <= value <= self.maximum
            return None if good else f"must be {self.minimum} to {self.maximum}: {self.description}"
        return None if value in self.values else f"must be one of {', '.join(self.values)}: {self.description}"


def describe_options(options: type[Options], values: OptionValues, cards: CardSet) -> list[OptionInfo]:
    """List a game's options in declared order, as they are with a card set."""
    hints = get_type_hints(options, include_extras=True)
    return [_describe(field, hints[field.name], values, cards) for field in msgspec.structs.fields(options)]


def fill_in_options(options: type[O], values: OptionValues, cards: CardSet, given: Mapping[str, object]) -> O:
    """Make the options in force from those that were given; UNSET counts as absent.

    Raises:
        OptionsError: a field is unknown or its value cannot be taken; all of them are named.
    """
    infos = {info.name: info for info in describe_options(options, values, cards)}
    present = {name: value for name, value in given.items() if value is not UNSET}
    problems = [(name, "is no option of this game") for name in present if name not in infos]
    problems += [(name, problem) for name, value in present.items() if name in infos and (problem := infos[name].problem(value))]
    if problems:
        raise OptionsError(problems)
    return options(**present)


def _describe(field: msgspec.structs.FieldInfo, hint: Any, values: OptionValues, cards: CardSet) -> OptionInfo:
    meta = next((extra for extra in _extras(hint) if isinstance(extra, Meta)), Meta())
    description = meta.description or ""
    default = "" if field.default is UNSET else str(field.default)
    if field.name in values:
        return OptionInfo(field.name, description, default, values=values[field.name](cards))
    plain = getattr(hint, "__origin__", hint)
    if isinstance(plain, type) and issubclass(plain, Choice):
        return OptionInfo(field.name, description, default, values=tuple(str(choice) for choice in plain))
    if plain is int and isinstance(meta.ge, int) and isinstance(meta.le, int):
        return OptionInfo(field.name, description, default, minimum=meta.ge, maximum=meta.le)
    raise TypeError(f"option {field.name}: neither a range of integers, nor a Choice, nor named by the card set")


def _extras(hint: Any) -> tuple[Any, ...]:
    """Collect what Annotated[…] carries, also inside a union such as ``Annotated[str, Meta(…)] | UnsetType``."""
    own = getattr(hint, "__metadata__", ())
    return tuple(own) + tuple(extra for argument in getattr(hint, "__args__", ()) for extra in _extras(argument))
