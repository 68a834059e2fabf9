"""A person at a seat, from the first look at the table to the end of the match."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from rich.rule import Rule as Line
from rich.text import Text

from umpire.v1.catalog_pb2 import Card, Rule
from umpire.v1.match_pb2 import MATCH_STATUS_ABANDONED, MATCH_STATUS_FINISHED, MATCH_STATUS_WAITING, LegalMove, Match
from umpire.v1.match_service_pb2 import ListLegalMovesResponse
from umpire_client import DecisionClosed, IllegalMove, MatchFinished, NoOpenDecision, Seat
from umpire_terminal.games import find_face
from umpire_terminal.games.generic import inner
from umpire_terminal.lookup import show_cards, show_rules
from umpire_terminal.menu import Menu, NotUnderstood, draw_illegal, fitting
from umpire_terminal.screen import Ended, Screen, hanging
from umpire_terminal.telling import tell, tell_outcome
from umpire_terminal.voice import Voice, clean, listed

HELP = (
    ("a move", "its number, or the beginning of its name, or its move id: plays it"),
    ("?", "why other moves are not possible"),
    ("t", "the table again, with everything on it"),
    ("l", "the log: what has happened so far"),
    ("r RULE", "what a rule says, or all that begin so; r alone lists the rules"),
    ("c CARD", "what a card does, by its name or a part of it; c alone lists the cards"),
    ("h", "this help"),
    ("q", "leave; the match can be resumed"),
    ("*", "stands where something is new since you were last asked"),
)
_LOOK = 2.0
_RECENT = 8


class Sitting:
    """Plays a seat with the moves that a person types. ``rules`` are the game's."""

    def __init__(self, seat: Seat, match: Match, cards: Mapping[str, Card], rules: Sequence[Rule], screen: Screen) -> None:
        self._seat, self._cards, self._rules, self._screen = seat, cards, rules, screen
        self._face = find_face(match.game)
        self._styles = self._face.styles(cards)
        self._heard = 0
        self._log: list[str] = []
        self._before: Any = None
        self._see(match)

    def play(self) -> None:
        """Play until the match is over.

        Raises:
            Ended: the person leaves.
        """
        self._wait_for_people()
        self._listen(most=_RECENT)
        while True:
            asked = self._wait_for_turn()
            self._see(self._seat.get())
            self._listen()
            if self._over():
                return self._end()
            if asked.HasField("decision"):
                self._draw(full=False)
                self._decide(asked)
                self._before = inner(self._match.view)
                self._see(self._seat.get(omit_view=True))  # who else is asked now

    # ---- waiting

    def _wait_for_people(self) -> None:
        while self._match.status == MATCH_STATUS_WAITING:
            with contextlib.suppress(TimeoutError):
                self._seat.wait(timeout=_LOOK)
            self._see(self._seat.get())

    def _wait_for_turn(self) -> ListLegalMovesResponse:
        """Return once this seat is asked or the match is over; tells meanwhile what others do."""
        if not self._over() and not any(decision.seat == self._voice.me for decision in self._match.decisions):
            asked = listed([self._voice.who(decision.seat) for decision in self._match.decisions]) or "the others"
            self._screen.show(Text(f"Waiting for {asked} … (Ctrl-C leaves)", "italic"))
        while True:
            try:
                return self._seat.wait(timeout=_LOOK)
            except TimeoutError:
                self._listen()

    # ---- seeing

    def _see(self, match: Match) -> None:
        self._match = match
        self._voice = Voice(match, self._cards, self._styles, self._face.automaton)

    def _listen(self, most: int | None = None) -> None:
        """Tell what has happened since it was told last; of more than ``most`` sentences the last ones."""
        told: list[str] = []
        for update in self._seat.events(since_version=self._heard):
            told += tell(update, self._face, self._voice)
            self._heard = update.version
        self._log += told
        if most is not None and len(told) > most:
            self._screen.show(Text("… (l shows the whole log)", "italic"))
        self._screen.show_items("·", map(self._voice.paint, told[-most if most else 0 :]))

    def _draw(self, *, full: bool) -> None:
        self._screen.show(Line(style="default"), self._face.draw(inner(self._match.view), self._before, self._voice, full=full))

    # ---- deciding

    def _decide(self, asked: ListLegalMovesResponse) -> None:
        """Read lines until one of them is a move that was played, or the decision is open no more."""
        menu = Menu(asked.legal_moves, self._face.heading, self._note)
        question = Text(self._face.ask(asked.decision.kind, inner(asked.decision.question), self._voice), "bold")
        self._screen.show(Text(), question, menu.draw(self._voice))
        while True:
            typed = self._screen.ask()
            if typed.lower() in {"q", "quit"}:
                raise Ended
            if not typed:
                self._screen.show(question, menu.draw(self._voice))
            elif not self._explains(typed) and self._plays(menu, typed, asked.decision.decision_id):
                return

    def _note(self, move: LegalMove) -> str:
        return self._face.note(inner(move.move), inner(self._match.view), self._voice)

    def _explains(self, typed: str) -> bool:
        """Answer what asks for an explanation; False if it is none of these."""
        word, _, rest = typed.partition(" ")
        match word.lower(), rest.strip():
            case "h" | "help", "":
                self._screen.show(hanging(HELP))
            case "?", "":
                self._screen.show(draw_illegal(self._seat.legal_moves(include_illegal=True).illegal_moves, self._voice))
            case "t", "":
                self._draw(full=True)
            case "l", "":
                self._screen.show_items("·", map(self._voice.paint, self._log))
            case "r", rule:
                self._screen.show(show_rules(self._rules, rule))
            case "c", card:
                self._screen.show(show_cards(self._cards, card, self._voice))
            case _:
                return False
        return True

    def _plays(self, menu: Menu, typed: str, decision_id: int) -> bool:
        """Play what was typed; False if it is to be typed anew."""
        try:
            self._seat.apply(menu.choose(typed), decision_id=decision_id)
        except NotUnderstood as hint:
            impossible = [] if typed.isdecimal() else fitting(self._seat.legal_moves(include_illegal=True).illegal_moves, typed)
            self._screen.show(draw_illegal(impossible, self._voice) if impossible and not hint.ambiguous else Text(str(hint)))
            return False
        except IllegalMove as refused:
            self._screen.show(Text(clean(f"{refused.rule}  {refused.message}")))
            return False
        except (DecisionClosed, NoOpenDecision, MatchFinished):
            self._screen.show(Text("Something has happened meanwhile, and this is asked no more; here is the table now."))
        return True

    # ---- the end

    def _over(self) -> bool:
        return self._match.status in {MATCH_STATUS_FINISHED, MATCH_STATUS_ABANDONED}

    def _end(self) -> None:
        self._draw(full=True)
        outcome = self._match.outcome
        text = tell_outcome(outcome, self._face, self._voice) if self._match.HasField("outcome") else "The match was abandoned: no person is left."
        self._screen.show(Text(), Text(text, "bold"))
