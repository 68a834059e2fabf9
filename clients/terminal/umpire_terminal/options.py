"""``--option key=value``: the options of any game, read by the contract's own description of them."""

from collections.abc import Sequence

from google.protobuf.descriptor import FieldDescriptor

from umpire.v1.game_pb2 import Options


class BadChoice(Exception):
    """Something on the command line that cannot be; the message says what can."""


def read_options(game: str, pairs: Sequence[str]) -> Options | None:
    """Put ``key=value`` pairs into the options of a game; None if there are none. Ranges are the server's to check.

    Raises:
        BadChoice: an option or a value that the game does not have.
    """
    if not pairs:
        return None
    options = Options()
    if game not in Options.DESCRIPTOR.fields_by_name:
        raise BadChoice(f"this release does not know the options of {game}")
    of_game = getattr(options, game)
    of_game.SetInParent()
    fields = of_game.DESCRIPTOR.fields_by_name
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or key not in fields:
            raise BadChoice(f"--option takes key=value, with one of {', '.join(fields)} as its key; not {pair!r}")
        setattr(of_game, key, _value(fields[key], key, value))
    return options


def _value(field: FieldDescriptor, key: str, text: str) -> int | str | bool:
    if field.enum_type is not None:
        names = {value.name: value.number for value in field.enum_type.values if value.number}
        found = [number for name, number in names.items() if name == text.upper() or name.endswith(f"_{text.upper()}")]
        if len(found) != 1:
            raise BadChoice(f"--option {key} takes {', '.join(_short(list(names)))}; not {text!r}")
        return found[0]
    if field.type == FieldDescriptor.TYPE_STRING:
        return text
    if field.type == FieldDescriptor.TYPE_BOOL:
        if text.lower() not in {"true", "false"}:
            raise BadChoice(f"--option {key} takes true or false; not {text!r}")
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        raise BadChoice(f"--option {key} takes a number; not {text!r}") from None


def _short(names: list[str]) -> list[str]:
    """Take the words off that all names begin with."""
    words = [name.split("_") for name in names]
    same = 0
    while len(names) > 1 and all(len(one) > same + 1 and one[same] == words[0][same] for one in words):
        same += 1
    return ["_".join(one[same:]) for one in words]
