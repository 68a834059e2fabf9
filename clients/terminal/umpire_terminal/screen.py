"""Where the person reads and types: a terminal, or a pipe."""

import contextlib
import io
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from umpire_terminal.voice import clean

PROMPT = "> "


def hanging(rows: Iterable[tuple[RenderableType, RenderableType]]) -> Table:
    """Stand texts beside what they belong to, each wrapped within its own column."""
    table = Table.grid(padding=(0, 1, 0, 0))
    for name, text in rows:
        table.add_row(name, text)
    return table


class Ended(Exception):
    """There is nothing more to read: the person has left."""


class Screen:
    """Prints on standard output and reads lines from standard input. Without colour if told so, by NO_COLOR, or if it is no terminal."""

    def __init__(self, *, colour: bool = True, out: TextIO | None = None, lines: TextIO | None = None) -> None:
        out = out or sys.stdout
        if isinstance(out, io.TextIOWrapper):
            # A terminal that has not all letters shows others instead of failing.
            out.reconfigure(errors="replace")
        self._lines = lines or sys.stdin
        self._typed_by_a_person = self._lines.isatty()
        self._prompt = PROMPT
        self._console = Console(file=out, no_color=None if colour else True, highlight=False, markup=False, emoji=False)
        if self._typed_by_a_person:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401, PLC0415  lets the line be edited

    def show(self, *things: RenderableType) -> None:
        """Print, wrapped to the width."""
        for thing in things:
            self._console.print(thing)

    def show_items(self, sign: str, items: Iterable[Text]) -> None:
        """Print each item behind a sign; what is wrapped stands under its beginning."""
        self._console.print(hanging((sign, item) for item in items))

    def show_line(self, line: str) -> None:
        """Print a line that is to be copied: never wrapped."""
        self._console.print(Text(line, "bold"), soft_wrap=True)

    def show_at_prompt(self, sign: str, items: Iterable[Text], hint: str = "") -> None:
        """Print items while somebody is being asked: below what may be half typed, with the prompt once more, or behind another hint."""
        if self._typed_by_a_person:
            self._console.print()
        self.show_items(sign, items)
        if self._typed_by_a_person:
            self._console.print(Text(f"{hint} {PROMPT}" if hint else self._prompt), end="")

    def ask(self, hint: str = "") -> str:
        """Read a line; ``hint`` stands before the prompt.

        Raises:
            Ended: the input has ended.
        """
        prompt = self._prompt = f"{hint} {PROMPT}" if hint else PROMPT
        if self._typed_by_a_person:
            try:
                return input(prompt).strip()
            except EOFError:
                self._console.print()
                raise Ended from None
        line = self._lines.readline()
        if not line:
            raise Ended
        self._console.print(Text(f"{prompt}{clean(line.strip())}"))
        return line.strip()
