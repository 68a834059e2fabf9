"""A seat that the creator has given anew during a match: a step that everybody is told of, which is asked for through any door and proved in the end."""

import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from service.private_redis import PrivateRedis
from tests.end_to_end.test_proof import verify
from tests.end_to_end.test_watching import Broken, Stream, over_grpc, over_sse, reason_of
from tests.matchmaking import Played, at_random, create
from tests.serving import Caller, GrpcCaller, Serving

TAKEN_OVER = {
    "version": 2,
    "cause": "CAUSE_ADMIN",
    "seat": 1,
    "events": [{"match": {"takenOver": {"seat": 1}}}],
    "decisionsOpened": [],
    "decisionsClosed": [],
}


def updates(match: Played, credential: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = match.must("ListEvents", credential, page_size=500)["updates"]
    return found


def take_over(match: Played, seat: int = 1) -> str:
    """Take a seat over; returns its new credential."""
    renewed = match.must("RenewInvite", match.creator, seat=seat)
    credential: str = match.caller.call("ClaimSeat", {"match_id": match.match_id, "invite": renewed["invite"]}).body["credential"]
    return credential


def test_everybody_is_told_by_one_step_that_changes_nothing_else(caller: Caller) -> None:
    match = create(caller)
    before = match.view(match.credentials[2])
    newcomer = take_over(match)
    for credential in (match.spectator, match.creator, match.credentials[2], newcomer):
        assert updates(match, credential)[1:] == [TAKEN_OVER]
    after = match.view(match.credentials[2])
    differs = {name for name in after if after[name] != before[name]}
    assert differs <= {"version", "updateTime", "expireTime"}
    assert after["version"] == 2
    assert caller.call("ListEvents", {"match_id": match.match_id}, match.credentials[1]).reason == "CREDENTIAL_INVALID"


@pytest.mark.parametrize("is_asked", [True, False], ids=["the newcomer is asked", "the other seat is asked"])
def test_what_was_asked_before_is_answered_after_it(caller: Caller, is_asked: bool) -> None:
    match = create(caller)
    assert match.decision is not None
    asked = match.decision["seat"]
    seat = asked if is_asked else 3 - asked
    match.credentials[seat] = take_over(match, seat)
    assert match.legal(match.credentials[asked])["decision"] == match.decision
    match.play("draw", asked)
    assert match.version == 3


def test_before_the_deal_and_for_an_invite_that_nobody_took_there_is_no_step(caller: Caller) -> None:
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}], "invite": True}).body
    match = Played(caller, created)
    assert caller.call("ClaimSeat", {"match_id": match.match_id, "invite": created["seats"][0]["invite"]}).ok
    again = match.must("RenewInvite", match.creator, seat=1)["invite"]  # claimed, but nothing is dealt
    assert (match.view(match.spectator)["version"], updates(match, match.spectator)) == (0, [])
    for invite in (again, created["seats"][1]["invite"]):
        assert caller.call("ClaimSeat", {"match_id": match.match_id, "invite": invite}).ok
    assert match.view(match.spectator)["version"] == 1
    for _ in range(3):
        match.must("RenewInvite", match.creator, seat=1)
    assert [update["cause"] for update in updates(match, match.spectator)] == ["CAUSE_SET_UP", "CAUSE_ADMIN"]
    assert match.view(match.spectator)["seats"][0]["claimed"] is False


def test_the_past_is_shown_as_it_was_right_before_and_right_after_it(caller: Caller) -> None:
    match = create(caller)
    live = [caller.call("GetMatch", {"match_id": match.match_id}, match.credentials[2]).raw]
    match.must("RenewInvite", match.creator, seat=1)
    live.append(caller.call("GetMatch", {"match_id": match.match_id}, match.credentials[2]).raw)
    match.must("ResignSeat", match.credentials[2])
    for version, shown in enumerate(live, 1):
        assert caller.call("GetMatch", {"match_id": match.match_id, "at_version": version}, match.credentials[2]).raw == shown, version


def test_the_proof_shows_it_and_is_verified(caller: Caller, tmp_path: Path) -> None:
    match = create(caller, options={"goldn_crash": {"round_limit": 20}})
    match.play("draw")
    match.credentials[1] = take_over(match)
    match.play_out(at_random(4))
    match.credentials[1] = take_over(match)  # after the end: no step
    proof = match.must("GetProof", match.credentials[1])
    (step,) = [step for step in proof["steps"] if step["cause"] == "CAUSE_ADMIN"]
    assert (step["version"], step["seat"], step["moveId"], step["draws"], step["events"]) == (3, 1, "", [], TAKEN_OVER["events"])
    assert "move" not in step
    status, said = verify(json.dumps(proof).encode(), tmp_path)
    assert status == 0, said


def test_it_counts_as_no_move(redis_server: PrivateRedis, key_prefix: str) -> None:
    own = Serving(redis_server.url, key_prefix=key_prefix).start()
    caller = GrpcCaller(own)
    match = create(caller)
    match.credentials[1] = take_over(match)
    match.play("draw")
    counted = httpx.get(f"http://127.0.0.1:{own.ops_ports[0]}/metrics").text
    moves = [line for line in counted.splitlines() if line.startswith("umpire_moves_total{")]
    assert len(moves) == 1
    assert 'cause="PERSON"' in moves[0]
    assert moves[0].endswith(" 1.0")
    caller.close()
    own.stop()


class Listener(threading.Thread):
    """Watches or plays a match as a viewer; keeps the steps that it is told, and why it was cut off."""

    def __init__(self, messages: Iterable[dict[str, Any]]) -> None:
        super().__init__()
        self.heard: list[dict[str, Any]] = []
        self.has_begun = threading.Event()
        self.reason = ""
        self._messages = messages

    def run(self) -> None:
        try:
            for message in self._messages:
                self.heard += message["updates"] if "updates" in message else [message["update"]] if message.get("update") else []
                if self.heard:
                    self.has_begun.set()
        except Broken as broken:
            self.reason = str(broken)
        except grpc.RpcError as error:
            self.reason = reason_of(error)


@pytest.mark.parametrize("way", ["grpc", "sse", "play"])
def test_all_who_watch_see_it_once_and_who_had_the_seat_is_cut_off(callers: dict[str, Caller], serving: Serving, way: str) -> None:
    caller = callers["grpc"]
    assert isinstance(caller, GrpcCaller)
    match = create(caller)

    def listen(viewer: int) -> Listener:
        credential = match.credentials.get(viewer, match.spectator)
        if way == "play" and viewer:
            return Listener(Stream(caller, match, viewer))
        messages = over_sse(serving, match.match_id, credential, since_version=0) if way == "sse" else None
        return Listener(messages or over_grpc(caller, match.match_id, credential, since_version=0))

    listeners = {viewer: listen(viewer) for viewer in (0, 1, 2)}
    for listener in listeners.values():
        listener.start()
    assert all(listener.has_begun.wait(30) for listener in listeners.values())
    match.credentials[1] = take_over(match)
    listeners[1].join(30)
    assert listeners[1].reason == "CREDENTIAL_INVALID"
    assert [update["version"] for update in listeners[1].heard] == [1]
    match.must("ResignSeat", match.credentials[1])
    for viewer in (0, 2):
        listeners[viewer].join(30)
        assert listeners[viewer].heard == updates(match, match.credentials.get(viewer, match.spectator))
        assert listeners[viewer].heard[1:2] == [TAKEN_OVER]
