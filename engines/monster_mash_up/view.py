"""What a viewer may know, and another truth that it could not tell apart; side by side, since each is the measure of the other."""

import msgspec

from engines.kit.chance import Chance
from engines.kit.structs import View
from engines.monster_mash_up.card_set import MonsterMashUpCards, Side
from engines.monster_mash_up.state import (
    MOST_FINGERS,
    BoostChoice,
    BoostKind,
    GameMode,
    MonsterMashUpOptions,
    MonsterMashUpState,
    SeatState,
)


class MonsterView(View, frozen=True, array_like=True):
    """A monster, by the ids of its two cards."""

    front: str
    back: str


class OwnView(View, frozen=True):
    """What only the seat itself knows: its hand, and what it has chosen that is not open yet."""

    hand: tuple[str, ...]
    committed_monster: MonsterView | None
    committed_choice: BoostChoice | None


class SeatView(View, frozen=True):
    """What a viewer may know of a seat. ``committed``: a monster or a choice is in that is not open yet. ``dice`` are empty before they are rolled."""

    scientist: str
    side: Side
    scientist_used: bool
    energy: int
    life: int
    heads: tuple[str, ...]
    hand_count: int
    committed: bool
    monster: MonsterView | None
    dice: tuple[int, ...]
    choice: BoostChoice | None
    disc: bool
    disc_earned: bool
    one_shown: bool
    rerolls: int
    attack_bonus: int
    damage_bonus: int
    shield: int
    own: OwnView | None


class OutcomeView(View, frozen=True):
    """How the match ended."""

    reason: str
    winners: tuple[int, ...]
    heads: tuple[int, ...]


class MonsterMashUpView(View, frozen=True):
    """Everything that a viewer may know. ``card_set`` says which numbers the ids stand for."""

    options: MonsterMashUpOptions
    mode: GameMode
    card_set: str
    battle: int
    round: int
    arena_space: int
    arena_level: int
    deck_count: int
    discard: tuple[str, ...]
    last_winner: int
    seats: tuple[SeatView, ...]
    outcome: OutcomeView | None


def build_view(state: MonsterMashUpState, viewer: int, cards: MonsterMashUpCards) -> MonsterMashUpView:
    """Build what a viewer (1, 2, or 0 for a spectator) may know; Dr. Entropy knows no more than a spectator."""
    outcome = state.outcome
    is_secret = not state.choices_are_open
    return MonsterMashUpView(
        options=state.options,
        mode=state.mode,
        card_set=cards.id,
        battle=state.battle,
        round=state.round,
        arena_space=state.arena,
        arena_level=cards.level(state.arena),
        deck_count=len(state.deck),
        discard=tuple(state.discard),
        last_winner=state.last_winner,
        seats=tuple(
            [_seat_view(own, is_own=number == viewer and number in state.asked_seats, choice_is_secret=is_secret) for number, own in enumerate(state.seats, 1)]
        ),
        outcome=None if outcome is None else OutcomeView(outcome.reason, outcome.winners, outcome.scores),
    )


def _seat_view(own: SeatState, *, is_own: bool, choice_is_secret: bool) -> SeatView:
    marks = own.marks
    return SeatView(
        scientist=own.scientist,
        side=own.side,
        scientist_used=marks.scientist_used,
        energy=own.energy,
        life=own.life,
        heads=tuple(own.heads),
        hand_count=len(own.hand),
        committed=bool(own.committed) or (choice_is_secret and marks.choice is not None),
        monster=MonsterView(own.front, own.back) if own.front else None,
        dice=tuple(marks.dice),
        choice=None if choice_is_secret else marks.choice,
        disc=marks.disc,
        disc_earned=marks.disc_earned,
        one_shown=marks.one_shown,
        rerolls=marks.rerolls,
        attack_bonus=marks.attack_bonus,
        damage_bonus=marks.damage_bonus,
        shield=marks.shield,
        own=_own_view(own, choice_is_secret=choice_is_secret) if is_own else None,
    )


def _own_view(own: SeatState, *, choice_is_secret: bool) -> OwnView:
    return OwnView(
        hand=tuple(own.hand),
        committed_monster=MonsterView(*own.committed) if own.committed else None,
        committed_choice=own.marks.choice if choice_is_secret else None,
    )


def redeal(state: MonsterMashUpState, viewer: int, rng: Chance) -> MonsterMashUpState:
    """Make another state that this viewer could not tell from this one: deck, hands and secret choices of others are dealt anew."""
    other = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=MonsterMashUpState)
    hidden = [own for seat, own in enumerate(other.seats, 1) if seat != viewer]
    pool = rng.shuffle((*other.deck, *[card for own in hidden for card in own.hand]), "closed cards")
    for own in hidden:
        own.hand, pool = pool[: len(own.hand)], pool[len(own.hand) :]
        if own.committed:
            own.committed = rng.shuffle(own.hand, "monster")[:2]
        if not other.choices_are_open and own.marks.choice is not None:
            own.marks.choice = rng.pick(_choices_of(own), "choice")
    other.deck = pool
    return other


def _choices_of(own: SeatState) -> list[BoostChoice]:
    boosts = [BoostChoice(BoostKind.BOOST, fingers) for fingers in range(min(MOST_FINGERS, own.energy) + 1)]
    return [*boosts, BoostChoice(BoostKind.DEFEND, 0), BoostChoice(BoostKind.PANIC, 0)]
