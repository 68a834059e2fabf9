"""What happens in Gold'n Crash, in sentences; what it asks; why it ends. A test holds the tables to the contract, so that nothing is forgotten."""

from collections.abc import Callable, Mapping
from typing import Any

from umpire.goldn_crash.v1 import goldn_crash_pb2 as gc
from umpire_terminal.voice import Voice, listed

HEADINGS = {
    "draw": "Draw",
    "play_card": "Play a card",
    "discard_card": "Discard for the discard effect",
    "pass_turn": "Pass",
    "secure_from": "Secure",
    "call_back_from": "Call back",
    "manoeuvre": "Move",
    "place_observed": "Put back",
}

REASONS = {
    "ZEPPELINS_DESTROYED": "the last zeppelin of a side fell",
    "DECK_EMPTY": "a deck ran out and the gold was counted",
    "ROUND_LIMIT": "the last round is over and the gold was counted",
    "RESIGNATION": "a seat gave up",
}


# ---- what is asked


def _action(question: gc.Question) -> str:
    left = question.action.actions_left
    return f"Your turn: {left} {'action' if left == 1 else 'actions'} left. What do you do?"


def _secure(question: gc.Question) -> str:
    again = f" ({question.secure.times} to take)" if question.secure.times > 1 else ""
    return f"Secure, in column {question.secure.column}: from which column beside it does the last card go to your treasure?{again}"


def _call_back(_question: gc.Question) -> str:
    return "Call Back: which column gives its last card back to your hand?"


def _manoeuvre(_question: gc.Question) -> str:
    return "Manoeuvre: which column's last card moves, and to which column beside it?"


def _observe(question: gc.Question) -> str:
    if question.observe.count == 1:
        return "Observe: does this card go on the top of your deck or to the bottom?"
    return f"Observe: {question.observe.count} cards. Which one do you put back next, on the top of your deck or at the bottom?"


QUESTIONS: Mapping[str, Callable[[gc.Question], str]] = {
    "action": _action,
    "secure": _secure,
    "call_back": _call_back,
    "manoeuvre": _manoeuvre,
    "observe": _observe,
}


# ---- what happened


def _match_set_up(event: gc.MatchSetUp, voice: Voice) -> str:
    crews = listed([f"{voice.who(seat)} with the crew {voice.name(crew)}" for seat, crew in enumerate(event.crews, 1)])
    return f"the table is laid: {crews}. The first turn: {voice.who(event.first_seat)}."


def _seat_set_up(event: gc.SeatSetUp, voice: Voice) -> str:
    whose = voice.whose(event.seat)
    hand = voice.names(event.hand) if event.hand else f"{event.hand_count} cards"
    return f"{whose} hand: {hand}. Discard pile, from the top: {voice.names(reversed(event.discard))}. Guests: {voice.names(event.guests)}."


def _turn_started(event: gc.TurnStarted, voice: Voice) -> str:
    return f"turn {event.turn}: {voice.who(event.seat)}{', for the last time' if event.last_turn else ''}."


def _cards_drawn(event: gc.CardsDrawn, voice: Voice) -> str:
    return f"{voice.who(event.seat)} drew {voice.names(event.cards) or _some(event.count)}."


def _card_played(event: gc.CardPlayed, voice: Voice) -> str:
    return f"{voice.who(event.seat)} played {voice.name(event.card)} in column {event.column}."


def _zeppelin_bombed(event: gc.ZeppelinBombed, voice: Voice) -> str:
    target = f"{voice.whose(event.target_seat)} zeppelin {event.column}"
    robustness = f" (robustness {event.robustness})" if event.HasField("robustness") else ""
    if event.destroyed:
        return f"{voice.who(event.seat)} destroyed {target}{robustness} with strength {event.strength}!"
    return f"{voice.who(event.seat)} bombed {target} with strength {event.strength}: it held{robustness}."


def _guest_lost(event: gc.GuestLost, voice: Voice) -> str:
    return f"{voice.name(event.guest)} left the game from above {voice.whose(event.seat)} column {event.column}."


def _cards_discarded(event: gc.CardsDiscarded, voice: Voice) -> str:
    cards, column = voice.names(event.cards), f"column {event.column}"
    match event.reason:
        case gc.DISCARD_REASON_ACTION:
            return f"{voice.who(event.seat)} discarded {cards} from {column}."
        case gc.DISCARD_REASON_BOARD:
            return f"{voice.whose(event.seat)} {column} was boarded: {cards} went to the discard pile."
        case gc.DISCARD_REASON_THIRD_OF_TYPE:
            return f"{voice.whose(event.seat)} {column} had three of a type and was cleared: {cards} went to the discard pile."
        case _:
            return f"{cards} went from {voice.whose(event.seat)} {column} to the discard pile."


def _cards_returned_to_hand(event: gc.CardsReturnedToHand, voice: Voice) -> str:
    if event.column == 0:
        return f"{voice.who(event.seat)} took {voice.names(event.cards)} from the discard pile to the hand."
    return f"{voice.who(event.seat)} called {voice.names(event.cards)} back from column {event.column} to the hand."


def _card_secured(event: gc.CardSecured, voice: Voice) -> str:
    return f"{voice.who(event.seat)} secured {voice.name(event.card)} from column {event.column} in the treasure."


def _safe_cracked(event: gc.SafeCracked, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} safe was cracked: {voice.name(event.card)} went to the discard pile."


def _card_moved(event: gc.CardMoved, voice: Voice) -> str:
    return f"{voice.who(event.seat)} moved {voice.name(event.card)} from column {event.from_column} to column {event.to_column}."


def _deck_observed(event: gc.DeckObserved, voice: Voice) -> str:
    top = "the top card" if event.count == 1 else f"the top {event.count} cards"
    seen = f": {voice.names(event.cards)}" if event.cards else ""
    return f"{voice.who(event.seat)} looked at {top} of {_own(event.seat, voice)} deck{seen}."


def _observed_card_placed(event: gc.ObservedCardPlaced, voice: Voice) -> str:
    card = voice.name(event.card) if event.HasField("card") else "a card"
    where = {gc.PLACE_TOP: "on the top of", gc.PLACE_BOTTOM: "at the bottom of"}.get(event.place, "back on")
    return f"{voice.who(event.seat)} put {card} {where} {_own(event.seat, voice)} deck."


def _card_looted(event: gc.CardLooted, voice: Voice) -> str:
    return f"{voice.who(event.seat)} looted {voice.name(event.card)} from {voice.whose(3 - event.seat)} discard pile."


def _guest_secured(event: gc.GuestSecured, voice: Voice) -> str:
    return f"{voice.name(event.guest)} came down to {voice.whose(event.seat)} treasure from above column {event.column}."


def _turn_passed(event: gc.TurnPassed, voice: Voice) -> str:
    return f"{voice.who(event.seat)} passed."


def _last_turn_called(event: gc.LastTurnCalled, voice: Voice) -> str:
    return f"{voice.whose(event.seat)} deck has run out: one last turn follows."


def _seat_resigned(event: gc.SeatResigned, voice: Voice) -> str:
    return f"{voice.who(event.seat)} gave up."


def _match_ended(event: gc.MatchEnded, voice: Voice) -> str:
    winners = listed([voice.who(seat) for seat in event.winners])
    gold = listed([f"{voice.who(seat)} {gold}" for seat, gold in enumerate(event.gold, 1)])
    return f"the match is over, {REASONS.get(event.reason, event.reason.lower())}. {f'Won by {winners}' if winners else 'A draw'}; gold: {gold}."


def _some(count: int) -> str:
    return "a card" if count == 1 else f"{count} cards"


def _own(seat: int, voice: Voice) -> str:
    return "your" if seat == voice.me else "the"


EVENTS: Mapping[str, Callable[[Any, Voice], str]] = {
    "match_set_up": _match_set_up,
    "seat_set_up": _seat_set_up,
    "turn_started": _turn_started,
    "cards_drawn": _cards_drawn,
    "card_played": _card_played,
    "zeppelin_bombed": _zeppelin_bombed,
    "guest_lost": _guest_lost,
    "cards_discarded": _cards_discarded,
    "cards_returned_to_hand": _cards_returned_to_hand,
    "card_secured": _card_secured,
    "safe_cracked": _safe_cracked,
    "card_moved": _card_moved,
    "deck_observed": _deck_observed,
    "observed_card_placed": _observed_card_placed,
    "card_looted": _card_looted,
    "guest_secured": _guest_secured,
    "turn_passed": _turn_passed,
    "last_turn_called": _last_turn_called,
    "seat_resigned": _seat_resigned,
    "match_ended": _match_ended,
}
