"""The words for seats and cards, from the point of view of the person who plays."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from rich.text import Text

from umpire.v1.catalog_pb2 import Card
from umpire.v1.match_pb2 import CONTROLLER_AUTOMATON, Match, Seat


class Voice:
    """Speaks of a match: its viewer is "you", a house bot "the bot", a card has its name of the catalog.

    ``automaton`` names whom the game's rules play; ``styles`` gives the colour of a card, by its id.
    """

    def __init__(self, match: Match, cards: Mapping[str, Card], styles: Mapping[str, str], automaton: str = "the automaton") -> None:
        self.me = match.viewer
        self.cards_by_id = cards
        self._styles = styles
        self._seats = {seat.seat: name for seat, name in zip(match.seats, _names(match.seats, automaton), strict=True)}
        by_name = {clean(card.name): styles.get(card_id, "") for card_id, card in cards.items()}
        self._styles_by_name = {name: style for name, style in by_name.items() if style}
        longest_first = sorted(self._styles_by_name, key=len, reverse=True)
        self._names = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b") if longest_first else None

    def who(self, seat: int) -> str:
        """Name a seat, as the subject of a sentence in the past tense."""
        return "you" if seat == self.me else self._seats.get(seat, f"seat {seat}" if seat else "nobody")

    def whose(self, seat: int) -> str:
        """Name a seat as the owner of something."""
        return "your" if seat == self.me else f"{self.who(seat)}'s"

    def name(self, card_id: str) -> str:
        """Name a card; one that the catalog does not have keeps its id."""
        card = self.cards_by_id.get(card_id)
        return clean(card.name) if card else clean(card_id)

    def names(self, card_ids: Iterable[str]) -> str:
        """List cards in words."""
        return listed([self.name(card_id) for card_id in card_ids])

    def card(self, card_id: str) -> Text:
        """Name a card in its colour."""
        return Text(self.name(card_id), self._styles.get(card_id, ""))

    def paint(self, sentence: str) -> Text:
        """Put the colours of the cards into a sentence that names them."""
        text = Text(clean(sentence))
        if self._names:
            for found in self._names.finditer(text.plain):
                text.stylize(self._styles_by_name[found.group()], *found.span())
        return text


def clean(text: str) -> str:
    r"""Leave out what could command the terminal: names come from other people.

    >>> clean("Ann\x1b[2J\n")
    'Ann[2J'
    """
    return "".join(letter for letter in text if unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Zl", "Zp"})


def listed(names: list[str], word: str = "and") -> str:
    """Put names into a row of words.

    >>> listed(["Fish 1", "Bomb 2", "Gold 4"])
    'Fish 1, Bomb 2 and Gold 4'
    """
    return f" {word} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def sentence(text: str) -> str:
    """Begin a sentence with a capital letter.

    >>> sentence("the bot passed.")
    'The bot passed.'
    """
    return text[:1].upper() + text[1:]


def in_words(name: str) -> str:
    """Turn a name of the contract into words.

    >>> in_words("CALL_BACK"), in_words("play_card")
    ('call back', 'play card')
    """
    return clean(name).replace("_", " ").lower()


def _names(seats: Iterable[Seat], automaton: str) -> Iterable[str]:
    """Name the seats, no two alike."""
    seats = list(seats)
    bots = sum(bool(seat.house_bot) for seat in seats)
    bot = "the bot" if bots == 1 else "bot {}"
    unnamed = [bot.format(clean(seat.house_bot)) if seat.house_bot else automaton if seat.controller == CONTROLLER_AUTOMATON else "" for seat in seats]
    given = [clean(seat.display_name).strip() or other for seat, other in zip(seats, unnamed, strict=True)]
    counted = Counter(name.lower() for name in given)
    for seat, name in zip(seats, given, strict=True):
        alone = counted[name.lower()] == 1 and name.lower() not in {"you", "nobody"}
        yield (name if alone else f"{name} (seat {seat.seat})") if name else f"seat {seat.seat}"
