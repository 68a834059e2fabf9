"""Matches for tests, made and played through a caller."""

import random
from collections.abc import Callable
from typing import Any

from tests.serving import Answer, Caller

GAME = "goldn_crash"

Choose = Callable[[dict[str, Any], list[dict[str, Any]]], dict[str, Any]]
"""Chooses one of the legal moves, from the view and the moves as they came."""


class Played:
    """A match that tests play; ``open`` are the open decisions by seat."""

    def __init__(self, caller: Caller, created: dict[str, Any]) -> None:
        self.caller = caller
        self.match_id: str = created["match"]["matchId"]
        self.creator: str = created["creatorCredential"]
        self.spectator: str = created["spectatorCredential"]
        self.credentials: dict[int, str] = {seat["seat"]: seat["credential"] for seat in created["seats"]}
        self.open: dict[int, dict[str, Any]] = {decision["seat"]: decision for decision in created["match"]["decisions"]}
        self.outcome: dict[str, Any] | None = None
        self.version = created["match"]["version"]

    @property
    def decision(self) -> dict[str, Any] | None:
        """The open decision of the first seat that is asked."""
        return self.open[min(self.open)] if self.open else None

    @property
    def asked(self) -> str:
        assert self.decision is not None
        return self.credentials[self.decision["seat"]]

    def view(self, credential: str, **more: Any) -> dict[str, Any]:
        return self.must("GetMatch", credential, **more)["match"]

    def legal(self, credential: str | None = None, **more: Any) -> dict[str, Any]:
        return self.must("ListLegalMoves", credential or self.asked, **more)

    def apply(self, move_id: str, by: int = 0, **more: Any) -> Answer:
        """Answer the open decision of the seat ``by`` (0: of the first that is asked)."""
        seat = by or min(self.open)
        request = {"match_id": self.match_id, "decision_id": self.open[seat]["decisionId"], "move_id": move_id} | more
        return self.caller.call("ApplyMove", request, self.credentials[seat])

    def play(self, move_id: str, by: int = 0, **more: Any) -> dict[str, Any]:
        """Apply a move and follow what it opens."""
        answer = self.apply(move_id, by, **more)
        assert answer.ok, answer
        self.follow(answer.body)
        return answer.body

    def follow(self, played: dict[str, Any]) -> None:
        self.version = played["version"]
        self.outcome = played.get("outcome")
        for update in played["updates"]:
            for closed in update["decisionsClosed"]:
                assert self.open.pop(closed["seat"])["decisionId"] == closed["decisionId"]
            for opened in update["decisionsOpened"]:
                assert opened["seat"] not in self.open
                self.open[opened["seat"]] = opened

    def play_out(self, choose: Choose) -> dict[str, Any]:
        """Play to the end; returns the outcome."""
        listed: list[dict[str, Any]] = []
        while self.decision is not None:
            seat = self.decision["seat"]
            if not listed:
                listed = self.legal()["legalMoves"]
            chosen = choose({}, listed)
            played = self.play(chosen["moveId"], omit_view=True)
            listed = played["legalMoves"] if self.decision is not None and self.decision["seat"] == seat else []
        assert self.outcome is not None
        return self.outcome

    def must(self, method: str, credential: str, **more: Any) -> dict[str, Any]:
        answer = self.caller.call(method, {"match_id": self.match_id} | more, credential)
        assert answer.ok, (method, answer)
        return answer.body


def create(caller: Caller, **wanted: Any) -> Played:
    answer = caller.call("CreateMatch", {"game": GAME, "seats": [{}, {}]} | wanted)
    assert answer.ok, answer
    return Played(caller, answer.body)


def at_random(seed: int) -> Choose:
    rng = random.Random(seed)
    return lambda _view, moves: rng.choice(moves)
