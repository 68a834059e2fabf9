"""Matches for tests, made and played through a caller."""

import random
from collections.abc import Callable
from typing import Any

from tests.serving import Answer, Caller

GAME = "goldn_crash"

Choose = Callable[[dict[str, Any], list[dict[str, Any]]], dict[str, Any]]
"""Chooses one of the legal moves, from the view and the moves as they came."""


class Played:
    """A match with two seats that tests play."""

    def __init__(self, caller: Caller, created: dict[str, Any]) -> None:
        self.caller = caller
        self.match_id: str = created["match"]["matchId"]
        self.creator: str = created["creatorCredential"]
        self.spectator: str = created["spectatorCredential"]
        self.credentials: dict[int, str] = {seat["seat"]: seat["credential"] for seat in created["seats"]}
        self.decision: dict[str, Any] | None = (created["match"]["decisions"] or [None])[0]
        self.outcome: dict[str, Any] | None = None
        self.version = created["match"]["version"]

    @property
    def asked(self) -> str:
        assert self.decision is not None
        return self.credentials[self.decision["seat"]]

    def view(self, credential: str, **more: Any) -> dict[str, Any]:
        return self.must("GetMatch", credential, **more)["match"]

    def legal(self, credential: str | None = None, **more: Any) -> dict[str, Any]:
        return self.must("ListLegalMoves", credential or self.asked, **more)

    def apply(self, move_id: str, **more: Any) -> Answer:
        assert self.decision is not None
        request = {"match_id": self.match_id, "decision_id": self.decision["decisionId"], "move_id": move_id} | more
        return self.caller.call("ApplyMove", request, self.asked)

    def play(self, move_id: str, **more: Any) -> dict[str, Any]:
        """Apply a move and follow what it opens."""
        answer = self.apply(move_id, **more)
        assert answer.ok, answer
        self.follow(answer.body)
        return answer.body

    def follow(self, played: dict[str, Any]) -> None:
        self.version = played["version"]
        self.outcome = played.get("outcome")
        opened = played["updates"][-1]["decisionsOpened"]
        self.decision = opened[0] if opened else None

    def play_out(self, choose: Choose) -> dict[str, Any]:
        """Play to the end; returns the outcome."""
        listed: list[dict[str, Any]] = []
        while self.decision is not None:
            seat = self.decision["seat"]
            if not listed:
                listed = self.legal()["legalMoves"]
            chosen = choose({}, listed)
            played = self.play(chosen["moveId"], omit_view=True)
            following = played.get("decision")
            listed = played["legalMoves"] if following and following["seat"] == seat else []
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
