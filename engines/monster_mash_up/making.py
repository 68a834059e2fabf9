"""Before the rounds: scientists, the deal, the draw of each battle, Making a Monster."""

from itertools import permutations

from engines.kit.structs import Move
from engines.kit.violation import Violation
from engines.monster_mash_up import violations
from engines.monster_mash_up.card_set import MonsterMashUpCards
from engines.monster_mash_up.events import (
    BattleStarted,
    CardsDrawn,
    ChangeReason,
    DeckShuffled,
    MonsterCommitted,
    MonsterPlaced,
    ScientistChosen,
)
from engines.monster_mash_up.moves import MakeMonster
from engines.monster_mash_up.state import (
    HAND,
    SEATS,
    BattleStep,
    DealStep,
    MakeStep,
    MashUpTable,
    MonsterMashUpState,
    RoundStep,
    ScientistStep,
    SeatState,
    rival_of,
)
from engines.monster_mash_up.tracks import change_energy

# ---- scientists


def scientist_violation(state: MonsterMashUpState, scientist: str, cards: MonsterMashUpCards) -> Violation | None:
    """Judge the choice of a scientist (SET-4)."""
    if scientist not in cards.scientists:
        return violations.UNKNOWN_SCIENTIST
    return violations.SCIENTIST_TAKEN if any(own.scientist == scientist for own in state.seats) else None


def choose_scientist(table: MashUpTable, seat: int, scientist: str) -> None:
    """Take a scientist; the last choice lets the deck be shuffled (SET-4, SET-5, SET-7)."""
    state = table.state
    own = state.seat(seat)
    own.scientist = scientist
    table.emit(ScientistChosen(seat, scientist, own.side))
    state.step = DealStep() if seat == state.asked_seats[-1] else ScientistStep(rival_of(seat))


# ---- the deal and the draws


def deal(table: MashUpTable, cards: MonsterMashUpCards) -> None:
    """Shuffle the deck (SET-7)."""
    state = table.state
    state.deck = table.rng.shuffle(cards.deck, "deck")
    table.emit(DeckShuffled(len(state.deck)))
    state.step = BattleStep()


def start_battle(table: MashUpTable) -> None:
    """Start a battle: the cube on space 1, hands of three (MAKE-1, RESET-5)."""
    state = table.state
    state.battle += 1
    state.round = 0
    state.arena = 1
    table.emit(BattleStarted(state.battle, state.arena))
    for seat in state.asked_seats:
        own = state.seat(seat)
        missing = HAND - len(own.hand)
        drawn, state.deck = state.deck[:missing], state.deck[missing:]  # END-5: as many as there are
        own.hand += drawn
        table.emit(CardsDrawn(seat, len(drawn), tuple(drawn)), private={"cards": (seat,)})
    winner = state.last_winner
    state.step = MakeStep([winner, rival_of(winner)], secret=False) if winner else MakeStep(list(SEATS), secret=True)  # MAKE-4, MAKE-5


# ---- monsters


def makers(state: MonsterMashUpState, step: MakeStep) -> list[int]:
    """List the seats that are asked for a monster now: all at once in secret, else one after the other."""
    now = step.todo if step.secret else step.todo[:1]
    return [seat for seat in now if seat in state.asked_seats and not state.seat(seat).committed]


def monsters_of(own: SeatState) -> list[Move]:
    """List the monsters that a hand can make (MAKE-2)."""
    return [MakeMonster(front, back) for front, back in permutations(own.hand, 2)]


def monster_violation(own: SeatState, front: str, back: str) -> Violation | None:
    """Judge a monster (MAKE-2)."""
    if front not in own.hand:
        return violations.FRONT_NOT_IN_HAND
    if back not in own.hand:
        return violations.BACK_NOT_IN_HAND
    return violations.SAME_CARD_TWICE if front == back else None


def commit_monster(table: MashUpTable, seat: int, front: str, back: str, *, secret: bool) -> None:
    """Choose a monster; it is laid open at its time (MAKE-4, MAKE-5)."""
    table.state.seat(seat).committed = [front, back]
    if secret:
        table.emit(MonsterCommitted(seat))


def place_monsters(table: MashUpTable, step: MakeStep, cards: MonsterMashUpCards) -> bool:
    """Lay open what is ready, and say whether anything was: all monsters at once in secret, else the next seat's."""
    state = table.state
    if not step.todo:
        state.step = RoundStep()
        return True
    if makers(state, step):
        return False
    _place_monster(table, step.todo.pop(0), cards)
    return True


def _place_monster(table: MashUpTable, seat: int, cards: MonsterMashUpCards) -> None:
    state = table.state
    own = state.seat(seat)
    if seat in state.asked_seats:
        own.front, own.back = own.committed
        own.committed = []
        own.hand.remove(own.front)
        own.hand.remove(own.back)  # MAKE-7
    else:
        own.front, own.back = state.deck.pop(), state.deck.pop()  # SOLO-1
    front = cards.fronts[own.front]
    own.life = front.life  # MAKE-6
    table.emit(MonsterPlaced(seat, own.front, own.back, own.life))
    change_energy(table, seat, front.intelligence, ChangeReason.MONSTER)
