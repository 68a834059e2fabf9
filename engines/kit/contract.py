"""The engine contract: what every game gives, in the order in which its ``rules.py`` lists it.

An engine is pure: it knows its card set, and all else comes with the state. It changes the state that it is given in place; whoever calls it hands over a
state of its own. Chance comes from ``table.rng`` only; there are no clocks, no I/O, no globals and no floats in rules.

The laws, which random play checks for every registered game:

- Legal moves are exactly the candidates without a ``violation``; ``apply`` never fails on one, and every other candidate is refused with a rule's id.
- A state survives being stored between any two moves.
- From a state and its ``redeal`` for a viewer, that viewer's view, decisions, candidates, legal moves and violations are equal, and stay so when both are
  played on with the same moves of that viewer.
- ``decisions`` depends on what is public only.
- Every match ends.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from engines.kit.cards import CardSet, load_card_sets
from engines.kit.chance import Chance
from engines.kit.notation import MoveReader
from engines.kit.options import OptionInfo, OptionValues, describe_options, fill_in_options
from engines.kit.rules_index import Rule, read_rules
from engines.kit.structs import Decision, Event, Move, Options, Outcome, Question, State, View
from engines.kit.table import Table
from engines.kit.violation import Violation

S = TypeVar("S", bound=State)


class Engine(ABC, Generic[S]):
    """The rules of one mode of a game, with one card set."""

    answers: ClassVar[Mapping[str, tuple[type[Move], ...]]]
    """The kinds of decisions, and the types of moves that answer each."""

    wrong_move_rule: ClassVar[str]
    """The id of the rule that a move must answer the decision that is open."""

    def __init__(self, cards: CardSet) -> None:
        self.cards = cards

    @abstractmethod
    def set_up(self, table: Table[S], seats: int, options: Any, ruleset: int) -> None:
        """Deal: give ``table`` its state and emit what happens."""

    @abstractmethod
    def decisions(self, state: S) -> list[Decision]:
        """List the open decisions by seat; empty only while automatic steps are pending or after the end."""

    @abstractmethod
    def candidates(self, state: S, seat: int) -> list[Move]:
        """List every move worth listing for the seat's open decision, legal or not, each once, in a fixed order."""

    @abstractmethod
    def violation(self, state: S, seat: int, move: Move) -> Violation | None:
        """Judge a move of a type that answers the seat's open decision; any values may stand in its fields. None: it is legal.

        It returns what ``check`` raises, since listing legal moves judges many moves and raising is slow.
        """

    def check(self, state: S, seat: int, move: Move) -> None:
        """Check a move that ``violation`` can judge.

        Raises:
            Violation: a rule forbids it.
        """
        violation = self.violation(state, seat, move)
        if violation is not None:
            raise violation.anew()

    @abstractmethod
    def apply(self, table: Table[S], seat: int, move: Move) -> None:
        """Carry out a move that has passed ``check``."""

    @abstractmethod
    def advance(self, table: Table[S]) -> bool:
        """Carry out the next automatic step, if one is pending, and say whether one was."""

    @abstractmethod
    def view(self, state: S, viewer: int) -> View:
        """Build what a viewer (a seat, or 0) may know."""

    @abstractmethod
    def redeal(self, state: S, viewer: int, rng: Chance) -> S:
        """Make another full state that this viewer could not tell from this one; ``state`` stays as it is."""

    @abstractmethod
    def default_move(self, table: Table[S], seat: int) -> Move:
        """Choose the legal move that is made for a seat that does not answer; it may draw from the table's chance."""

    @abstractmethod
    def leave(self, table: Table[S], seat: int) -> None:
        """Carry out that a seat leaves the match for good. A match that ends by it ends for RESIGNATION, and not with this seat among its winners."""

    @abstractmethod
    def label(self, move: Move, state: S) -> str:
        """Say a candidate in plain English, to the seat that may make it."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Return how the match ended, or None while it goes on."""


Bot = Callable[[View, Decision, Sequence[Move], Chance], Move]
"""A house bot: chooses one of the legal moves from what its seat may know; chance is its own."""


class Mode(msgspec.Struct, frozen=True):
    """A way to play a game, decided by the number of seats; ``automata`` are the seats that the game's own rules play."""

    id: str
    title: str
    min_seats: int
    max_seats: int
    engine: Callable[[Any], Engine[Any]]
    automata: tuple[int, ...] = ()


class Game(msgspec.Struct, frozen=True, dict=True, kw_only=True):
    """A registered game: everything that a service needs to know about it without knowing its name."""

    id: str
    title: str
    modes: tuple[Mode, ...]
    ruleset: int
    state: type[State]
    options: type[Options]
    option_values: OptionValues = {}
    moves: tuple[type[Move], ...]
    events: tuple[type[Event], ...]
    questions: tuple[type[Question], ...]
    view: type[View]
    end_reasons: tuple[str, ...]
    bots: Mapping[str, Bot]
    folder: Path
    build_card_set: Callable[[dict[str, Any], str], CardSet]

    @cached_property
    def card_sets(self) -> dict[str, CardSet]:
        """The card sets by id; the first is the default."""
        return load_card_sets(self.folder / "cards", self.build_card_set)

    @cached_property
    def default_card_set(self) -> CardSet:
        """The card set of a match that names none."""
        return next(iter(self.card_sets.values()))

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules index."""
        return read_rules(self.folder / "RULES.md")

    @cached_property
    def move_reader(self) -> MoveReader:
        """Reads this game's moves from their canonical texts."""
        return MoveReader(self.moves)

    def mode_for(self, seats: int) -> Mode | None:
        """Return the mode for a number of seats, or None if the game cannot be played so."""
        return next((mode for mode in self.modes if mode.min_seats <= seats <= mode.max_seats), None)

    def describe_options(self) -> list[OptionInfo]:
        """List the options, as they are with the default card set."""
        return describe_options(self.options, self.option_values, self.default_card_set)

    def fill_in_options(self, cards: CardSet, given: Mapping[str, object]) -> Options:
        """Make the options in force from those given.

        Raises:
            OptionsError: an option is unknown or out of range.
        """
        return fill_in_options(self.options, self.option_values, cards, given)
