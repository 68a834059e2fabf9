"""The game itself, top to bottom as one plays it: set-up, decisions, candidates, checks, moves, what follows by itself, the end.

Rule ids are those of RULES.md; what each card does stands in ``effects``. Longer than other files: it is one text, read in the order of play.
"""

from collections.abc import Iterator

from msgspec import UNSET

from engines.goldn_crash import violations
from engines.goldn_crash.card_set import GoldnCrashCards, Requirement
from engines.goldn_crash.effects import DISCARD_NEEDS, DOES, PLAY_NEEDS, GoldnCrashTable, draw_cards
from engines.goldn_crash.events import (
    CardMoved,
    CardPlayed,
    CardsDiscarded,
    CardSecured,
    CardsReturnedToHand,
    DiscardReason,
    GuestSecured,
    LastTurnCalled,
    MatchEnded,
    MatchSetUp,
    ObservedCardPlaced,
    SeatResigned,
    SeatSetUp,
    TreasureView,
    TurnPassed,
    TurnStarted,
)
from engines.goldn_crash.moves import CallBackFrom, DiscardCard, Draw, Manoeuvre, PassTurn, Place, PlaceObserved, PlayCard, SecureFrom
from engines.goldn_crash.state import (
    COLUMNS,
    ActionQuestion,
    ArrivalStep,
    CallBackQuestion,
    CallBackStep,
    GoldnCrashOptions,
    GoldnCrashState,
    ManoeuvreQuestion,
    ManoeuvreStep,
    ObserveQuestion,
    ObserveStep,
    SeatState,
    SecureQuestion,
    SecureStep,
    TurnStep,
    Zeppelin,
    beside,
    rival_of,
)
from engines.goldn_crash.view import build_view, redeal
from engines.kit.chance import Chance
from engines.kit.contract import Engine
from engines.kit.structs import Decision, Move, Outcome, Question, View
from engines.kit.violation import Violation

_OPEN_AT_START = 5
_HAND_AT_START = 5
_ACTIONS = 2
_GOES_TO_PILE = 3

_COLUMN_PAIRS = tuple(Manoeuvre(one, other) for one in COLUMNS for other in COLUMNS if one != other)


class GoldnCrash(Engine[GoldnCrashState]):
    """The rules, with one card set."""

    answers = {  # noqa: RUF012 - the contract declares it
        "ACTION": (Draw, PlayCard, DiscardCard, PassTurn),
        "SECURE": (SecureFrom,),
        "CALL_BACK": (CallBackFrom,),
        "MANOEUVRE": (Manoeuvre,),
        "OBSERVE": (PlaceObserved,),
    }
    wrong_move_rule = "TURN-7"
    cards: GoldnCrashCards

    def __init__(self, cards: GoldnCrashCards) -> None:
        super().__init__(cards)
        # Moves are values: the same ones are listed again and again.
        self._plays = {card: tuple(PlayCard(card, column) for column in COLUMNS) for card in cards.order}

    def set_up(self, table: GoldnCrashTable, seats: int, options: GoldnCrashOptions, ruleset: int) -> None:
        first_crew = options.seat_1_crew
        if first_crew is UNSET:  # SETUP-1
            first_crew = self.cards.crews[table.rng.below(2, "seat 1 crew")]
        crews = (first_crew, *(crew for crew in self.cards.crews if crew != first_crew))
        decks = [table.rng.shuffle(self.cards.decks[crew], f"seat {seat} deck") for seat, crew in enumerate(crews, 1)]
        robustness = [table.rng.shuffle(self.cards.robustness, f"seat {seat} zeppelins") for seat in range(1, seats + 1)]
        guests = table.rng.shuffle(self.cards.guests, "guests")
        first_seat = options.first_seat or table.rng.below(2, "first seat") + 1  # SETUP-6
        hands = _OPEN_AT_START + _HAND_AT_START
        table.state = GoldnCrashState(
            ruleset=ruleset,
            position=0,
            options=options,
            seats=[
                SeatState(
                    crew=crews[index],
                    deck=decks[index][: hands - 1 : -1],
                    deck_seen=[False] * (len(decks[index]) - hands),
                    hidden=decks[index][_OPEN_AT_START:hands],
                    shown=[],
                    observed=[],
                    discard=decks[index][:_OPEN_AT_START],  # SETUP-3
                    treasure=[],
                    columns=[[], [], []],
                    zeppelins=[Zeppelin(value) for value in robustness[index]],  # SETUP-4
                    guests=guests[3 * index : 3 * index + 3],  # SETUP-5
                )
                for index in range(seats)
            ],
            turn=1,
            active=first_seat,
            last_turn=False,
            plays=[0, 0, 0],
            box=guests[3 * seats :],
            stack=[TurnStep(_ACTIONS)],
        )
        table.emit(MatchSetUp(crews, first_seat))
        for number, own in enumerate(table.state.seats, 1):
            dealt = SeatSetUp(number, tuple(own.discard), tuple(own.guests), len(own.hidden), tuple(own.hidden))
            table.emit(dealt, private={"hand": (number,)})
        table.emit(TurnStarted(first_seat, 1, last_turn=False))

    def decisions(self, state: GoldnCrashState) -> list[Decision]:
        asked = _asked(state)
        return [] if asked is None else [Decision(state.active, state.active, *asked)]

    def candidates(self, state: GoldnCrashState, seat: int) -> list[Move]:
        own = state.seat(seat)
        match state.stack[-1]:
            case TurnStep():
                faces = sorted({*own.hidden, *own.shown}, key=self.cards.order.__getitem__)
                plays = (play for face in faces for play in self._plays[face])
                return [Draw(), *plays, *(DiscardCard(column) for column in COLUMNS), PassTurn()]
            case SecureStep():
                return [SecureFrom(column) for column in COLUMNS]
            case CallBackStep():
                return [CallBackFrom(column) for column in COLUMNS]
            case ManoeuvreStep():
                return list(_COLUMN_PAIRS)
            case ObserveStep():
                return [PlaceObserved(index, place) for index in range(1, len(own.observed) + 1) for place in Place]
        return []

    def violation(self, state: GoldnCrashState, seat: int, move: Move) -> Violation | None:
        own = state.seat(seat)
        match move:
            case PlayCard():
                return self._play_violation(state, seat, own, move)
            case Draw():
                return None if own.deck else violations.DECK_EMPTY_DRAW  # DRAW-2
            case DiscardCard(column):
                return self._discard_violation(state, seat, column)
            case PassTurn():
                return violations.PASS_NOT_ALLOWED if self._can_act(state, seat) else None  # TURN-5
            case SecureFrom(column):
                return self._secure_violation(state, column)
            case CallBackFrom(column):
                if column not in COLUMNS:
                    return violations.NO_SUCH_COLUMN
                return None if own.column(column) else violations.COLUMN_EMPTY_CALL_BACK  # CALL-1
            case Manoeuvre():
                return _manoeuvre_violation(own, move)
            case PlaceObserved(index):
                return None if 1 <= index <= len(own.observed) else violations.NO_SUCH_OBSERVED_CARD  # OBS-2
        raise TypeError(f"{move} is no move of this game")

    def apply(self, table: GoldnCrashTable, seat: int, move: Move) -> None:
        stack = table.state.stack
        match move:
            case Draw():
                self._take_action(table.state)
                draw_cards(table, seat, 1)
            case PlayCard(card, column):
                self._take_action(table.state)
                self._play(table, seat, card, column)
            case DiscardCard(column):
                self._take_action(table.state)
                self._discard(table, seat, column)
            case PassTurn():
                stack[-1] = TurnStep(0)
                table.emit(TurnPassed(seat))
            case SecureFrom(column):
                _secure(table, seat, column)
            case CallBackFrom(column):
                _call_back(table, seat, column)
            case Manoeuvre(from_column, to_column):
                _manoeuvre(table, seat, from_column, to_column)
            case PlaceObserved(index, place):
                _place(table, seat, index, place)

    def advance(self, table: GoldnCrashTable) -> bool:
        state = table.state
        match state.stack[-1]:
            case TurnStep(0):
                self._end_turn(table)
            case ArrivalStep(column):
                state.stack.pop()
                self._arrive(table, state.active, column)
            case SecureStep() | CallBackStep() | ManoeuvreStep():
                return self._answer_what_needs_no_asking(table)
            case ObserveStep() if not state.seat(state.active).observed:
                state.stack.pop()
            case _:
                return False
        return True

    def view(self, state: GoldnCrashState, viewer: int) -> View:
        return build_view(state, viewer, self.cards)

    def redeal(self, state: GoldnCrashState, viewer: int, rng: Chance) -> GoldnCrashState:
        return redeal(state, viewer, rng)

    def default_move(self, table: GoldnCrashTable, seat: int) -> Move:
        """Draw, or else a drawn one of the legal moves of the first legal kind: what is held is not told by it."""
        legal = [move for move in self.candidates(table.state, seat) if self.violation(table.state, seat, move) is None]
        first_kind = [move for move in legal if type(move) is type(legal[0])]
        return first_kind[0] if len(first_kind) == 1 else table.rng.pick(first_kind, "default move")

    def leave(self, table: GoldnCrashTable, seat: int) -> None:
        table.emit(SeatResigned(seat))
        self._end(table, "RESIGNATION", (rival_of(seat),))  # END-6

    def label(self, move: Move, state: GoldnCrashState) -> str:
        own, name = state.seat(state.active), self.cards.name_of
        match move:
            case Draw():
                return "Draw a card"
            case PlayCard(card, column):
                return f"Play {name[card]} in column {column}"
            case DiscardCard(column):
                return f"Discard {_last(own, column, name)} from column {column}"
            case PassTurn():
                return "Pass"
            case SecureFrom(column):
                return f"Secure {_last(own, column, name)} from column {column}"
            case CallBackFrom(column):
                return f"Call back {_last(own, column, name)} from column {column}"
            case Manoeuvre(from_column, to_column):
                return f"Move {_last(own, from_column, name)} from column {from_column} to column {to_column}"
            case PlaceObserved(index, place):
                where = "on top" if place is Place.TOP else "at the bottom"
                twin = f" ({index})" if own.observed.count(own.observed[index - 1]) > 1 else ""
                return f"Put {name[own.observed[index - 1]]}{twin} {where}"
        raise TypeError(f"{move} is no move of this game")

    def outcome(self, state: GoldnCrashState) -> Outcome | None:
        return state.outcome

    # ---- what forbids an action

    def _play_violation(self, state: GoldnCrashState, seat: int, own: SeatState, move: PlayCard) -> Violation | None:
        card, column = move.card, move.column
        if column not in COLUMNS:
            return violations.NO_SUCH_COLUMN
        if not own.holds(card):
            return violations.CARD_NOT_IN_HAND  # PLAY-1
        lengths = [len(cards) for cards in own.columns]
        length = lengths[column - 1]
        if length > min(lengths) and length == max(lengths):
            return violations.COLUMN_TOO_LONG  # PLAY-2
        return PLAY_NEEDS[self.cards.play_effect[card]](state, seat, column, self.cards)  # PLAY-3

    def _discard_violation(self, state: GoldnCrashState, seat: int, column: int) -> Violation | None:
        if column not in COLUMNS:
            return violations.NO_SUCH_COLUMN
        cards = state.seat(seat).column(column)
        if not cards:
            return violations.COLUMN_EMPTY_DISCARD  # DISC-1
        return DISCARD_NEEDS[self.cards.discard_effect[cards[-1]]](state, seat, column, self.cards)  # DISC-2

    def _secure_violation(self, state: GoldnCrashState, column: int) -> Violation | None:
        if column not in COLUMNS:
            return violations.NO_SUCH_COLUMN
        step = state.stack[-1]
        is_beside = isinstance(step, SecureStep) and column in beside(step.column)
        return None if is_beside else violations.COLUMN_NOT_ADJACENT_SECURE  # SEC-1

    def _can_act(self, state: GoldnCrashState, seat: int) -> bool:
        return any(self.violation(state, seat, move) is None for move in self.candidates(state, seat) if not isinstance(move, PassTurn))

    # ---- actions

    def _take_action(self, state: GoldnCrashState) -> None:
        step = state.stack[-1]
        if isinstance(step, TurnStep):
            step.actions_left -= 1  # TURN-2

    def _play(self, table: GoldnCrashTable, seat: int, card: str, column: int) -> None:
        state = table.state
        own = state.seat(seat)
        cards = own.column(column)
        own.lay_down(card)
        cards.append(card)
        state.plays[column - 1] += 1
        state.stack.append(ArrivalStep(column))
        table.emit(CardPlayed(seat, card, column))
        card_type = self.cards.type_of[card]
        times = sum(self.cards.type_of[lying] == card_type for lying in cards)  # PLAY-4
        DOES[self.cards.play_effect[card]](table, seat, column, times, self.cards)
        if all(zeppelin.destroyed for zeppelin in state.seat(rival_of(seat)).zeppelins):
            self._end(table, "ZEPPELINS_DESTROYED", (seat,))  # END-1

    def _discard(self, table: GoldnCrashTable, seat: int, column: int) -> None:
        own = table.state.seat(seat)
        card = own.column(column).pop()
        own.discard.append(card)
        table.emit(CardsDiscarded(seat, column, (card,), DiscardReason.ACTION))
        DOES[self.cards.discard_effect[card]](table, seat, column, 1, self.cards)

    # ---- what follows by itself

    def _answer_what_needs_no_asking(self, table: GoldnCrashTable) -> bool:
        """Carry out the answer that is the only one; give up a Secure that has nothing left to take (TURN-6, PLAY-4)."""
        state = table.state
        seat, step = state.active, state.stack[-1]
        if isinstance(step, SecureStep):
            filled = [column for column in beside(step.column) if state.seat(seat).column(column)] if step.times else []
            if not filled:
                state.stack.pop()
                return True
            legal: list[Move] = [SecureFrom(column) for column in filled]
        else:
            legal = [move for move in self.candidates(state, seat) if self.violation(state, seat, move) is None]
        if len(legal) != 1:
            return False
        self.apply(table, seat, legal[0])
        return True

    def _arrive(self, table: GoldnCrashTable, seat: int, column: int) -> None:
        """A card has come to a column: the guest first, then the clearing (CLEAR-1, CLEAR-2)."""
        own = table.state.seat(seat)
        cards = own.column(column)
        guest = own.guests[column - 1]
        if guest and self._is_met(guest, table.state, cards, column):
            own.guests[column - 1] = ""
            own.treasure.append(guest)  # GUEST-1
            table.emit(GuestSecured(seat, column, guest))
        types = [self.cards.type_of[card] for card in cards]
        if any(types.count(card_type) >= _GOES_TO_PILE for card_type in types):
            own.discard += cards  # CLEAR-3
            table.emit(CardsDiscarded(seat, column, tuple(cards), DiscardReason.THIRD_OF_TYPE))
            cards.clear()

    def _is_met(self, guest: str, state: GoldnCrashState, cards: list[str], column: int) -> bool:
        requirement = self.cards.guests[guest].requirement
        match requirement.kind:
            case Requirement.GOLD_IN_COLUMN:
                number = sum(self.cards.gold_of[card] for card in cards)  # GUEST-4
            case Requirement.PLAYED_THIS_TURN:
                number = state.plays[column - 1]  # GUEST-5
            case Requirement.CARDS_IN_COLUMN:
                number = len(cards)  # GUEST-6
            case Requirement.DIFFERENT_TYPES:
                number = len({self.cards.type_of[card] for card in cards})  # GUEST-7
            case Requirement.CARDS_OF_TYPE:
                number = sum(self.cards.type_of[card] == requirement.type for card in cards)  # GUEST-8, GUEST-9
        return number >= requirement.count

    def _end_turn(self, table: GoldnCrashTable) -> None:
        state = table.state
        if state.last_turn:
            self._count_up(table, "DECK_EMPTY")  # END-3
            return
        if not state.seat(state.active).deck:
            state.last_turn = True  # END-2
            table.emit(LastTurnCalled(state.active))
        elif state.turn >= 2 * state.options.round_limit:
            self._count_up(table, "ROUND_LIMIT")  # END-7
            return
        state.turn += 1
        state.active = rival_of(state.active)
        state.plays = [0, 0, 0]
        state.stack = [TurnStep(_ACTIONS)]
        table.emit(TurnStarted(state.active, state.turn, state.last_turn))

    # ---- the end

    def _count_up(self, table: GoldnCrashTable, reason: str) -> None:
        first, second = self._gold(table.state)
        winners = (1,) if first > second else (2,) if second > first else ()  # END-4, END-5
        self._end(table, reason, winners)

    def _end(self, table: GoldnCrashTable, reason: str, winners: tuple[int, ...]) -> None:
        state = table.state
        gold = tuple(self._gold(state))
        state.stack = []
        state.outcome = Outcome(winners, reason, gold)
        treasures = tuple(TreasureView(tuple(own.treasure), worth) for own, worth in zip(state.seats, gold, strict=True))
        table.emit(MatchEnded(reason, winners, gold, treasures))

    def _gold(self, state: GoldnCrashState) -> Iterator[int]:
        return (sum(self.cards.gold_of[card] for card in own.treasure) for own in state.seats)  # GOLD-3


# ---- questions


def _asked(state: GoldnCrashState) -> tuple[str, Question] | None:
    match state.stack:
        case [*_, TurnStep(actions_left)] if actions_left > 0:
            return "ACTION", ActionQuestion(actions_left)
        case [*_, SecureStep(column, times)]:
            return "SECURE", SecureQuestion(column, times)
        case [*_, CallBackStep()]:
            return "CALL_BACK", CallBackQuestion()
        case [*_, ManoeuvreStep()]:
            return "MANOEUVRE", ManoeuvreQuestion()
        case [*_, ObserveStep()]:
            return "OBSERVE", ObserveQuestion(len(state.seat(state.active).observed))
    return None


def _last(own: SeatState, column: int, name: dict[str, str]) -> str:
    cards = own.column(column)
    return name[cards[-1]] if cards else "nothing"


# ---- answers


def _manoeuvre_violation(own: SeatState, move: Manoeuvre) -> Violation | None:
    if move.from_column not in COLUMNS:
        return violations.NO_SUCH_FROM_COLUMN
    if move.to_column not in COLUMNS:
        return violations.NO_SUCH_TO_COLUMN
    if not own.column(move.from_column):
        return violations.COLUMN_EMPTY_MANOEUVRE
    return None if move.to_column in beside(move.from_column) else violations.COLUMN_NOT_ADJACENT_MANOEUVRE  # MAN-1


def _secure(table: GoldnCrashTable, seat: int, column: int) -> None:
    step, own = table.state.stack[-1], table.state.seat(seat)
    if isinstance(step, SecureStep):
        step.times -= 1
    card = own.column(column).pop()
    own.treasure.append(card)  # SEC-1, TREAS-1
    table.emit(CardSecured(seat, column, card))


def _call_back(table: GoldnCrashTable, seat: int, column: int) -> None:
    table.state.stack.pop()
    own = table.state.seat(seat)
    card = own.column(column).pop()
    own.shown.append(card)  # CALL-1
    table.emit(CardsReturnedToHand(seat, column, (card,)))


def _manoeuvre(table: GoldnCrashTable, seat: int, from_column: int, to_column: int) -> None:
    table.state.stack[-1] = ArrivalStep(to_column)
    own = table.state.seat(seat)
    card = own.column(from_column).pop()
    own.column(to_column).append(card)  # MAN-1
    table.emit(CardMoved(seat, from_column, to_column, card))


def _place(table: GoldnCrashTable, seat: int, index: int, place: Place) -> None:
    own = table.state.seat(seat)
    card = own.observed.pop(index - 1)
    at = len(own.deck) if place is Place.TOP else 0
    own.deck.insert(at, card)
    own.deck_seen.insert(at, True)  # OBS-3
    table.emit(ObservedCardPlaced(seat, place, card), private={"card": (seat,)})
