"""The checkpoint, which follows every roll and every use: deaths, gains for a 1, conditions (FLOW-3)."""

from engines.monster_mash_up.card_set import MonsterMashUpCards
from engines.monster_mash_up.events import ChangeReason, DiscPlaced, OneShown
from engines.monster_mash_up.reset import end_battle
from engines.monster_mash_up.state import SEATS, BoostKind, MashUpTable, MonsterMashUpState, rival_of
from engines.monster_mash_up.tracks import change_energy
from engines.monster_mash_up.vocabulary import (
    BoostAtLeast,
    BothParity,
    Condition,
    Defended,
    DiceGap,
    EnergyAtMost,
    FaceShown,
    LeadAtLeast,
    LifeAtMost,
    RerollsAtLeast,
    SumAtLeast,
    SumAtMost,
    TrailAtLeast,
)


def check_point(table: MashUpTable, cards: MonsterMashUpCards) -> None:
    """Look at what is true now. The next step is set before: a death puts the end of the battle in its place."""
    state = table.state
    dead = the_dead(state)
    if dead:
        end_battle(table, dead, ChangeReason.LIFE)  # LIFE-2
        return
    for seat in SEATS:
        marks = state.seat(seat).marks
        if not marks.one_shown and 1 in marks.dice:  # ROLL-2
            marks.one_shown = True
            table.emit(OneShown(seat))
            change_energy(table, seat, 1, ChangeReason.ONE)
    for seat in SEATS:
        own = state.seat(seat)
        if not own.marks.disc_earned and is_met(cards.fronts[own.front].condition, state, seat):  # POW-1, POW-2
            own.marks.disc = own.marks.disc_earned = True
            table.emit(DiscPlaced(seat))


def the_dead(state: MonsterMashUpState) -> tuple[int, ...]:
    """List the seats whose monsters have no Life left."""
    return tuple([seat for seat in SEATS if not state.seat(seat).life])


def is_met(condition: Condition, state: MonsterMashUpState, seat: int) -> bool:  # noqa: C901 - one case a word of the vocabulary
    """Whether the If of a seat's monster is met. Checkpoints never see a choice of the Boost Phase that is not revealed."""
    own = state.seat(seat)
    marks = own.marks
    one, other = marks.dice
    match condition:
        case FaceShown(value):
            return value in marks.dice
        case SumAtLeast(value):
            return one + other >= value
        case SumAtMost(value):
            return one + other <= value
        case DiceGap(least, most):
            return least <= abs(one - other) <= most
        case BothParity(parity):
            return one % 2 == other % 2 == (1 if parity == "odd" else 0)
        case LeadAtLeast(value):
            return own.attack - state.seat(rival_of(seat)).attack >= value
        case TrailAtLeast(value):
            return state.seat(rival_of(seat)).attack - own.attack >= value
        case RerollsAtLeast(value):
            return marks.rerolls >= value
        case EnergyAtMost(value):
            return own.energy <= value
        case LifeAtMost(value):
            return own.life <= value
        case BoostAtLeast(value):
            return marks.choice is not None and marks.choice.kind is BoostKind.BOOST and marks.choice.fingers >= value
        case Defended():
            return marks.choice is not None and marks.choice.kind is BoostKind.DEFEND
