"""The registered games: every folder beside this file that gives a ``GAME``."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import engines
from engines.kit.contract import Game


@cache
def games() -> Mapping[str, Game]:
    """Load all games, by id, in alphabetical order. A game whose card sets or rules cannot be read fails the load."""
    found: dict[str, Game] = {}
    for module in sorted(pkgutil.iter_modules(engines.__path__), key=lambda module: module.name):
        game = getattr(importlib.import_module(f"engines.{module.name}"), "GAME", None) if module.ispkg else None
        if isinstance(game, Game):
            _ = game.card_sets, game.rules  # loaded now: a fault must show at start, not in a match
            found[game.id] = game
    return MappingProxyType(found)
