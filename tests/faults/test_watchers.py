"""Workers and the store are taken away under those who watch: whoever comes back with the last version that came misses nothing and gets nothing twice."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import httpx
import pytest

from service.private_redis import PrivateRedis
from tests.faults.test_faults import Player, check_history
from tests.serving import GrpcCaller, Serving, to_dict

Follow = Callable[[GrpcCaller, str, str, int], Iterator[dict[str, Any]]]
"""Watches a match with a credential from a version on; raises Away when the stream breaks off."""

BROKEN_OFF = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED}


class Away(Exception):
    """The stream broke off, or could not begin."""


def over_grpc(caller: GrpcCaller, match_id: str, credential: str, since: int) -> Iterator[dict[str, Any]]:
    request = caller.message("WatchMatch", "request")(match_id=match_id, since_version=since)
    run = caller.channel.unary_stream(caller.rpc("WatchMatch").path)
    try:
        for data in run(request.SerializeToString(), metadata=(("authorization", f"Bearer {credential}"),), timeout=60):
            yield to_dict(caller.message("WatchMatch", "response").FromString(data))
    except grpc.RpcError as error:
        assert error.code() in BROKEN_OFF, error
        raise Away from error


def over_http(caller: GrpcCaller, match_id: str, credential: str, since: int) -> Iterator[dict[str, Any]]:
    url, headers = f"{caller.serving.http}/v1/matches/{match_id}/events:watch", {"authorization": f"Bearer {credential}"}
    try:
        with httpx.stream("GET", url, params={"since_version": since}, headers=headers, timeout=60) as answer:
            if answer.status_code == 503:
                raise Away
            assert answer.status_code == 200
            text = ""
            for part in answer.iter_text():
                *events, text = (text + part).split("\n\n")
                for event in events:
                    if event.startswith("event: error"):
                        assert json.loads(event.partition("\ndata: ")[2])["code"] == grpc.StatusCode.UNAVAILABLE.value[0]
                        raise Away
                    if event.startswith("id: "):
                        yield json.loads(event.partition("\ndata: ")[2])
    except httpx.TransportError as error:
        raise Away from error


@pytest.fixture(params=[over_grpc, over_http], ids=["grpc", "sse"])
def follow(request: pytest.FixtureRequest) -> Follow:
    return request.param


class Follower(threading.Thread):
    """Watches a match to a version that it is told, coming back after every break."""

    def __init__(self, caller: GrpcCaller, player: Player, credential: str, follow: Follow) -> None:
        super().__init__(daemon=True)
        self.seen: list[dict[str, Any]] = []
        self.breaks = 0
        self.last = 0
        self.died: BaseException | None = None
        self.credential = credential
        self._caller, self._match_id, self._follow = caller, player.match.match_id, follow

    def run(self) -> None:
        try:
            while not self._is_done():
                self._watch()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
            self.died = error

    def _watch(self) -> None:
        try:
            for message in self._follow(self._caller, self._match_id, self.credential, len(self.seen)):
                if "update" in message:
                    self.seen.append(message["update"])
                if self._is_done():
                    return
        except Away:
            self.breaks += 1
            time.sleep(0.02)

    def _is_done(self) -> bool:
        return 0 < self.last <= len(self.seen)


def watched(serving: Serving, follow: Follow, stop: threading.Event, players: int = 4) -> tuple[list[Player], list[Follower]]:
    """Begin to play matches, each watched by both seats and a spectator, all on channels of their own."""
    first = GrpcCaller(serving)
    playing = [Player(GrpcCaller(serving, first.contract), stop) for _ in range(players)]
    following = [
        Follower(GrpcCaller(serving, first.contract), player, credential, follow)
        for player in playing
        for credential in (*player.match.credentials.values(), player.match.spectator)
    ]
    for thread in (*playing, *following):
        thread.start()
    return playing, following


def check(serving: Serving, playing: list[Player], following: list[Follower]) -> None:
    """Everybody has seen what the log says, as it is told to them."""
    caller = GrpcCaller(serving)
    for player in playing:
        player.join(30)
        assert not player.is_alive()
        player.match.caller = caller
        version = player.match.view(player.match.spectator)["version"]
        mine = [one for one in following if one._match_id == player.match.match_id]
        for one in mine:
            one.last = version
        for one in mine:
            one.join(60)
            assert one.died is None
            assert not one.is_alive(), f"it has seen {len(one.seen)} of {version}"
            assert one.seen == player.match.must("ListEvents", one.credential, page_size=500)["updates"]
        check_history(player.match, player.acknowledged)
    caller.close()


def test_watchers_of_workers_that_are_killed_or_stopped_see_every_step_once(served: Serving, follow: Follow) -> None:
    stop = threading.Event()
    playing, following = watched(served, follow, stop)
    for round_ in range(4):
        time.sleep(0.4)
        victim = served.processes[round_ % 2]
        (victim.kill if round_ < 2 else victim.terminate)()
        victim.wait(20)
        served.processes[round_ % 2] = served.start_worker(round_ % 2)
        served.wait_until_ready()
    stop.set()
    check(served, playing, following)
    assert sum(one.breaks for one in following) > len(following) // 2, "nobody was interrupted"


def test_watchers_see_every_step_once_while_the_store_is_killed_and_comes_back(own_redis: PrivateRedis, served: Serving, follow: Follow) -> None:
    stop = threading.Event()
    playing, following = watched(served, follow, stop)
    for _ in range(3):
        time.sleep(0.4)
        assert own_redis.process is not None
        own_redis.process.kill()
        own_redis.process.wait()
        time.sleep(0.2)
        own_redis.start()
        served.wait_until_ready()
    time.sleep(0.4)
    stop.set()
    check(served, playing, following)
    assert all(len(player.acknowledged) > 3 for player in playing)
