"""Matches of every game whose moves are known before the clock starts.

One of each seed is played at random and written down; its moves fit every further match of that seed.
"""

import random
from typing import Any, NamedTuple

from loadtests.bench.matches import Answer, ask


class Kind(NamedTuple):
    """What is played: a game in one of its modes, persons at all seats."""

    game: str
    mode: str
    seats: int

    @property
    def name(self) -> str:
        return f"{self.game} {self.mode}"


class Fresh:
    """A match that was just made."""

    def __init__(self, http: str, kind: Kind, seed: str) -> None:
        created = ask(f"{http}/v1/matches", {"game": kind.game, "seats": [{}] * kind.seats, "seed": seed})
        self.match_id: str = created["match"]["matchId"]
        self.credentials: dict[int, str] = {seat["seat"]: seat["credential"] for seat in created["seats"]}
        self.spectator: str = created["spectatorCredential"]
        self.first: list[dict[str, Any]] = created["match"]["decisions"]


class Recording(NamedTuple):
    """A seed and the moves of its match."""

    seed: str
    moves: list[Answer]


def kinds(http: str) -> list[Kind]:
    """List what can be played, from the catalog."""
    return [Kind(game["game"], mode["mode"], mode["minSeats"]) for game in ask(f"{http}/v1/games")["games"] for mode in game["modes"]]


def record(http: str, kind: Kind, number: int) -> Recording:
    """Play a match at random to its end."""
    rng, seed = random.Random(number), f"{number + 1:064x}"
    match = Fresh(http, kind, seed)
    url = f"{http}/v1/matches/{match.match_id}"
    is_open = {decision["seat"]: decision["decisionId"] for decision in match.first}
    moves = []
    while is_open:
        seat = min(is_open)
        legal = ask(f"{url}/legal-moves", credential=match.credentials[seat])["legalMoves"]
        move = Answer(seat, is_open[seat], rng.choice(legal)["moveId"])
        moves.append(move)
        for update in ask(f"{url}/moves", {"decisionId": move.decision_id, "moveId": move.move_id}, match.credentials[seat])["updates"]:
            for closed in update["decisionsClosed"]:
                if is_open.get(closed["seat"]) == closed["decisionId"]:
                    del is_open[closed["seat"]]
            is_open |= {opened["seat"]: opened["decisionId"] for opened in update["decisionsOpened"]}
    return Recording(seed, moves)
