"""The closed vocabulary of conditions (If) and effects (Then, scientists), as card sets spell it.

Each word brings its text, so that what a card says and what it is cannot differ. What a condition means stands in ``checkpoint``, what an effect does in
``effects``, what Dr. Entropy thinks of it in ``entropy``.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engines.kit.structs import snake_case

Face = Annotated[int, Meta(ge=1, le=6)]
MOST = 9_999
"""No number of a card set is larger, so that whatever they add up to in a match fits the wire's 32 bits."""
Number = Annotated[int, Meta(ge=0, le=MOST)]
Amount = Annotated[int, Meta(ge=1, le=MOST)]
Whose = Literal["own", "opponent"]

_ONE_DIE = {"own": "one of your dice", "opponent": "one of your opponent's dice", "any": "any die"}
_BOTH_DICE = {"own": "both your dice", "opponent": "both your opponent's dice"}


class _Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=snake_case):
    @property
    def text(self) -> str:
        """Say it as a card does, in our words."""
        raise NotImplementedError


class DiceGap(_Condition, frozen=True):
    """The own dice lie so far apart; 0 to 0 is a double."""

    min: Number
    max: Number

    @property
    def text(self) -> str:
        if self.max == 0:
            return "your dice are equal"
        return f"your dice differ by {self.min}" + (f" to {self.max}" if self.max > self.min else "")


class SumAtLeast(_Condition, frozen=True):
    """The own Attack is at least this."""

    value: Number

    @property
    def text(self) -> str:
        return f"your Attack is {self.value} or more"


class SumAtMost(_Condition, frozen=True):
    """The own Attack is at most this."""

    value: Number

    @property
    def text(self) -> str:
        return f"your Attack is {self.value} or less"


class BothParity(_Condition, frozen=True):
    """Both own dice are odd, or both even."""

    parity: Literal["odd", "even"]

    @property
    def text(self) -> str:
        return f"both your dice are {self.parity}"


class FaceShown(_Condition, frozen=True):
    """An own die shows this."""

    value: Face

    @property
    def text(self) -> str:
        return f"one of your dice shows a {self.value}"


class LeadAtLeast(_Condition, frozen=True):
    """The own Attack is ahead by at least this."""

    value: Number

    @property
    def text(self) -> str:
        return f"your Attack is ahead by {self.value} or more"


class TrailAtLeast(_Condition, frozen=True):
    """The own Attack is behind by at least this."""

    value: Number

    @property
    def text(self) -> str:
        return f"your Attack is behind by {self.value} or more"


class RerollsAtLeast(_Condition, frozen=True):
    """The seat has paid for so many re-rolls this round."""

    value: Number

    @property
    def text(self) -> str:
        return f"you have paid for {self.value} re-roll{'s' if self.value > 1 else ''} or more this round"


class EnergyAtMost(_Condition, frozen=True):
    """The seat has at most this Energy."""

    value: Number

    @property
    def text(self) -> str:
        return f"you have {self.value} Energy or less"


class LifeAtMost(_Condition, frozen=True):
    """The monster has at most this Life."""

    value: Number

    @property
    def text(self) -> str:
        return f"your monster has {self.value} Life or less"


class BoostAtLeast(_Condition, frozen=True):
    """The seat's revealed choice is Boost with at least this number."""

    value: Number

    @property
    def text(self) -> str:
        return f"you Boost {self.value} or more"


class Defended(_Condition, frozen=True):
    """The seat's revealed choice is Defend."""

    @property
    def text(self) -> str:
        return "you Defend"


Condition = (
    DiceGap
    | SumAtLeast
    | SumAtMost
    | BothParity
    | FaceShown
    | LeadAtLeast
    | TrailAtLeast
    | RerollsAtLeast
    | EnergyAtMost
    | LifeAtMost
    | BoostAtLeast
    | Defended
)


class _Effect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="effect", tag=snake_case):
    @property
    def text(self) -> str:
        """Say it as a card does, in our words."""
        raise NotImplementedError


class Reroll(_Effect, frozen=True):
    """Re-roll one die, or both; no Energy, and no paid re-roll."""

    side: Whose
    dice: Literal["one", "both"]

    @property
    def text(self) -> str:
        return f"re-roll {_ONE_DIE[self.side]}" if self.dice == "one" else f"re-roll {_BOTH_DICE[self.side]}"


class Flip(_Effect, frozen=True):
    """Turn a die to its opposite face."""

    side: Literal["own", "opponent", "any"]

    @property
    def text(self) -> str:
        return f"turn {_ONE_DIE[self.side]} to its opposite face"


class SetFace(_Effect, frozen=True, tag="set"):
    """Turn an own die to a face."""

    face: Face

    @property
    def text(self) -> str:
        return f"set one of your dice to {self.face}"


class Shift(_Effect, frozen=True):
    """Move a die's face up or down, within 1 to 6."""

    side: Whose
    by: Annotated[int, Meta(ge=-MOST, le=MOST)]

    @property
    def text(self) -> str:
        return f"{'raise' if self.by > 0 else 'lower'} {_ONE_DIE[self.side]} by {abs(self.by)}"


class Swap(_Effect, frozen=True):
    """An own die and one of the opponent's exchange faces."""

    @property
    def text(self) -> str:
        return "exchange one of your dice with one of your opponent's"


class GainEnergy(_Effect, frozen=True):
    """Gain Energy."""

    amount: Amount

    @property
    def text(self) -> str:
        return f"you gain {self.amount} Energy"


class DrainEnergy(_Effect, frozen=True):
    """The opponent loses Energy."""

    amount: Amount

    @property
    def text(self) -> str:
        return f"your opponent loses {self.amount} Energy"


class Heal(_Effect, frozen=True):
    """The own monster gains Life."""

    amount: Amount

    @property
    def text(self) -> str:
        return f"your monster gains {self.amount} Life"


class Hurt(_Effect, frozen=True):
    """The opponent's monster loses Life, at once."""

    amount: Amount

    @property
    def text(self) -> str:
        return f"your opponent's monster loses {self.amount} Life"


class AttackBonus(_Effect, frozen=True):
    """Adds to the own Attack Total of this round."""

    amount: Amount

    @property
    def text(self) -> str:
        return f"add {self.amount} to your Attack Total"


class DamageBonus(_Effect, frozen=True):
    """Adds to what the opponent takes if it loses this round."""

    amount: Amount

    @property
    def text(self) -> str:
        return f"your opponent takes {self.amount} more damage if it loses this round"


class Shield(_Effect, frozen=True):
    """Takes off what the own monster takes if it loses this round."""

    amount: Amount

    @property
    def text(self) -> str:
        return f"you take {self.amount} less damage if you lose this round"


Effect = Reroll | Flip | SetFace | Shift | Swap | GainEnergy | DrainEnergy | Heal | Hurt | AttackBonus | DamageBonus | Shield
DICE_EFFECTS = (Reroll, Flip, SetFace, Shift, Swap)

Target = tuple[int, int]
"""The dice that a use names: an own one and one of the opponent's; 0 is none."""

NO_DIE: Target = (0, 0)
OWN_DICE: tuple[Target, ...] = ((1, 0), (2, 0))
OPPONENT_DICE: tuple[Target, ...] = ((0, 1), (0, 2))
DICE_PAIRS: tuple[Target, ...] = ((1, 1), (1, 2), (2, 1), (2, 2))


def targets_of(effect: Effect) -> tuple[Target, ...]:
    """List what can be named for an effect, in order (POW-7).

    >>> targets_of(Shift("opponent", -3))
    ((0, 1), (0, 2))
    """
    match effect:
        case Reroll(dice="both"):
            return (NO_DIE,)
        case Reroll("own") | Flip("own") | Shift("own") | SetFace():
            return OWN_DICE
        case Reroll() | Flip("opponent") | Shift():
            return OPPONENT_DICE
        case Flip():
            return OWN_DICE + OPPONENT_DICE
        case Swap():
            return DICE_PAIRS
        case _:
            return (NO_DIE,)
