"""Refusals of the rules.

Violation: the rules forbid it. NotAsked: nobody asked this seat.
"""


class Violation(Exception):
    """A move that a rule forbids.

    ``code`` is the game's name for it, ``rule`` the id of the rule, ``message`` a sentence that a player can be shown, ``field`` the field of the
    move that is to blame ("" if none in particular).
    """

    def __init__(self, code: str, rule: str, message: str, field: str = "") -> None:
        super().__init__(f"{code} ({rule}): {message}")
        self.code = code
        self.rule = rule
        self.message = message
        self.field = field

    def anew(self) -> "Violation":
        """Make an equal one to raise: a game may keep its violations as constants, and raising writes a traceback into what is raised."""
        return Violation(self.code, self.rule, self.message, self.field)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Violation) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str, str, str]:
        return self.code, self.rule, self.message, self.field


class NotAsked(Exception):
    """The seat has no open decision."""


WRONG_MOVE_FOR_DECISION = "WRONG_MOVE_FOR_DECISION"
"""The code, common to all games, of a move that answers another kind of decision than the one that is open."""
