"""What can be done with a match: a verb, what it is good for, and its options. The module of the same name gives ``run``, the lines that it prints."""

import argparse
from collections.abc import Callable
from typing import NamedTuple


class Verb(NamedTuple):
    """A verb on the command line."""

    about: str
    add_options: Callable[[argparse.ArgumentParser], None]


def _no_options(_parser: argparse.ArgumentParser) -> None:
    """Take no option of its own."""


def _events(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", type=_number, default=0, metavar="N", help="only what came after this version")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--seat", type=_number, default=0, metavar="N", help="as this seat may see it")
    whose.add_argument("--all", action="store_true", help="everything: each event with its audience, moves, and what chance gave")


def _snapshot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reveal", action="store_true", help="print everything: the seed, every hidden card, what is remembered of requests")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError("must be a number of 0 or more")
    return int(text)


MATCH_VERBS = {
    "show": Verb("where a match stands and what it takes up; no secrets", _no_options),
    "events": Verb("a match's log, as the public may see it unless --seat or --all is said", _events),
    "snapshot": Verb("what is stored of a match, without its secrets unless --reveal is said", _snapshot),
}
