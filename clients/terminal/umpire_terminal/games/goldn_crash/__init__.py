"""Gold'n Crash: ``wording`` says what happens, ``drawing`` draws the table."""

from umpire_terminal.games.goldn_crash.face import GoldnCrashFace

FACE = GoldnCrashFace()
