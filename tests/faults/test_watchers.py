"""Workers and the store are taken away under those who watch: whoever comes back with the last version that came misses nothing and gets nothing twice."""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest

from service.private_redis import PrivateRedis
from tests.faults.test_faults import Player, check_history
from tests.serving import GrpcCaller, Serving, to_dict

Follow = Callable[["Follower"], AsyncIterator[dict[str, Any]]]
"""Watches on from what a follower has seen; raises Away when the stream breaks off."""

MATCHES = 4
SPECTATORS = 48
"""Of each match, beside its two seats: 200 watchers in all."""
PACE_S = 0.1
"""Between two moves of a match: the watchers of these tests share one thread with each other."""

BROKEN_OFF = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED}


class Away(Exception):
    """The stream broke off, or could not begin."""


async def over_grpc(follower: "Follower") -> AsyncIterator[dict[str, Any]]:
    caller = follower.caller
    request = caller.message("WatchMatch", "request")(match_id=follower.match_id, since_version=len(follower.seen))
    async with grpc.aio.insecure_channel(caller.serving.grpc, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        run = channel.unary_stream(caller.rpc("WatchMatch").path)
        try:
            async for data in run(request.SerializeToString(), metadata=(("authorization", f"Bearer {follower.credential}"),), timeout=60):
                yield to_dict(caller.message("WatchMatch", "response").FromString(data))
        except grpc.RpcError as error:
            assert error.code() in BROKEN_OFF, error
            raise Away from error


async def over_http(follower: "Follower") -> AsyncIterator[dict[str, Any]]:
    path = f"/v1/matches/{follower.match_id}/events:watch"
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", follower.caller.serving.http_port)
    except OSError as error:
        raise Away from error
    try:
        head = f"GET {path}?since_version={len(follower.seen)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {follower.credential}\r\n\r\n"
        writer.write(head.encode())
        status = await reader.readline()
        if not status or b" 503 " in status:
            raise Away
        assert b" 200 " in status, status
        is_error = False
        while line := await reader.readline():
            if line.startswith(b":"):
                yield {}  # a heartbeat
            elif line.startswith(b"event: error"):
                is_error = True
            elif line.startswith(b"data: "):
                message = json.loads(line.removeprefix(b"data: "))
                if is_error:
                    assert message["code"] == grpc.StatusCode.UNAVAILABLE.value[0]
                    raise Away
                yield message
    except OSError as error:
        raise Away from error
    finally:
        writer.close()
    if not follower.is_done():
        raise Away


@pytest.fixture(params=[over_grpc, over_http], ids=["grpc", "sse"])
def follow(request: pytest.FixtureRequest) -> Follow:
    return request.param


class Follower:
    """Watches a match to a version that it is told, coming back after every break."""

    def __init__(self, caller: GrpcCaller, player: Player, credential: str) -> None:
        self.caller, self.player, self.match_id, self.credential = caller, player, player.match.match_id, credential
        self.seen: list[dict[str, Any]] = []
        self.breaks = 0
        self.last = 0

    async def run(self, follow: Follow) -> None:
        while not self.is_done():
            try:
                async with contextlib.aclosing(follow(self)) as stream:
                    async for message in stream:
                        if "update" in message:
                            self.seen.append(message["update"])
                        if self.is_done():
                            return
            except Away:
                self.breaks += 1
                await asyncio.sleep(0.02)

    def is_done(self) -> bool:
        return 0 < self.last <= len(self.seen)


class Crowd:
    """Matches that are played, each in a thread of its own, and all who watch them, in one more."""

    def __init__(self, serving: Serving, follow: Follow) -> None:
        self.serving = serving
        self._caller = GrpcCaller(serving)
        self._stop = threading.Event()
        self.playing = [Player(GrpcCaller(serving, self._caller.contract), self._stop, PACE_S) for _ in range(MATCHES)]
        self.following = [
            Follower(self._caller, player, credential)
            for player in self.playing
            for credential in (*player.match.credentials.values(), *[player.match.spectator] * SPECTATORS)
        ]
        self._watching = threading.Thread(target=lambda: asyncio.run(self._watch(follow)), daemon=True)
        self._failure: BaseException | None = None
        for thread in (*self.playing, self._watching):
            thread.start()

    async def _watch(self, follow: Follow) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for follower in self.following:
                    group.create_task(follower.run(follow))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
            self._failure = error

    def check(self) -> None:
        """Stop playing; then everybody has seen, or soon sees, what the log says, as it is told to them."""
        self._stop.set()
        told: dict[str, list[dict[str, Any]]] = {}
        for player in self.playing:
            player.join(30)
            assert not player.is_alive()
            assert player.died is None
            player.match.caller = self._caller
            for credential in {*player.match.credentials.values(), player.match.spectator}:
                told[credential] = player.match.must("ListEvents", credential, page_size=500)["updates"]
            check_history(player.match, player.acknowledged)
        for follower in self.following:
            follower.last = len(told[follower.credential])
        self._watching.join(120)
        assert self._failure is None, self._failure
        assert not self._watching.is_alive(), [(len(one.seen), one.last) for one in self.following if not one.is_done()]
        for follower in self.following:
            assert follower.seen == told[follower.credential]
        self._caller.close()


def test_200_watchers_of_workers_that_are_killed_or_stopped_see_every_step_once(served: Serving, follow: Follow) -> None:
    crowd = Crowd(served, follow)
    for round_ in range(4):
        time.sleep(1)
        victim = served.processes[round_ % 2]
        (victim.kill if round_ < 2 else victim.terminate)()
        victim.wait(20)
        served.processes[round_ % 2] = served.start_worker(round_ % 2)
        served.wait_until_ready()
    crowd.check()
    assert sum(one.breaks for one in crowd.following) > len(crowd.following) // 2, "nobody was interrupted"


def test_200_watchers_see_every_step_once_while_the_store_is_killed_and_comes_back(own_redis: PrivateRedis, served: Serving, follow: Follow) -> None:
    crowd = Crowd(served, follow)
    for _ in range(3):
        time.sleep(1)
        assert own_redis.process is not None
        own_redis.process.kill()
        own_redis.process.wait()
        time.sleep(0.2)
        own_redis.start()
        served.wait_until_ready()
    time.sleep(1)
    crowd.check()
    assert all(len(player.acknowledged) > 3 for player in crowd.playing)
