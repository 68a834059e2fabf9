"""The effects of the cards: what each needs, and what it does.

``column`` is the column of the card; ``times`` how often the effect applies (PLAY-4). "Needs" is judged before the card moves, with the same result as
after: no effect's target is the card itself (TURN-4, ruling 10).
"""

from collections.abc import Callable, Mapping

from engines.goldn_crash import violations
from engines.goldn_crash.card_set import Effect, GoldnCrashCards
from engines.goldn_crash.events import (
    CardLooted,
    CardsDiscarded,
    CardsDrawn,
    CardsReturnedToHand,
    DeckObserved,
    DiscardReason,
    GuestLost,
    SafeCracked,
    ZeppelinBombed,
)
from engines.goldn_crash.state import (
    BombStrength,
    CallBackStep,
    GoldnCrashState,
    ManoeuvreStep,
    ObserveStep,
    SecureStep,
    beside,
    rival_of,
)
from engines.kit.table import Table
from engines.kit.violation import Violation

GoldnCrashTable = Table[GoldnCrashState]
Need = Callable[[GoldnCrashState, int, int, GoldnCrashCards], Violation | None]
Deed = Callable[[GoldnCrashTable, int, int, int, GoldnCrashCards], None]


# ---- play effects


def _bomb_needs(state: GoldnCrashState, seat: int, column: int, _cards: GoldnCrashCards) -> Violation | None:
    return violations.ZEPPELIN_ALREADY_DESTROYED if state.seat(rival_of(seat)).zeppelins[column - 1].destroyed else None  # BOMB-2


def _bomb(table: GoldnCrashTable, seat: int, column: int, times: int, _cards: GoldnCrashCards) -> None:
    """One comparison, however often the effect applies: nothing changes in between (BOMB-1, ruling 3)."""
    state, target = table.state, rival_of(seat)
    rival = state.seat(target)
    zeppelin = rival.zeppelins[column - 1]
    strength = len(state.seat(seat).column(column)) if state.options.bomb_strength is BombStrength.ALL_CARDS else times
    zeppelin.destroyed = zeppelin.robustness <= strength
    bombed = ZeppelinBombed(seat, target, column, strength, zeppelin.destroyed, zeppelin.robustness)
    if not zeppelin.destroyed:  # BOMB-4
        zeppelin.seen = True
        zeppelin.withstood = max(zeppelin.withstood, strength)
        table.emit(bombed, private={"robustness": (target,)})
        return
    table.emit(bombed)
    guest = rival.guests[column - 1]
    if guest:  # BOMB-3
        rival.guests[column - 1] = ""
        state.box.append(guest)
        table.emit(GuestLost(target, column, guest))


def _board_needs(state: GoldnCrashState, seat: int, column: int, _cards: GoldnCrashCards) -> Violation | None:
    return None if state.seat(rival_of(seat)).column(column) else violations.OPPOSITE_COLUMN_EMPTY  # BOARD-2


def _board(table: GoldnCrashTable, seat: int, column: int, times: int, _cards: GoldnCrashCards) -> None:
    target = rival_of(seat)
    rival = table.state.seat(target)
    cards = rival.column(column)
    gone = [cards.pop() for _ in range(min(times, len(cards)))]  # BOARD-1
    rival.discard += gone
    table.emit(CardsDiscarded(target, column, tuple(gone), DiscardReason.BOARD))


def _fish_needs(state: GoldnCrashState, seat: int, _column: int, _cards: GoldnCrashCards) -> Violation | None:
    return None if state.seat(seat).discard else violations.DISCARD_PILE_EMPTY  # FISH-2


def _fish(table: GoldnCrashTable, seat: int, _column: int, times: int, _cards: GoldnCrashCards) -> None:
    own = table.state.seat(seat)
    taken = [own.discard.pop() for _ in range(min(times, len(own.discard)))]  # FISH-1
    own.shown += taken
    table.emit(CardsReturnedToHand(seat, 0, tuple(taken)))


def _reinforce_needs(state: GoldnCrashState, seat: int, _column: int, _cards: GoldnCrashCards) -> Violation | None:
    return None if state.seat(seat).deck else violations.DECK_EMPTY_REINFORCE  # REINF-2


def _reinforce(table: GoldnCrashTable, seat: int, _column: int, times: int, _cards: GoldnCrashCards) -> None:
    draw_cards(table, seat, times)  # REINF-1


def _secure_needs(state: GoldnCrashState, seat: int, column: int, _cards: GoldnCrashCards) -> Violation | None:
    own = state.seat(seat)
    return None if any(own.column(number) for number in beside(column)) else violations.ADJACENT_COLUMNS_EMPTY  # SEC-2


def _secure(table: GoldnCrashTable, _seat: int, column: int, times: int, _cards: GoldnCrashCards) -> None:
    table.state.stack.append(SecureStep(column, times))  # SEC-1


# ---- discard effects


def _crack_needs(state: GoldnCrashState, seat: int, _column: int, cards: GoldnCrashCards) -> Violation | None:
    treasure = state.seat(rival_of(seat)).treasure
    if not treasure:
        return violations.TREASURE_EMPTY
    return violations.TREASURE_LOCKED if treasure[-1] in cards.guests else None  # CRACK-2


def _crack(table: GoldnCrashTable, seat: int, _column: int, _times: int, _cards: GoldnCrashCards) -> None:
    target = rival_of(seat)
    rival = table.state.seat(target)
    card = rival.treasure.pop()  # CRACK-1
    rival.discard.append(card)
    table.emit(SafeCracked(target, card))


def _manoeuvre_needs(state: GoldnCrashState, seat: int, _column: int, _cards: GoldnCrashCards) -> Violation | None:
    return None if _cards_in_columns(state, seat) > 1 else violations.NO_OTHER_CARD_MANOEUVRE  # MAN-2


def _manoeuvre(table: GoldnCrashTable, _seat: int, _column: int, _times: int, _cards: GoldnCrashCards) -> None:
    table.state.stack.append(ManoeuvreStep())


def _call_back_needs(state: GoldnCrashState, seat: int, _column: int, _cards: GoldnCrashCards) -> Violation | None:
    return None if _cards_in_columns(state, seat) > 1 else violations.NO_OTHER_CARD_CALL_BACK  # CALL-2


def _call_back(table: GoldnCrashTable, _seat: int, _column: int, _times: int, _cards: GoldnCrashCards) -> None:
    table.state.stack.append(CallBackStep())


def _observe_needs(state: GoldnCrashState, seat: int, _column: int, _cards: GoldnCrashCards) -> Violation | None:
    return None if len(state.seat(seat).deck) >= state.options.pile_minimum else violations.DECK_TOO_SMALL  # OBS-4


def _observe(table: GoldnCrashTable, seat: int, _column: int, _times: int, _cards: GoldnCrashCards) -> None:
    own = table.state.seat(seat)
    own.observed = [own.draw() for _ in range(min(2, len(own.deck)))]  # OBS-1
    table.state.stack.append(ObserveStep())
    table.emit(DeckObserved(seat, len(own.observed), tuple(own.observed)), private={"cards": (seat,)})


def _loot_needs(state: GoldnCrashState, seat: int, _column: int, _cards: GoldnCrashCards) -> Violation | None:
    enough = len(state.seat(rival_of(seat)).discard) >= state.options.pile_minimum
    return None if enough else violations.DISCARD_PILE_TOO_SMALL  # LOOT-2


def _loot(table: GoldnCrashTable, seat: int, _column: int, _times: int, _cards: GoldnCrashCards) -> None:
    card = table.state.seat(rival_of(seat)).discard.pop()  # LOOT-1
    table.state.seat(seat).treasure.append(card)
    table.emit(CardLooted(seat, card))


# ---- no effect


def _needs_nothing(_state: GoldnCrashState, _seat: int, _column: int, _cards: GoldnCrashCards) -> Violation | None:
    return None  # GOLD-1


def _never(_state: GoldnCrashState, _seat: int, _column: int, _cards: GoldnCrashCards) -> Violation | None:
    return violations.NOT_DISCARDABLE  # GOLD-2


def _nothing(_table: GoldnCrashTable, _seat: int, _column: int, _times: int, _cards: GoldnCrashCards) -> None:
    pass


PLAY_NEEDS: Mapping[Effect, Need] = {
    Effect.BOMB_ZEPPELIN: _bomb_needs,
    Effect.DISCARD_OPPOSITE: _board_needs,
    Effect.TAKE_FROM_DISCARD: _fish_needs,
    Effect.DRAW_FROM_DECK: _reinforce_needs,
    Effect.SECURE_ADJACENT: _secure_needs,
    Effect.NONE: _needs_nothing,
}
DISCARD_NEEDS: Mapping[Effect, Need] = {
    Effect.CRACK_SAFE: _crack_needs,
    Effect.MANOEUVRE: _manoeuvre_needs,
    Effect.CALL_BACK: _call_back_needs,
    Effect.OBSERVE: _observe_needs,
    Effect.LOOT: _loot_needs,
    Effect.NONE: _never,
}
DOES: Mapping[Effect, Deed] = {
    Effect.BOMB_ZEPPELIN: _bomb,
    Effect.DISCARD_OPPOSITE: _board,
    Effect.TAKE_FROM_DISCARD: _fish,
    Effect.DRAW_FROM_DECK: _reinforce,
    Effect.SECURE_ADJACENT: _secure,
    Effect.CRACK_SAFE: _crack,
    Effect.MANOEUVRE: _manoeuvre,
    Effect.CALL_BACK: _call_back,
    Effect.OBSERVE: _observe,
    Effect.LOOT: _loot,
    Effect.NONE: _nothing,
}


def draw_cards(table: GoldnCrashTable, seat: int, times: int) -> None:
    """Take up to ``times`` cards from the own deck to the hand (DRAW-1, REINF-1)."""
    own = table.state.seat(seat)
    drawn = [own.draw() for _ in range(min(times, len(own.deck)))]
    own.hidden += drawn
    table.emit(CardsDrawn(seat, len(drawn), tuple(drawn)), private={"cards": (seat,)})


def _cards_in_columns(state: GoldnCrashState, seat: int) -> int:
    return sum(map(len, state.seat(seat).columns))
