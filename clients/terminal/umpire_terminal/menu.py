"""The legal moves as a numbered list, and what a typed line chooses of it."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from umpire.v1.match_pb2 import IllegalMove, LegalMove
from umpire_terminal.screen import hanging
from umpire_terminal.voice import Voice, clean, listed

Offered = TypeVar("Offered", LegalMove, IllegalMove)

_ONE_COLUMN = 8
_SHOWN_CANDIDATES = 4
_LONGEST_NUMBER = 9


class NotUnderstood(Exception):
    """A typed line that chooses nothing; the message says what to type instead. ``ambiguous``: it is the beginning of several moves."""

    def __init__(self, hint: str, *, ambiguous: bool = False) -> None:
        super().__init__(hint)
        self.ambiguous = ambiguous


class Menu:
    """Legal moves, grouped by heading and numbered from 1 in the order in which they are shown.

    ``heading`` names a kind of moves by how their move ids begin; kinds with the same heading are one group. ``note`` says what a move would mean, or nothing.
    """

    def __init__(self, moves: Sequence[LegalMove], heading: Callable[[str], str], note: Callable[[LegalMove], str] = lambda _move: "") -> None:
        groups: dict[str, list[LegalMove]] = {}
        for move in moves:
            groups.setdefault(heading(kind_of(move.move_id)), []).append(move)
        self._groups = groups
        self._moves = [move for group in groups.values() for move in group]
        self._note = note

    def choose(self, typed: str) -> LegalMove:
        """Find the move with this number, label, move id or unambiguous beginning of one of them.

        Raises:
            NotUnderstood: there is none, or more than one.
        """
        if typed.isdecimal():
            number = int(typed[:_LONGEST_NUMBER])
            if 1 <= number <= len(self._moves):
                return self._moves[number - 1]
            raise NotUnderstood(f"There is no move {number}: type a number from 1 to {len(self._moves)}.")
        found = fitting(self._moves, typed)
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotUnderstood(f"No move begins with “{clean(typed)}”. Type a number, the beginning of a move, ? for what is not possible, or h for help.")
        some = [clean(move.label) for move in found[:_SHOWN_CANDIDATES]]
        some += [f"{len(found) - len(some)} more"] if len(found) > len(some) else []
        raise NotUnderstood(f"“{clean(typed)}” could be {listed(some, 'or')}. Type more of it, or its number.", ambiguous=True)

    def draw(self, voice: Voice) -> RenderableType:
        """List the moves; many stand in two columns. A note that is the same for a whole group stands beside its heading."""
        parts: list[RenderableType] = []
        number = 0
        for heading, group in self._groups.items():
            lines, notes = [], [clean(self._note(move)) for move in group]
            for move in group:
                number += 1
                lines.append(Text(f"{number:>3} ", "bold").append_text(_unbold(voice.paint(move.label))))
            same = set(notes) == {notes[0]}
            parts.append(Text(clean(heading) + (f": {notes[0]}" if same and notes[0] else ""), "italic"))
            parts.append(_in_columns(lines, 1 if len(self._moves) <= _ONE_COLUMN else 2) if same else hanging(zip(lines, map(Text, notes), strict=True)))
        return Group(*parts)


def fitting(moves: Sequence[Offered], typed: str) -> list[Offered]:
    """Find the moves whose label or move id is what was typed, or else begins so."""
    wanted = " ".join(typed.lower().split())
    names = [(move, (move.label.lower(), move.move_id.lower())) for move in moves]
    exact = [move for move, of_it in names if wanted in of_it]
    return exact or [move for move, of_it in names if any(name.startswith(wanted) for name in of_it)]


def draw_illegal(moves: Sequence[IllegalMove], voice: Voice) -> RenderableType:
    """Say of each impossible move why it is so, with the rule's id; moves with the same reason stand together."""
    if not moves:
        return Text("There is nothing that one might think of and may not do.")
    reasons: dict[tuple[str, str], list[str]] = {}
    for move in moves:
        reasons.setdefault((move.violation.rule, move.violation.message), []).append(move.label)
    parts: list[RenderableType] = []
    for (rule, message), labels in reasons.items():
        parts.append(Text(clean(rule), "bold").append(f"  {clean(message)}", "not bold"))
        parts.append(Padding(voice.paint(", ".join(labels)), (0, 0, 0, 4)))
    return Group(*parts, Text("r and a rule's id shows the rule, for example: r " + clean(moves[0].violation.rule), "italic"))


def kind_of(move_id: str) -> str:
    """Take the type of the move from its canonical text.

    >>> kind_of("play_card(card=BOMB_2,column=2)"), kind_of("draw")
    ('play_card', 'draw')
    """
    return move_id.partition("(")[0]


def _unbold(text: Text) -> Text:
    text.stylize_before("not bold")
    return text


def _in_columns(lines: Sequence[Text], columns: int) -> Table:
    """Stand lines in columns, filled from top to bottom."""
    table = Table.grid(padding=(0, 3, 0, 0))
    rows = -(-len(lines) // columns)
    for row in range(rows):
        table.add_row(*(lines[row + column * rows] if row + column * rows < len(lines) else Text() for column in range(columns)))
    return table
