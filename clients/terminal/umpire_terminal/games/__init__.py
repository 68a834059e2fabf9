"""How each game is drawn and worded: one module here for each game, found by the game's id. A game without one is shown as ``generic`` does it."""

import importlib
import re

from umpire_terminal.games.generic import Face


def find_face(game: str) -> Face:
    """Find how a game is shown: ``FACE`` of the module that has the game's id as its name, else the generic one."""
    name = f"{__name__}.{game}"
    if not re.fullmatch("[a-z][a-z0-9_]*", game):
        return Face()
    try:
        face = importlib.import_module(name).FACE
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return Face()
    if not isinstance(face, Face):
        raise TypeError(f"{name}.FACE is no Face")
    return face
