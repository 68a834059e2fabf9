"""The full truth: the tracks, the cards, the marks of the round, and the one pending step."""

from typing import Annotated

import msgspec
from msgspec import Meta

from engines.kit.structs import Choice, Options, Outcome, Question, State, Step, View
from engines.kit.table import Table
from engines.monster_mash_up.card_set import Side

SEATS = (1, 2)
DICE = (1, 2)
ENTROPY = 2
"""Dr. Entropy's seat, in solo."""

MOST_ENERGY = 8
HAND = 3
MOST_FINGERS = 5


class GameMode(Choice):
    """Two seats that are asked, or one against Dr. Entropy."""

    DUEL = "DUEL"
    SOLO = "SOLO"


class MonsterMashUpOptions(Options, frozen=True):
    """The options; see RULES.md."""

    heads_to_win: Annotated[int, Meta(ge=2, le=3, description="how many heads win: 2 is the short game, 3 the long one")] = 2


# ---- pending work: one step at any time, which puts the next one in its place


class ScientistStep(Step, tag="scientist"):
    """A seat chooses its scientist."""

    seat: int


class DealStep(Step, tag="deal"):
    """The deck is shuffled."""


class BattleStep(Step, tag="battle"):
    """A battle begins."""


class MakeStep(Step, tag="make"):
    """The seats in ``todo`` place monsters, in this order; ``secret``: all choose first, then all are laid open."""

    todo: list[int]
    secret: bool


class RoundStep(Step, tag="round"):
    """A round begins."""


class RollStep(Step, tag="roll"):
    """A seat's turn in the Roll Phase, after so many passes in a row."""

    seat: int
    passes: int


class BoostStep(Step, tag="boost"):
    """The seats choose in secret."""


class WindowStep(Step, tag="window"):
    """The damage window: who has passed since it was offered; ``offer`` counts the offers of the round."""

    passed: list[int]
    offer: int


AnyStep = ScientistStep | DealStep | BattleStep | MakeStep | RoundStep | RollStep | BoostStep | WindowStep


# ---- what is asked


class ScientistQuestion(Question, frozen=True, tag="choose_scientist"):
    """Which scientist to take."""


class MonsterQuestion(Question, frozen=True, tag="make_monster"):
    """Which monster to make; ``secret``: both seats choose before either is laid open."""

    secret: bool


class RollQuestion(Question, frozen=True, tag="roll_turn"):
    """What to do on a turn of the Roll Phase; ``passes`` 1: a pass ends the phase."""

    passes: int


class BoostQuestion(Question, frozen=True, tag="boost"):
    """Boost, Defend or Panic."""


class WindowQuestion(Question, frozen=True, tag="damage_window"):
    """Whether to use something before damage; ``totals`` are the Attack Totals of seats 1 and 2."""

    totals: tuple[int, ...]


QUESTIONS: tuple[type[Question], ...] = (ScientistQuestion, MonsterQuestion, RollQuestion, BoostQuestion, WindowQuestion)


# ---- the seats


class BoostKind(Choice):
    """The three choices of the Boost Phase."""

    BOOST = "BOOST"
    DEFEND = "DEFEND"
    PANIC = "PANIC"


class BoostChoice(View, frozen=True, array_like=True):
    """A choice of the Boost Phase; ``fingers`` is 0 for the other two."""

    kind: BoostKind
    fingers: int


class Marks(msgspec.Struct, array_like=True):
    """What lasts for a round.

    ``dice`` are the faces of the Attack Dice; none before they are rolled. ``choice`` is secret until both are in. ``disc`` lies on the monster;
    ``disc_earned`` and ``one_shown`` are of once a round; ``rerolls`` counts those paid for.
    """

    dice: list[int] = []
    choice: BoostChoice | None = None
    disc: bool = False
    disc_earned: bool = False
    one_shown: bool = False
    scientist_used: bool = False
    rerolls: int = 0
    attack_bonus: int = 0
    damage_bonus: int = 0
    shield: int = 0


class SeatState(msgspec.Struct, array_like=True):
    """A seat's cards, as ids of the card set, and its tracks.

    ``committed`` is a monster chosen and not yet laid open, front and back, still in the hand; ``front`` and ``back`` are those of the placed one, or "".
    Dr. Entropy's ``scientist`` is "".
    """

    scientist: str = ""
    side: Side = Side.A
    energy: int = 3
    life: int = 0
    heads: list[str] = []
    hand: list[str] = []
    committed: list[str] = []
    front: str = ""
    back: str = ""
    marks: Marks = msgspec.field(default_factory=Marks)

    @property
    def attack(self) -> int:
        """The sum of the Attack Dice."""
        return sum(self.marks.dice)


class MonsterMashUpState(State):
    """A match between two moves.

    ``deck`` starts with its top card. ``battle`` and ``round`` count from 1; ``arena`` is the space of the cube, from 1. ``last_winner`` is the seat that
    won the last battle, 0 before the first and after a draw. ``step`` is None after the end.
    """

    options: MonsterMashUpOptions
    mode: GameMode
    seats: list[SeatState]
    step: AnyStep | None
    deck: list[str]
    discard: list[str]
    battle: int = 0
    round: int = 0
    arena: int = 1
    last_winner: int = 0
    outcome: Outcome | None = None

    def seat(self, number: int) -> SeatState:
        """Return seat 1 or 2."""
        return self.seats[number - 1]

    @property
    def asked_seats(self) -> tuple[int, ...]:
        """The seats that are ever asked: not Dr. Entropy's."""
        return SEATS if self.mode is GameMode.DUEL else (1,)

    @property
    def choices_are_open(self) -> bool:
        """Whether both choices of the Boost Phase are in; else the one that may be in is secret (BOOST-1)."""
        return all(own.marks.choice is not None for own in self.seats)


MashUpTable = Table[MonsterMashUpState]


def rival_of(seat: int) -> int:
    """Return the other seat."""
    return 3 - seat
