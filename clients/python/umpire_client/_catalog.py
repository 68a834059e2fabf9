"""What both clients ask the catalog, and the cards that they remember."""

from collections.abc import Iterator, Mapping

from umpire.v1.catalog_pb2 import Card, CardSet, Game, GameSummary, Rule
from umpire.v1.catalog_service_pb2 import GetCardSetRequest, GetGameRequest, ListGamesRequest, ListRulesRequest
from umpire_client._calling import Caller
from umpire_client._rpcs import GET_CARD_SET, GET_GAME, LIST_GAMES, LIST_RULES
from umpire_client._steps import Steps


class CardNames(Mapping[str, Card]):
    """The cards of a card set by id: ``cards["BOMB_2"].name``, ``.text``, ``.kind``."""

    def __init__(self, card_set: CardSet) -> None:
        self.id = card_set.summary.card_set
        self.title = card_set.summary.title
        self.digest = card_set.summary.digest
        self._cards = {card.card: card for card in card_set.cards}

    def __getitem__(self, card: str) -> Card:
        return self._cards[card]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self._cards)

    def name(self, card: str) -> str:
        """Return a card's English name, or the id itself if the set has no such card."""
        return self._cards[card].name if card in self._cards else card


class Catalog:
    """Asks the catalog; remembers card sets by digest, since one that is released never changes."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._cards: dict[tuple[str, str, str], CardNames] = {}

    def list_games(self) -> Steps[list[GameSummary]]:
        answer = yield from self._caller.call(LIST_GAMES, ListGamesRequest())
        return list(answer.games)

    def get_game(self, game: str) -> Steps[Game]:
        answer = yield from self._caller.call(GET_GAME, GetGameRequest(game=game))
        return answer.game

    def list_rules(self, game: str) -> Steps[list[Rule]]:
        answer = yield from self._caller.call(LIST_RULES, ListRulesRequest(game=game))
        return list(answer.rules)

    def cards(self, game: str, card_set: str, digest: str) -> Steps[CardNames]:
        known = self._cards.get((game, card_set, digest))
        if known is not None:
            return known
        if not card_set:
            default = (yield from self.get_game(game)).card_sets[0]
            names = yield from self.cards(game, default.card_set, digest or default.digest)
            self._cards[game, "", digest] = names
            return names
        answer = yield from self._caller.call(GET_CARD_SET, GetCardSetRequest(game=game, card_set=card_set))
        names = CardNames(answer.card_set)
        for key in ("", names.digest):
            self._cards[game, card_set, key] = names
        return names
