"""Rules and cards, looked up by what a person types of their names."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from umpire.v1.catalog_pb2 import Card, CardValue, Rule
from umpire_terminal.voice import Voice, clean, in_words

_MOST = 12


def show_rules(rules: Sequence[Rule], typed: str) -> RenderableType:
    """Show the rule with this id, or those whose ids begin so; without an id, all ids."""
    if not typed:
        return Text("Rules, each shown by r and its id: ").append(", ".join(clean(rule.rule) for rule in rules))
    wanted = typed.upper()
    found = [rule for rule in rules if rule.rule == wanted] or [rule for rule in rules if rule.rule.startswith(wanted)]
    if not found:
        return Text(f"There is no rule {clean(typed)}. r alone lists their ids.")
    return Group(*(_rule(rule) for rule in found[:_MOST]))


def show_cards(cards: Mapping[str, Card], typed: str, voice: Voice) -> RenderableType:
    """Show the card with this name or id, or those whose names begin so; without a name, all names."""
    if not typed:
        return voice.paint(f"Cards, each shown by c and its name: {', '.join(voice.name(card) for card in cards)}.")
    wanted = " ".join(typed.lower().replace("_", " ").split())
    found = _best(cards.values(), wanted)
    if not found:
        return Text(f"There is no card {clean(typed)}. c alone lists their names.")
    return Group(*(_card(card, voice) for card in found[:_MOST]))


def _best(cards: Iterable[Card], wanted: str) -> list[Card]:
    """Prefer an exact name to the beginning of one, and that to a part of one: "countess" finds "The Countess"."""
    named = [(card, {card.name.lower(), in_words(card.card)}) for card in cards]
    for fits in (str.__eq__, str.startswith, str.__contains__):
        found = [card for card, names in named if any(fits(name, wanted) for name in names)]
        if found:
            return found
    return []


def _rule(rule: Rule) -> Text:
    source = "a rule of this service" if rule.house else clean(rule.section)
    return Text(clean(rule.rule), "bold").append(f"  {clean(rule.text)}", "not bold").append(f" ({source})" if source else "", "italic not bold")


def _is_told(card: Card, value: CardValue) -> bool:
    """Whether the card's name or text has a value word for word."""
    return value.HasField("word") and (value.word in card.text or value.word in card.name)


def _card(card: Card, voice: Voice) -> Text:
    values = ", ".join(
        f"{in_words(value.name)} {value.number if value.HasField('number') else in_words(value.word)}" for value in card.values if not _is_told(card, value)
    )
    line = voice.card(card.card).append(f"  {clean(card.text)}" if card.text else "", "not bold default")
    copies = f", {card.copies} copies" if card.copies > 1 else ""
    return line.append(f" ({values}{copies})" if values or copies else "", "italic not bold default")
