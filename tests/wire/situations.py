"""The situations in which a wire case begins, each made anew through the API. A situation is what a case's ``$names`` stand for."""

import json
import secrets
from typing import Any

import msgspec
from redis import Redis

from service.matches.record import Snapshot
from tests.serving import Caller

GAME = "goldn_crash"
SEED = "11" * 32


class Situation(dict[str, Any]):
    """Names and what they stand for."""

    def fill_in(self, value: Any) -> Any:
        match value:
            case str() if value.startswith("$"):
                return self[value[1:]]
            case dict():
                return {key: self.fill_in(part) for key, part in value.items()}
            case list():
                return [self.fill_in(part) for part in value]
        return value


class Situations:
    """Makes situations, through one caller and a look into the store where the API gives no way."""

    def __init__(self, caller: Caller, redis: Redis) -> None:
        self._caller = caller
        self._redis = redis

    def make(self, name: str) -> Situation:
        return Situation(getattr(self, name)() | {"long": "x" * 65, "longer": "x" * 1025, "huge": "é" * 9_000, "crowd": [{"display_name": "x" * 65}] * 500})

    def nothing(self) -> Situation:
        return Situation()

    def match(self, **wanted: Any) -> Situation:
        created = self._run("CreateMatch", {"game": GAME, "seats": [{}, {}], "seed": SEED} | wanted)
        other = self._run("CreateMatch", {"game": GAME, "seats": [{}, {}]})
        match_id = created["match"]["matchId"]
        credentials = [seat["credential"] for seat in created["seats"]]
        asked = next((decision["seat"] for decision in created["match"]["decisions"]), 1)
        return Situation(
            match_id=match_id,
            seat1=credentials[0],
            seat2=credentials[1],
            creator=created["creatorCredential"],
            spectator=created["spectatorCredential"],
            other=other["seats"][0]["credential"],
            forged=credentials[0][:-4] + ("AAAA" if credentials[0][-4:] != "AAAA" else "BBBB"),
            invite1=created["seats"][0]["invite"],
            decision=next((decision["decisionId"] for decision in created["match"]["decisions"]), 1),
            asked_seat=asked,
            asked=credentials[asked - 1],
            idle=credentials[2 - asked],
        )

    def hot_seat(self) -> Situation:
        return self.match(hot_seat=True)

    def invited(self) -> Situation:
        return self.match(invite=True)

    def half_claimed(self) -> Situation:
        situation = self.invited()
        claimed = self._run("ClaimSeat", {"match_id": situation["match_id"], "invite": situation["invite1"], "request_id": "claim-1"})
        return Situation(situation | {"seat1": claimed["credential"]})

    def renewed(self) -> Situation:
        situation = self.match()
        self._run("RenewInvite", {"match_id": situation["match_id"], "seat": 1}, situation["creator"])
        return situation

    def deleted(self) -> Situation:
        situation = self.match()
        self._run("DeleteMatch", {"match_id": situation["match_id"]}, situation["creator"])
        return situation

    def made_again(self) -> Situation:
        request = {"request_id": secrets.token_hex(8)}
        first = self.match(**request)
        self._run("DeleteMatch", {"match_id": first["match_id"]}, first["creator"])
        again = self.match(**request)
        assert again["match_id"] == first["match_id"]
        return first

    def moved(self) -> Situation:
        situation = self.match()
        move = {"match_id": situation["match_id"], "decision_id": 1, "move_id": "draw", "request_id": "first"}
        self._run("ApplyMove", move, situation["asked"])
        return situation

    def without_proof(self) -> Situation:
        return self.match(without_proof=True)

    def finished_without_proof(self) -> Situation:
        return self.finished(without_proof=True)

    def finished(self, **wanted: Any) -> Situation:
        """A match at its shortest: both seats draw until a deck runs out."""
        situation = self.match(**wanted)
        match_id, at = situation["match_id"], {"seat": situation["asked_seat"], "decisionId": 1}
        while True:
            move = {"match_id": match_id, "decision_id": at["decisionId"], "move_id": "draw", "omit_view": True, "omit_legal_moves": True}
            played = self._run("ApplyMove", move, situation[f"seat{at['seat']}"])
            if played["status"] == "MATCH_STATUS_FINISHED":
                return situation
            at = played["updates"][-1]["decisionsOpened"][0]

    def unreadable(self) -> Situation:
        situation = self.match()
        self._redis.hset(self._key(situation), "s", b"\xc1 no snapshot")
        return self._at_another_revision(situation)

    def of_a_newer_release(self) -> Situation:
        return self._rewritten(ruleset=99)

    def broken_inside(self) -> Situation:
        return self._rewritten(seats=[])

    def _rewritten(self, **changes: Any) -> Situation:
        situation = self.match()
        snapshot = msgspec.msgpack.decode(self._redis.hget(self._key(situation), "s"), type=Snapshot)
        changed = msgspec.structs.replace(snapshot, **changes)
        self._redis.hset(self._key(situation), "s", msgspec.msgpack.encode(changed))
        return self._at_another_revision(situation)

    def _at_another_revision(self, situation: Situation) -> Situation:
        self._redis.hincrby(self._key(situation), "r", 1)
        return situation

    def _key(self, situation: Situation) -> str:
        (key,) = self._redis.keys(f"*:match:{situation['match_id']}")
        return key

    def _run(self, method: str, request: dict[str, Any], credential: str = "") -> dict[str, Any]:
        answer = self._caller.call(method, request, credential)
        assert answer.ok, (method, json.dumps(request), answer)
        return answer.body
