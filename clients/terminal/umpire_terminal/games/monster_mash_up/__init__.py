"""Mint-Tin Monster Mash-Up: ``cards`` reads the catalog, ``questions`` and ``events`` say what is asked and what happens, ``drawing`` draws the table."""

from umpire_terminal.games.monster_mash_up.face import MonsterMashUpFace

FACE = MonsterMashUpFace()
