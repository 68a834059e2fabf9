"""A person at a seat, from the first look at the table to the end of the match."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from rich.rule import Rule as Line
from rich.text import Text

from umpire.v1.catalog_pb2 import Card, Rule
from umpire.v1.match_pb2 import MATCH_STATUS_ABANDONED, MATCH_STATUS_FINISHED, MATCH_STATUS_WAITING, Decision, LegalMove, Match, Update
from umpire.v1.match_service_pb2 import ListLegalMovesResponse
from umpire_client import DecisionClosed, IllegalMove, MatchFinished, NoOpenDecision, Seat, UmpireError, Unimplemented
from umpire_terminal.clock import time_left
from umpire_terminal.games import find_face
from umpire_terminal.games.generic import inner
from umpire_terminal.hearing import Hearing
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
    ("resign", "give the match up, for good"),
    ("*", "stands where something is new since you were last asked"),
)
_RECENT = 8
_TOO_LATE = "Something has happened meanwhile, and this is asked no more."
_ASKED_NO_MORE = "asked no more, Enter goes on"


class Sitting:
    """Plays a seat with the moves that a person types. ``rules`` are the game's."""

    def __init__(self, seat: Seat, match: Match, cards: Mapping[str, Card], rules: Sequence[Rule], screen: Screen) -> None:
        self._seat, self._cards, self._rules, self._screen = seat, cards, rules, screen
        self._face = find_face(match.game)
        self._styles = self._face.styles(cards)
        self._heard = 0
        self._log: list[str] = []
        self._before: Any = None
        self._telling = threading.Lock()
        self._asked_for: int | None = None
        self._is_answered_elsewhere = False
        self._see(match)

    def play(self) -> None:
        """Play until the match is over.

        Raises:
            Ended: the person leaves.
        """
        self._wait_for_people()
        self._catch_up(most=_RECENT)
        self._hearing = Hearing(self._seat, self._heard, self._tell_at_prompt)
        while True:
            self._wait_for_turn()
            self._see(self._seat.get())
            while self._heard < self._match.version:
                self._hear()
            asked = self._seat.legal_moves()
            if self._over():
                return self._end()
            if asked.HasField("decision") and asked.version == self._match.version:
                self._draw(full=False)
                self._decide(asked)
                self._before = inner(self._match.view)
                self._see(self._seat.get(omit_view=True))  # who else is asked now

    # ---- waiting

    def _wait_for_people(self) -> None:
        while self._match.status == MATCH_STATUS_WAITING:
            next(self._seat.watch(since_version=0), None)  # the deal
            self._see(self._seat.get())

    def _wait_for_turn(self) -> None:
        """Return once this seat is asked or the match is over; tells meanwhile what others do."""
        if self._match.version < self._heard:  # what was told already may ask this seat
            self._see(self._seat.get(omit_view=True))
        if self._over() or any(decision.seat == self._voice.me for decision in self._match.decisions):
            return
        while self._heard < self._match.version:  # what led here, the person's own move too
            self._hear()
        asked = listed([self._voice.who(decision.seat) for decision in self._match.decisions]) or "the others"
        self._screen.show(Text(f"Waiting for {asked} … (Ctrl-C leaves)", "italic"))
        while True:
            step = self._hear()
            if step is None or any(opened.seat == self._voice.me for opened in step.decisions_opened):
                return

    # ---- seeing

    def _see(self, match: Match) -> None:
        self._match = match
        self._voice = Voice(match, self._cards, self._styles, self._face.automaton)

    def _catch_up(self, most: int) -> None:
        """Tell what has happened so far; of more than ``most`` sentences the last ones."""
        told: list[str] = []
        for update in self._seat.events():
            told += self._worded(update)
        if len(told) > most:
            self._screen.show(Text("… (l shows the whole log)", "italic"))
        self._screen.show_items("·", map(self._voice.paint, told[-most:]))

    def _hear(self) -> Update | None:
        """Wait for the next step and tell it; None after the end of the match."""
        heard = self._hearing.heard.get()
        if isinstance(heard, UmpireError):
            raise heard
        if heard is not None:
            self._screen.show_items("·", map(self._voice.paint, self._worded(heard)))
        return heard

    def _tell_at_prompt(self) -> None:
        """Tell what is heard while the person is asked; called in the thread that hears."""
        with self._telling:
            if self._asked_for is None:
                return
            while not self._hearing.heard.empty():
                heard = self._hearing.heard.get()
                if heard is None:
                    self._is_answered_elsewhere = True
                elif isinstance(heard, UmpireError):
                    self._hearing = Hearing(self._seat, self._heard, self._tell_at_prompt)  # who is typing need not be disturbed by it
                else:
                    self._is_answered_elsewhere |= any(closed.decision_id == self._asked_for for closed in heard.decisions_closed)
                    hint = _ASKED_NO_MORE if self._is_answered_elsewhere else ""
                    self._screen.show_at_prompt("·", map(self._voice.paint, self._worded(heard)), hint)

    def _worded(self, update: Update) -> list[str]:
        told = list(tell(update, self._face, self._voice))
        self._heard = update.version
        self._log += told
        return told

    def _draw(self, *, full: bool) -> None:
        self._screen.show(Line(style="default"), self._face.draw(inner(self._match.view), self._before, self._voice, full=full))

    # ---- deciding

    def _decide(self, asked: ListLegalMovesResponse) -> None:
        """Read lines until one of them is a move that was played, or the decision is open no more."""
        menu = Menu(asked.legal_moves, self._face.heading, self._note)
        question = Text(self._face.ask(asked.decision.kind, inner(asked.decision.question), self._voice), "bold")
        self._screen.show(Text(), question, menu.draw(self._voice))
        while True:
            typed = self._ask(asked.decision)
            if typed.lower() in {"q", "quit"}:
                raise Ended
            if self._is_answered_elsewhere:
                return self._screen.show(Text(_TOO_LATE))
            if not typed:
                self._screen.show(question, menu.draw(self._voice))
            elif typed.lower() == "resign":
                if self._resigns():
                    return None
            elif not self._explains(typed) and self._plays(menu, typed, asked.decision.decision_id):
                return None

    def _ask(self, decision: Decision) -> str:
        """Read a line; tells meanwhile what others do, and with it how much time there is."""
        with self._telling:
            self._asked_for, self._is_answered_elsewhere = decision.decision_id, False
        try:
            return self._screen.ask(time_left(decision, self._match))
        finally:
            with self._telling:
                self._asked_for = None

    def _resigns(self) -> bool:
        """Leave the match if that is what is really wanted; False if not."""
        self._screen.show(Text("Give the match up for good? It cannot be resumed. Type yes to do so; anything else keeps you at the table."))
        if self._screen.ask().lower() != "yes":
            self._screen.show(Text("You stay."))
            return False
        try:
            self._seat.resign()
        except MatchFinished:
            self._screen.show(Text(_TOO_LATE))
        except Unimplemented:
            self._screen.show(Text("This server is of an older release, which knows no leaving for good."))
            return False
        return True

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
            self._screen.show(Text(_TOO_LATE))
        return True

    # ---- the end

    def _over(self) -> bool:
        return self._match.status in {MATCH_STATUS_FINISHED, MATCH_STATUS_ABANDONED}

    def _end(self) -> None:
        self._draw(full=True)
        outcome = self._match.outcome
        text = tell_outcome(outcome, self._face, self._voice) if self._match.HasField("outcome") else "The match was abandoned: no person is left."
        self._screen.show(Text(), Text(text, "bold"))
