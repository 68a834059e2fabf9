"""CatalogService: what can be played, and by which rules and cards."""

from collections.abc import Mapping

from msgspec import UNSET

from engines.kit.cards import Card, CardSet
from engines.kit.contract import Game
from service import messages
from service.api.context import Context, Needs, needs
from service.matches.library import Library


class CatalogApi:
    """Handlers of ``umpire.v1.CatalogService``."""

    def __init__(self, library: Library) -> None:
        self._library = library

    @needs(Needs.NOTHING)
    async def list_games(self, _context: Context, _request: messages.ListGamesRequest) -> messages.ListGamesResponse:
        return messages.ListGamesResponse(games=tuple(_summary(hosted.game) for hosted in self._library.games.values()))

    @needs(Needs.NOTHING)
    async def get_game(self, _context: Context, request: messages.GetGameRequest) -> messages.GetGameResponse:
        game = self._library.find(request.game).game
        return messages.GetGameResponse(
            game=messages.Game(
                summary=_summary(game),
                options=tuple(
                    messages.OptionInfo(
                        name=info.name,
                        description=info.description,
                        default_value=info.default,
                        values=info.values,
                        minimum=UNSET if info.minimum is None else info.minimum,
                        maximum=UNSET if info.maximum is None else info.maximum,
                    )
                    for info in game.describe_options()
                ),
                card_sets=tuple(_card_set_summary(cards) for cards in game.card_sets.values()),
                decision_kinds=tuple(messages.DecisionKind(kind=kind, move_types=moves) for kind, moves in _decision_kinds(game).items()),
                end_reasons=game.end_reasons,
            )
        )

    @needs(Needs.NOTHING)
    async def list_rules(self, _context: Context, request: messages.ListRulesRequest) -> messages.ListRulesResponse:
        game = self._library.find(request.game).game
        return messages.ListRulesResponse(
            rules=tuple(messages.Rule(rule=rule.rule, text=rule.text, section=rule.section, house=rule.house) for rule in game.rules)
        )

    @needs(Needs.NOTHING)
    async def get_card_set(self, _context: Context, request: messages.GetCardSetRequest) -> messages.GetCardSetResponse:
        cards = self._library.find(request.game).named_card_set(request.card_set)
        return messages.GetCardSetResponse(card_set=messages.CardSet(summary=_card_set_summary(cards), cards=tuple(_card(card) for card in cards.cards)))


def _summary(game: Game) -> messages.GameSummary:
    return messages.GameSummary(
        game=game.id,
        title=game.title,
        modes=tuple(messages.Mode(mode=mode.id, title=mode.title, min_seats=mode.min_seats, max_seats=mode.max_seats) for mode in game.modes),
        house_bots=tuple(game.bots),
        ruleset=game.ruleset,
    )


def _decision_kinds(game: Game) -> Mapping[str, tuple[str, ...]]:
    """Collect the kinds of all modes, each with the types of moves that answer it."""
    answers = {kind: moves for mode in game.modes for kind, moves in mode.engine(game.default_card_set).answers.items()}
    return {kind: tuple(str(move.__struct_config__.tag) for move in moves) for kind, moves in answers.items()}


def _card_set_summary(cards: CardSet) -> messages.CardSetSummary:
    return messages.CardSetSummary(card_set=cards.id, title=cards.title, digest=cards.digest)


def _card(card: Card) -> messages.Card:
    return messages.Card(
        card=card.id,
        kind=card.kind,
        name=card.name,
        text=card.text,
        values=tuple(
            messages.CardValue(name=name, number=value) if isinstance(value, int) else messages.CardValue(name=name, word=value) for name, value in card.values
        ),
        copies=card.copies,
        provenance=card.provenance,
    )
