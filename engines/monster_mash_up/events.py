"""What can happen. All of it is public but the cards that a seat draws."""

from msgspec import UNSET, UnsetType

from engines.kit.structs import Choice, Event, View
from engines.monster_mash_up.card_set import Side
from engines.monster_mash_up.state import BoostChoice, GameMode


class ChangeReason(Choice):
    """Why Energy, Life or dice changed, or a monster died."""

    INITIAL = "INITIAL"
    REROLL = "REROLL"
    PANIC = "PANIC"
    POWER = "POWER"
    SCIENTIST = "SCIENTIST"
    MONSTER = "MONSTER"
    ONE = "ONE"
    BOOST = "BOOST"
    DEFEND = "DEFEND"
    DAMAGE = "DAMAGE"
    LIFE = "LIFE"
    EXHAUSTION = "EXHAUSTION"


class Bonus(Choice):
    """What lasts for a round."""

    ATTACK_BONUS = "ATTACK_BONUS"
    DAMAGE_BONUS = "DAMAGE_BONUS"
    SHIELD = "SHIELD"


class SeatDamage(View, frozen=True, array_like=True):
    """The damage of a seat that lost a round; 0 is possible."""

    seat: int
    damage: int


class MatchStarted(Event, frozen=True):
    """The match begins."""

    mode: GameMode
    heads_to_win: int


class ScientistChosen(Event, frozen=True):
    """A seat takes a scientist."""

    seat: int
    scientist: str
    side: Side


class DeckShuffled(Event, frozen=True):
    """The monster cards become the deck."""

    count: int


class BattleStarted(Event, frozen=True):
    """A battle begins; ``arena`` is the space of the cube."""

    battle: int
    arena: int


class CardsDrawn(Event, frozen=True):
    """Cards come from the deck to the hand. ``cards``: owner only."""

    seat: int
    count: int
    cards: tuple[str, ...] | UnsetType = UNSET


class MonsterCommitted(Event, frozen=True):
    """A seat has chosen its monster, in secret."""

    seat: int


class MonsterPlaced(Event, frozen=True):
    """A monster is laid open; the seat has its Life."""

    seat: int
    front: str
    back: str
    life: int


class EnergyChanged(Event, frozen=True):
    """Energy rises or falls by ``delta``, limits counted."""

    seat: int
    delta: int
    energy: int
    reason: ChangeReason


class LifeChanged(Event, frozen=True):
    """Life rises or falls by ``delta``, limits counted."""

    seat: int
    delta: int
    life: int
    reason: ChangeReason


class RoundStarted(Event, frozen=True):
    """A round begins."""

    battle: int
    round: int
    arena: int


class DiceRolled(Event, frozen=True):
    """Attack Dice of a seat are rolled: which, and what both show then."""

    seat: int
    rolled: tuple[int, ...]
    dice: tuple[int, ...]
    reason: ChangeReason


class DieChanged(Event, frozen=True):
    """A die of ``seat`` is turned to another face."""

    seat: int
    die: int
    face_from: int
    face_to: int
    reason: ChangeReason


class OneShown(Event, frozen=True):
    """A seat shows a 1, for the first time this round (ROLL-2)."""

    seat: int


class DiscPlaced(Event, frozen=True):
    """The If of a seat's monster is met (POW-1)."""

    seat: int


class DiscRemoved(Event, frozen=True):
    """The disc goes back to the scientist, used or not."""

    seat: int
    used: bool


class PowerUsed(Event, frozen=True):
    """A seat uses its monster's power."""

    seat: int
    own_die: int
    opponent_die: int


class ScientistUsed(Event, frozen=True):
    """A seat uses its scientist."""

    seat: int
    own_die: int
    opponent_die: int


class BonusAdded(Event, frozen=True):
    """A seat has a bonus for this round."""

    seat: int
    bonus: Bonus
    amount: int


class Passed(Event, frozen=True):
    """A seat passes."""

    seat: int


class BoostPhaseStarted(Event, frozen=True):
    """The Roll Phase is over."""

    round: int


class ChoiceCommitted(Event, frozen=True):
    """A seat has chosen in the Boost Phase, in secret."""

    seat: int


class EntropyRolled(Event, frozen=True):
    """Dr. Entropy's Boost Die is rolled; ``second`` is 0 if one roll decides."""

    first: int
    second: int


class ChoicesRevealed(Event, frozen=True):
    """The choices of seats 1 and 2."""

    choices: tuple[BoostChoice, ...]


class RoundResult(Event, frozen=True):
    """The Attack Totals of seats 1 and 2, who won (0: nobody), and what each loser takes."""

    totals: tuple[int, ...]
    winner: int
    damage: tuple[SeatDamage, ...]


class ArenaMoved(Event, frozen=True):
    """The arena cube moves to a space."""

    arena: int


class MonsterDied(Event, frozen=True):
    """The monster of a seat dies."""

    seat: int
    reason: ChangeReason


class HeadGained(Event, frozen=True):
    """A seat gains a head; ``heads`` counts them."""

    seat: int
    card: str
    heads: int


class BattleEnded(Event, frozen=True):
    """A battle is over; ``winner`` 0: drawn."""

    battle: int
    winner: int
    reason: ChangeReason
    rounds: int


class ScientistFlipped(Event, frozen=True):
    """A scientist is turned over."""

    seat: int
    side: Side


class SeatResigned(Event, frozen=True):
    """A seat gives up."""

    seat: int


class MatchEnded(Event, frozen=True):
    """The match is over; ``heads`` of seats 1 and 2."""

    reason: str
    winners: tuple[int, ...]
    heads: tuple[int, ...]


EVENTS: tuple[type[Event], ...] = (
    MatchStarted, ScientistChosen, DeckShuffled, BattleStarted, CardsDrawn, MonsterCommitted, MonsterPlaced, EnergyChanged, LifeChanged, RoundStarted,
    DiceRolled, DieChanged, OneShown, DiscPlaced, DiscRemoved, PowerUsed, ScientistUsed, BonusAdded, Passed, BoostPhaseStarted, ChoiceCommitted, EntropyRolled,
    ChoicesRevealed, RoundResult, ArenaMoved, MonsterDied, HeadGained, BattleEnded, ScientistFlipped, SeatResigned, MatchEnded,
)  # fmt: skip
