"""What a viewer may know, and another truth that it could not tell apart; side by side, since each is the measure of the other."""

import msgspec
from msgspec import UNSET, UnsetType

from engines.goldn_crash.card_set import GoldnCrashCards
from engines.goldn_crash.events import TreasureView
from engines.goldn_crash.state import GoldnCrashOptions, GoldnCrashState, SeatState, TurnStep
from engines.kit.chance import Chance
from engines.kit.structs import View


class KnownCard(View, frozen=True):
    """A card of the own deck at a place that the seat has put it; ``position`` 1 is the top."""

    position: int
    card: str


class OwnView(View, frozen=True):
    """What only the seat itself knows."""

    hand: tuple[str, ...]
    known_deck: tuple[KnownCard, ...]
    observed: tuple[str, ...]


class ColumnView(View, frozen=True):
    """A column with its zeppelin and its guest."""

    cards: tuple[str, ...]
    guest: str | UnsetType
    destroyed: bool
    robustness: int | UnsetType
    withstood: int


class SeatView(View, frozen=True):
    """What a viewer may know of a seat. ``treasure_locked`` counts the cards up to and including the topmost guest."""

    crew: str
    deck_count: int
    hand_count: int
    observed_count: int
    discard: tuple[str, ...]
    treasure_count: int
    treasure_locked: int
    columns: tuple[ColumnView, ...]
    own: OwnView | None
    treasure: TreasureView | None


class OutcomeView(View, frozen=True):
    """How the match ended."""

    reason: str
    winners: tuple[int, ...]
    gold: tuple[int, ...]


class GoldnCrashView(View, frozen=True):
    """Everything that a viewer may know. ``active_seat`` and ``actions_left`` are 0 after the end."""

    options: GoldnCrashOptions
    turn: int
    active_seat: int
    actions_left: int
    last_turn: bool
    plays: tuple[int, ...]
    seats: tuple[SeatView, ...]
    box: tuple[str, ...]
    outcome: OutcomeView | None


def build_view(state: GoldnCrashState, viewer: int, cards: GoldnCrashCards) -> GoldnCrashView:
    """Build what a viewer (1, 2, or 0 for a spectator) may know."""
    outcome = state.outcome
    is_over = outcome is not None
    return GoldnCrashView(
        options=state.options,
        turn=state.turn,
        active_seat=0 if is_over else state.active,
        actions_left=sum([step.actions_left for step in state.stack if isinstance(step, TurnStep)]),
        last_turn=state.last_turn,
        plays=tuple(state.plays),
        seats=tuple([_seat_view(own, cards, is_own=number == viewer, is_over=is_over) for number, own in enumerate(state.seats, 1)]),
        box=tuple(sorted(state.box)),
        outcome=None if outcome is None else OutcomeView(outcome.reason, outcome.winners, outcome.scores),
    )


def _seat_view(own: SeatState, cards: GoldnCrashCards, *, is_own: bool, is_over: bool) -> SeatView:
    return SeatView(
        crew=own.crew,
        deck_count=len(own.deck),
        hand_count=len(own.hidden) + len(own.shown),
        observed_count=len(own.observed),
        discard=tuple(own.discard),
        treasure_count=len(own.treasure),
        treasure_locked=max([place for place, card in enumerate(own.treasure, 1) if card in cards.guests], default=0),
        columns=tuple(
            [
                ColumnView(
                    cards=tuple(column),
                    guest=guest or UNSET,
                    destroyed=zeppelin.destroyed,
                    robustness=zeppelin.robustness if zeppelin.destroyed or (is_own and zeppelin.seen) else UNSET,
                    withstood=zeppelin.withstood,
                )
                for column, guest, zeppelin in zip(own.columns, own.guests, own.zeppelins, strict=True)
            ]
        ),
        own=_own_view(own, cards) if is_own else None,
        treasure=TreasureView(tuple(own.treasure), sum([cards.gold_of[card] for card in own.treasure])) if is_own or is_over else None,
    )


def _own_view(own: SeatState, cards: GoldnCrashCards) -> OwnView:
    size = len(own.deck)
    return OwnView(
        hand=tuple(sorted((*own.hidden, *own.shown), key=cards.order.__getitem__)),
        known_deck=tuple([KnownCard(size - index, own.deck[index]) for index in range(size - 1, -1, -1) if own.deck_seen[index]]),
        observed=tuple(own.observed),
    )


def redeal(state: GoldnCrashState, viewer: int, rng: Chance) -> GoldnCrashState:
    """Make another state that this viewer could not tell from this one: what it has ever seen stays, the rest is dealt anew."""
    other = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=GoldnCrashState)
    for number, own in enumerate(other.seats, 1):
        if number == viewer:
            _redeal_own_deck(own, rng)
        else:
            _redeal_closed_cards(own, rng)
        _redeal_zeppelins(own, rng, is_own=number == viewer)
    return other


def _redeal_own_deck(own: SeatState, rng: Chance) -> None:
    closed = [index for index, seen in enumerate(own.deck_seen) if not seen]
    for index, card in zip(closed, rng.shuffle((own.deck[index] for index in closed), "own deck"), strict=True):
        own.deck[index] = card


def _redeal_closed_cards(own: SeatState, rng: Chance) -> None:
    """Deal deck, cards being looked at and hand anew out of one pool; what was shown stays in the hand."""
    deck, observed = len(own.deck), len(own.observed)
    pool = rng.shuffle((*own.deck, *own.observed, *own.hidden), "closed cards")
    own.deck, own.observed, own.hidden = pool[:deck], pool[deck : deck + observed], pool[deck + observed :]


def _redeal_zeppelins(own: SeatState, rng: Chance, *, is_own: bool) -> None:
    """Arrange the robustness values that the viewer does not know in any way that agrees with what each zeppelin has withstood."""
    closed = [zeppelin for zeppelin in own.zeppelins if not zeppelin.destroyed and not (is_own and zeppelin.seen)]
    values = [zeppelin.robustness for zeppelin in closed]
    while True:
        drawn = rng.shuffle(values, "zeppelins")
        if all(value > zeppelin.withstood for value, zeppelin in zip(drawn, closed, strict=True)):
            break
    for zeppelin, value in zip(closed, drawn, strict=True):
        zeppelin.robustness = value
