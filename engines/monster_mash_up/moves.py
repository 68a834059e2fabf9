"""What a seat may answer. Dice are named 1 and 2; 0 is no die."""

from engines.kit.structs import Move


class ChooseScientist(Move, frozen=True):
    """Take a scientist for the match (SET-4)."""

    scientist: str


class MakeMonster(Move, frozen=True):
    """Make a monster of two cards of the hand (MAKE-2)."""

    front: str
    back: str


class RerollBoth(Move, frozen=True):
    """Re-roll both own dice for 1 Energy (ROLL-5)."""


class RerollOne(Move, frozen=True):
    """Re-roll one own die for 2 Energy (ROLL-5)."""

    die: int


class UsePower(Move, frozen=True):
    """Use the monster's power on the dice named (POW-3)."""

    own_die: int
    opponent_die: int


class UseScientist(Move, frozen=True):
    """Use the scientist's ability on the dice named (SCI-1)."""

    own_die: int
    opponent_die: int


class PassTurn(Move, frozen=True):
    """Do nothing on this turn, or in this window (ROLL-6)."""


class Boost(Move, frozen=True):
    """Choose Boost in secret, with a number from 0 to 5 (BOOST-2)."""

    fingers: int


class Defend(Move, frozen=True):
    """Choose Defend in secret (BOOST-5)."""


class Panic(Move, frozen=True):
    """Choose the Panic Button in secret (BOOST-6)."""


MOVES: tuple[type[Move], ...] = (ChooseScientist, MakeMonster, RerollBoth, RerollOne, UsePower, UseScientist, PassTurn, Boost, Defend, Panic)
