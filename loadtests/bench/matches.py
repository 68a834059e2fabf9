"""Matches whose moves are known before the clock starts: one of a fixed seed is played and written down, and its moves fit every further match of that seed."""

import json
import random
import urllib.request
from collections.abc import Iterator
from typing import Any, NamedTuple

from loadtests.bench.http1 import http_call
from loadtests.bench.http2 import GrpcCall

SEED = "42" * 32
_NEW: dict[str, Any] = {"game": "goldn_crash", "seats": [{}, {}]}


class Answer(NamedTuple):
    """A move as it was written down."""

    seat: int
    decision_id: int
    move_id: str


class Fresh:
    """A match that was just made, by default with the seed that all matches of prebuilt calls have."""

    def __init__(self, http: str, seed: str = SEED) -> None:
        created = ask(f"{http}/v1/matches", _NEW | {"seed": seed})
        self.match_id: str = created["match"]["matchId"]
        self.credentials: dict[int, str] = {seat["seat"]: seat["credential"] for seat in created["seats"]}
        self.first: dict[str, Any] = created["match"]["decisions"][0]


def ask(url: str, body: dict[str, Any] | None = None, credential: str = "") -> dict[str, Any]:
    """Call the service in the ordinary way."""
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {credential}"} if credential else {})
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        loaded: dict[str, Any] = json.load(answer)
        return loaded


def write_down(http: str) -> list[Answer]:
    """Play a match at random and return its moves."""
    return list(play_at_random(http, Fresh(http), random.Random(1)))


def play_at_random(http: str, match: Fresh, rng: random.Random) -> Iterator[Answer]:
    """Play a match to its end, giving each move once it is made."""
    decision: dict[str, Any] | None = match.first
    while decision is not None:
        credential = match.credentials[decision["seat"]]
        legal = ask(f"{http}/v1/matches/{match.match_id}/legal-moves", credential=credential)["legalMoves"]
        move = Answer(decision["seat"], decision["decisionId"], rng.choice(legal)["moveId"])
        opened = _make(http, match, move)["updates"][-1]["decisionsOpened"]
        decision = opened[0] if opened else None
        yield move


def advance(http: str, moves: list[Answer]) -> Fresh:
    """Make a match and play the given moves."""
    match = Fresh(http)
    for move in moves:
        _make(http, match, move)
    return match


def apply_by_grpc(match: Fresh, moves: list[Answer], *, lean: bool = False) -> list[GrpcCall]:
    """Build ApplyMoveRequests, field by field as the contract numbers them; ``lean`` asks for neither view nor legal moves."""
    tail = b"\x38\x01\x40\x01" if lean else b""
    return [
        GrpcCall(match.credentials[seat], _text(1, match.match_id) + b"\x18" + _varint(decision) + _text(4, move) + _text(6, f"request-{decision}") + tail)
        for seat, decision, move in moves
    ]


def apply_by_http(match: Fresh, moves: list[Answer], *, lean: bool = False) -> list[bytes]:
    """Build the same calls for REST."""
    tail = {"omitView": True, "omitLegalMoves": True} if lean else {}
    calls = []
    for seat, decision, move in moves:
        body = {"decisionId": decision, "moveId": move, "requestId": f"request-{decision}"} | tail
        calls.append(http_call("POST", f"/v1/matches/{match.match_id}/moves", match.credentials[seat], json.dumps(body).encode()))
    return calls


def watch_by_grpc(match: Fresh, seat: int) -> GrpcCall:
    """Build the opening of a PlayMatch from the deal on."""
    return GrpcCall(match.credentials[seat], _inside(1, _text(1, match.match_id)))


def play_by_grpc(move: Answer) -> bytes:
    """Build the same move for PlayMatch."""
    return _inside(2, b"\x08" + _varint(move.decision_id) + _text(2, move.move_id) + _text(4, f"request-{move.decision_id}"))


def read_by_grpc(match: Fresh, seat: int) -> GrpcCall:
    """Build a GetMatchRequest, or a ListLegalMovesRequest: they begin alike."""
    return GrpcCall(match.credentials[seat], _text(1, match.match_id))


def create_by_grpc() -> GrpcCall:
    """Build a CreateMatchRequest for two persons."""
    return GrpcCall("", _text(1, _NEW["game"]) + b"\x22\x00" * len(_NEW["seats"]))


def create_by_http() -> bytes:
    """Build the same call for REST."""
    return http_call("POST", "/v1/matches", "", json.dumps(_NEW).encode())


def _make(http: str, match: Fresh, move: Answer) -> dict[str, Any]:
    body = {"decisionId": move.decision_id, "moveId": move.move_id}
    return ask(f"{http}/v1/matches/{match.match_id}/moves", body, match.credentials[move.seat])


def _varint(number: int) -> bytes:
    return bytes((number,)) if number < 128 else bytes((number & 127 | 128,)) + _varint(number >> 7)


def _text(number: int, text: str) -> bytes:
    return _inside(number, text.encode())


def _inside(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data
