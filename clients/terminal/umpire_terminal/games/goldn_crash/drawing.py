"""The table of Gold'n Crash: the rival's side above, the own side below, column facing column.

On both sides a column's first card lies next to its zeppelin and its last card, which most effects take, nearest to its owner. Fits 80 columns. What differs
from the view drawn before is reversed and has a star, so that it can be seen without colour too.
"""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from umpire.goldn_crash.v1 import goldn_crash_pb2 as gc
from umpire_terminal.games.generic import CHANGED
from umpire_terminal.screen import hanging
from umpire_terminal.voice import Voice, in_words, sentence

_COLUMNS = range(3)
_WIDTH = 23
_SHOWN_OF_A_PILE = 4


def draw_table(view: gc.View, before: gc.View | None, voice: Voice, *, full: bool) -> RenderableType:
    """Draw what a seat or a spectator (who sits with seat 1) may see."""
    own = voice.me or 1
    far, near = (_SideOfTable(view, before, seat, voice, full=full) for seat in (3 - own, own))
    return Group(
        _status(view, voice),
        far.headline(),
        hanging(far.facts()),
        _columns(far, near),
        near.headline(),
        hanging(near.facts()),
        *(_rest(view, voice) if full else ()),
    )


def _status(view: gc.View, voice: Voice) -> Text:
    if not view.active_seat:
        return Text(f"Turn {view.turn}, the match is over", "bold")
    actions = "1 action" if view.actions_left == 1 else f"{view.actions_left} actions"
    status = Text(f"Turn {view.turn} · {voice.whose(view.active_seat)} turn · {actions} to come", "bold")
    plays = ", ".join(f"{count} in column {number}" for number, count in enumerate(view.plays, 1) if count)
    status.append(f" · played this turn: {plays}" if plays else "")
    return status.append(" · THE LAST TURN" if view.last_turn else "", "bold reverse")


def _columns(far: "_SideOfTable", near: "_SideOfTable") -> Table:
    table = Table(box=box.ROUNDED, show_header=False)
    for _ in _COLUMNS:
        table.add_column(width=_WIDTH, no_wrap=True)
    stacks = [[*reversed(far.cards(number))] for number in _COLUMNS]
    highest = max(map(len, stacks))
    table.add_row(*(_stack([Text()] * (highest - len(stack)) + stack) for stack in stacks))
    table.add_row(*(_stack([far.zeppelin(number), *far.guest(number)]) for number in _COLUMNS))
    table.add_section()
    table.add_row(*(Text(f"column {number + 1}", "bold", justify="center") for number in _COLUMNS))
    table.add_section()
    table.add_row(*(_stack([*near.guest(number), near.zeppelin(number)]) for number in _COLUMNS))
    table.add_row(*(_stack(near.cards(number)) for number in _COLUMNS))
    table.rows[0].end_section = table.rows[3].end_section = True
    return table


class _SideOfTable:
    """What lies on the side of one seat."""

    def __init__(self, view: gc.View, before: gc.View | None, seat: int, voice: Voice, *, full: bool) -> None:
        self._seat, self._voice, self._full = seat, voice, full
        self._now = view.seats[seat - 1]
        self._old = before.seats[seat - 1] if before is not None and len(before.seats) >= seat else None

    def headline(self) -> Text:
        """Say whose side it is, and how many cards lie where."""
        now, old = self._now, self._old
        line = Text(sentence(self._voice.who(self._seat)), "bold").append(f" ({self._voice.name(now.crew)})" if now.crew else "", "not bold")
        for name, count, was in (
            ("hand", now.hand_count, old and old.hand_count),
            ("deck", now.deck_count, old and old.deck_count),
            ("looks at", now.observed_count, old and old.observed_count),
            ("treasure", now.treasure_count, old and old.treasure_count),
        ):
            if count or name != "looks at":
                line.append("  ").append_text(_marked(Text(f"{name} {count}", "not bold"), changed=old is not None and count != was))
        line.append(f", {now.treasure_locked} locked" if now.treasure_locked else "", "not bold")
        return line.append(f", worth {now.treasure.gold} gold" if now.HasField("treasure") else "", "not bold")

    def facts(self) -> Iterator[tuple[str, Text]]:
        """List what lies beside the columns, a line for each kind."""
        now, old = self._now, self._old
        if now.HasField("own"):
            yield "  hand", self._cards(now.own.hand, None if old is None else old.own.hand)
            if now.own.observed:
                yield "  looking at", self._cards(now.own.observed, None)
            if now.own.known_deck:
                yield "  known of the deck", self._known_deck()
        shown = [*reversed(now.discard)]
        rest = 0 if self._full else max(0, len(shown) - _SHOWN_OF_A_PILE)
        pile = self._cards(shown[: len(shown) - rest], None if old is None else old.discard)
        yield "  discard, top first", pile.append(f" and {rest} more" if rest else "")
        if now.HasField("treasure"):
            yield "  treasure, top first", self._cards([*reversed(now.treasure.cards)], None if old is None else old.treasure.cards)

    def cards(self, column: int) -> list[Text]:
        """Name the cards of a column, first to last."""
        now = self._now.columns[column].cards
        old = None if self._old is None else self._old.columns[column].cards
        same = (
            len(now)
            if old is None
            else next((place for place, (one, other) in enumerate(zip(now, old, strict=False)) if one != other), min(len(now), len(old)))
        )
        if not now:
            return [_marked(Text("-"), changed=bool(old))]
        drawn = [_marked(self._voice.card(card), changed=place >= same) for place, card in enumerate(now)]
        if old is not None and len(old) > len(now) == same:
            drawn[-1].append(" *")
        if len(now) > 1:
            drawn[-1].append("  last", "dim")
        return drawn

    def zeppelin(self, column: int) -> Text:
        """Say what is known of a zeppelin."""
        now = self._now.columns[column]
        known = f" {now.robustness}" if now.HasField("robustness") else ""
        text = f"zeppelin{known} destroyed" if now.destroyed else f"ZEPPELIN {known.strip() or '?'}{f', held {now.withstood}' if now.withstood else ''}"
        old = None if self._old is None else self._old.columns[column]
        changed = old is not None and (old.destroyed, old.withstood) != (now.destroyed, now.withstood)
        return _marked(Text(text, "dim" if now.destroyed else "bold"), changed=changed)

    def guest(self, column: int) -> list[Text]:
        """Name a guest with what it wants and is worth."""
        now = self._now.columns[column]
        old = None if self._old is None else self._old.columns[column]
        if not now.HasField("guest"):
            return [_marked(Text("no guest", "dim"), changed=old is not None and old.HasField("guest"))]
        return [self._voice.card(now.guest), Text(f"  {wanted(now.guest, self._voice)}")]

    def _known_deck(self) -> Text:
        line = Text()
        for place, known in enumerate(self._now.own.known_deck):
            line.append(", " if place else "").append_text(self._voice.card(known.card)).append(f" as card {known.position} from the top")
        return line

    def _cards(self, cards: Sequence[str], old: Sequence[str] | None) -> Text:
        """List cards; those of which there were fewer before are marked."""
        left = None if old is None else list(old)
        line = Text()
        for place, card in enumerate(cards):
            changed = left is not None and card not in left
            if left is not None and not changed:
                left.remove(card)
            line.append(", " if place else "").append_text(_marked(self._voice.card(card), changed=changed))
        return line if cards else Text("-")


def wanted(guest: str, voice: Voice) -> str:
    """Say in a few letters what a guest wants and is worth; empty if the catalog does not say."""
    card = voice.cards_by_id.get(guest)
    if card is None:
        return ""
    words = {value.name: value.word for value in card.values if value.HasField("word")}
    numbers = {value.name: value.number for value in card.values if value.HasField("number")}
    count = numbers.get("count", 0)
    wish = {
        "GOLD_IN_COLUMN": f"{count} gold below",
        "PLAYED_THIS_TURN": f"{count} plays in a turn",
        "CARDS_IN_COLUMN": f"{count} cards",
        "DIFFERENT_TYPES": f"{count} types",
        "CARDS_OF_TYPE": f"{count} {sentence(in_words(words.get('type', 'cards')))}",
    }.get(words.get("requirement", ""), "")
    return ": ".join(filter(None, [wish, f"+{numbers.get('gold', 0)}"]))


def _rest(view: gc.View, voice: Voice) -> Iterator[Text]:
    if view.box:
        yield voice.paint(f"Out of the game: {voice.names(view.box)}.")
    options = view.options
    bombs = "every card of the column" if options.bomb_strength != gc.BOMB_STRENGTH_BOMB_CARDS else "the Bomb cards of the column"
    yield Text(f"A bombing counts {bombs}. Observe and Loot need a pile of {options.pile_minimum}. At most {options.round_limit} rounds.")


def _stack(lines: Sequence[Text]) -> Text:
    return Text("\n").join(lines)


def _marked(text: Text, *, changed: bool) -> Text:
    if changed:
        text.stylize(CHANGED)
        text.append(" *")
    return text
