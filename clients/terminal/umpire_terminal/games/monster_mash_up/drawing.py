"""The table of Monster Mash-Up: arena and tracks above, the two sides next to each other, the own hand below. Fits 80 columns.

What differs from the view drawn before is reversed and has a star, so that it can be seen without colour too.
"""

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire_terminal.games.monster_mash_up.cards import front_name, levels, said
from umpire_terminal.games.monster_mash_up.side import SideOfTable, marked
from umpire_terminal.voice import Voice, sentence

_WIDTH = 36
_MODES = {mm.GAME_MODE_DUEL: "a duel", mm.GAME_MODE_SOLO: "solo against Dr. Entropy"}


def draw_table(view: mm.View, before: mm.View | None, voice: Voice, *, full: bool) -> RenderableType:
    """Draw what a seat or a spectator (who sits with seat 1) may see."""
    own = voice.me or 1
    sides = [SideOfTable(view, before, seat, voice) for seat in (own, 3 - own) if seat <= len(view.seats)]
    table = Table(box=box.ROUNDED, show_header=False)
    for _ in sides:
        table.add_column(width=_WIDTH)
    for parts in zip(*([side.headline(), side.monster(), side.dice()] for side in sides), strict=True):
        if any(parts):
            table.add_row(*(Text("\n").join(part) for part in parts), end_section=True)
    return Group(_status(view, before, voice), table, *_hands(view, own, voice, full=full), *(_rest(view, voice) if full else ()))


def _status(view: mm.View, before: mm.View | None, voice: Voice) -> Text:
    line = Text("The match is over" if view.HasField("outcome") else f"Battle {view.battle}" if view.battle else "Before the first battle", "bold")
    line.append(f" · round {view.round}" if view.round and not view.HasField("outcome") else "")
    spaces = levels(voice) or {view.arena_space: view.arena_level}
    line.append(" · arena ", "not bold")
    for space, level in sorted(spaces.items()):
        here = space == view.arena_space
        moved = here and before is not None and before.arena_space != space
        line.append_text(marked(Text(f"[{level}]" if here else f" {level} ", "bold" if here else "dim not bold"), changed=moved))
    return line.append(f" damage {view.arena_level} · {view.options.heads_to_win or 2} heads win", "not bold")


def _hands(view: mm.View, own: int, voice: Voice, *, full: bool) -> Iterator[RenderableType]:
    """Show the own hand: as a table of fronts and backs while a monster is to be made of it."""
    seat = view.seats[own - 1]
    if seat.HasField("own") and seat.own.hand:
        if full or not (seat.HasField("monster") or view.HasField("outcome")):
            yield Text("Your hand: a front and another card's back make a monster", "italic")
            yield _halves(seat, voice)
        else:
            yield Text("Your hand: ").append_text(voice.paint(voice.names(seat.own.hand)))
    others = [
        f"{other.hand_count} in {voice.whose(number)} hand" for number, other in enumerate(view.seats, 1) if not other.HasField("own") and other.scientist
    ]
    cards = ", ".join([*others, *([f"{view.deck_count} in the deck"] if view.battle else [])])
    if cards:
        yield Text(f"Cards: {cards}.")


def _halves(seat: mm.SeatView, voice: Voice) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name, kind in (("front", ""), ("Life", "n"), ("Int", "n"), ("if", "t"), ("back", ""), ("Spec", "n"), ("Speed", "n"), ("then", "t")):
        table.add_column(name, justify="right" if kind == "n" else "left", no_wrap=kind != "t", header_style="italic")
    for card in seat.own.hand:
        table.add_row(
            voice.card(card) if not said(voice, card, "front") else Text(front_name(voice, card), voice.card(card).style),
            *(said(voice, card, value) for value in ("life", "intelligence", "if")),
            Text(said(voice, card, "back"), voice.card(card).style),
            *(said(voice, card, value) for value in ("special_attack", "speed", "then")),
        )
    return table


def _rest(view: mm.View, voice: Voice) -> Iterator[Text]:
    """Say what is seldom needed."""
    yield voice.paint(f"Discarded, in their order: {voice.names(view.discard) or 'nothing'}.")
    if view.battle > 1:
        yield Text(f"The last battle: {f'won by {voice.who(view.last_winner)}' if view.last_winner else 'won by nobody'}.")
    mode = _MODES.get(view.mode, "a new mode")
    yield Text(f"{sentence(mode)}, with the card set {voice.name(view.card_set)}. Life at 0: the monster dies, its front is the head that the other side wins.")
