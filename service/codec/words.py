"""Names on their way between the three languages: enum words and JSON's camelCase."""

from enum import StrEnum
from typing import NamedTuple

from google.protobuf.descriptor import EnumDescriptor

from engines.kit.structs import snake_case
from service.codec.errors import CodecError


class Words(NamedTuple):
    """An enum, bound: words to numbers and full names, and back. UNSPECIFIED is in none of them: it is never sent and refused on input."""

    title: str
    numbers: dict[str, int]
    names: dict[str, str]
    by_number: dict[int, StrEnum]
    by_name: dict[str, StrEnum]


def bind_enum(descriptor: EnumDescriptor, words: type[StrEnum], where: str) -> Words:
    """Hold an enum of words against the contract's.

    Raises:
        CodecError: they are not the same words, or the contract's zero is not its UNSPECIFIED.
    """
    prefix = snake_case(descriptor.name).upper() + "_"
    numbers = {value.name.removeprefix(prefix): value.number for value in descriptor.values}
    if any(not value.name.startswith(prefix) for value in descriptor.values) or numbers.pop("UNSPECIFIED", None) != 0:
        raise CodecError(f"{where}: {descriptor.full_name} needs the prefix {prefix} and {prefix}UNSPECIFIED = 0")
    if set(numbers) != {word.value for word in words}:
        raise CodecError(f"{where}: the words of {descriptor.full_name} and {words.__name__} differ: {sorted(set(numbers) ^ set(words))}")
    return Words(
        descriptor.name,
        numbers,
        {word: prefix + word for word in numbers},
        {numbers[word.value]: word for word in words},
        {prefix + word.value: word for word in words},
    )
