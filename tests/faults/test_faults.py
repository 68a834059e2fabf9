"""Workers and the store are taken away under load: nothing acknowledged is lost, nothing is applied twice, and the service heals by itself."""

import os
import signal
import threading
import time
import uuid
from collections.abc import Iterator

import pytest

from service.private_redis import PrivateRedis
from tests.matchmaking import Played, create
from tests.serving import Caller, GrpcCaller, RestCaller, Serving


@pytest.fixture(params=[GrpcCaller, RestCaller], ids=["grpc", "rest"])
def caller(request: pytest.FixtureRequest, served: Serving) -> Iterator[Caller]:
    made = request.param(served)
    yield made
    made.close()


class Player(threading.Thread):
    """Plays a match by drawing, each move with a request_id, repeated until it is settled. Keeps what was acknowledged."""

    def __init__(self, caller: Caller, stop: threading.Event, pace: float = 0) -> None:
        super().__init__(daemon=True)
        self.match = create(caller)
        self.acknowledged: list[tuple[int, int]] = []
        self.repeated = 0
        self.died: BaseException | None = None
        self._stop_now, self._pace = stop, pace

    def run(self) -> None:
        try:
            self._play()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
            self.died = error

    def _play(self) -> None:
        while not self._stop_now.is_set() and self.match.decision is not None:
            decision, request_id = self.match.decision["decisionId"], uuid.uuid4().hex
            while True:
                answer = self._try(request_id)
                if answer is not None:
                    break
                self.repeated += 1
                time.sleep(0.02)
            self.acknowledged.append((decision, answer["appliedVersion"]))
            self.match.follow(answer)
            time.sleep(self._pace)

    def _try(self, request_id: str) -> dict | None:
        try:
            answer = self.match.apply("draw", request_id=request_id, omit_view=True)
        except Exception:  # noqa: BLE001 - the connection broke: nobody knows
            return None
        # A worker that stops leaves calls that it has not begun as CANCELLED.
        assert answer.ok or answer.code in {"UNAVAILABLE", "CANCELLED"}, answer
        return answer.body if answer.ok else None


def check_history(match: Played, acknowledged: list[tuple[int, int]]) -> None:
    """Every acknowledged move is in the log at its version, and each decision was answered once."""
    updates = match.must("ListEvents", match.spectator, page_size=500)["updates"]
    assert [update["version"] for update in updates] == list(range(1, len(updates) + 1))
    closed_at = {closed["decisionId"]: update["version"] for update in updates for closed in update["decisionsClosed"]}
    assert len(closed_at) == sum(len(update["decisionsClosed"]) for update in updates)
    for decision, version in acknowledged:
        assert closed_at[decision] == version
    moves = [update for update in updates if update["cause"] == "CAUSE_PERSON"]
    assert len(moves) in {len(acknowledged), len(acknowledged) + 1}


def test_kill_9_of_a_worker_under_load_loses_nothing(served: Serving, caller: Caller) -> None:
    stop = threading.Event()
    players = [Player(type(caller)(served, caller.contract), stop) for _ in range(8)]
    for player in players:
        player.start()
    for round_ in range(3):
        time.sleep(0.4)
        victim = served.processes[round_ % 2]
        victim.kill()
        victim.wait()
        served.processes[round_ % 2] = served.start_worker(round_ % 2)
        served.wait_until_ready()
    stop.set()
    for player in players:
        player.join(20)
        assert not player.is_alive()
        assert player.died is None
    assert sum(len(player.acknowledged) for player in players) > 50
    for player in players:
        player.match.caller = caller
        check_history(player.match, player.acknowledged)


def test_a_frozen_store_is_said_within_two_seconds_and_healed_from(own_redis: PrivateRedis, caller: Caller) -> None:
    match = create(caller)
    match.play("draw")
    assert own_redis.process is not None
    os.kill(own_redis.process.pid, signal.SIGSTOP)
    try:
        started = time.monotonic()
        unknown = match.apply("draw", request_id="lost")
        read = caller.call("GetMatch", {"match_id": match.match_id}, match.spectator)
        took = time.monotonic() - started
    finally:
        os.kill(own_redis.process.pid, signal.SIGCONT)
    assert (unknown.code, unknown.reason, unknown.metadata["applied"]) == ("UNAVAILABLE", "STORE_UNAVAILABLE", "UNKNOWN")
    assert (read.code, read.reason, read.metadata["applied"]) == ("UNAVAILABLE", "STORE_UNAVAILABLE", "NO")
    assert unknown.retry
    assert took < 2 * 2
    settled = _until_available(lambda: match.apply("draw", request_id="lost"))
    assert settled.body["appliedVersion"] == 3
    assert match.view(match.spectator)["version"] == 3, "applied once, whether the lost commit was carried out or not"


def test_a_store_that_is_killed_and_comes_back_has_every_acknowledged_move(own_redis: PrivateRedis, served: Serving, caller: Caller) -> None:
    match = create(caller)
    for _ in range(5):
        match.play("draw")
    assert own_redis.process is not None
    own_redis.process.kill()
    own_redis.process.wait()
    away = match.apply("draw", request_id="away")
    assert (away.code, away.reason, away.metadata["applied"]) == ("UNAVAILABLE", "STORE_UNAVAILABLE", "NO")
    own_redis.start()
    settled = _until_available(lambda: match.apply("draw", request_id="away"))
    assert settled.body["appliedVersion"] == 7
    served.wait_until_ready()
    assert match.view(match.spectator)["version"] == 7


def _until_available(call):
    deadline = time.monotonic() + 10
    while True:
        answer = call()
        if answer.ok:
            return answer
        assert answer.code == "UNAVAILABLE", answer
        assert time.monotonic() < deadline, "the service does not heal"
        time.sleep(0.05)
