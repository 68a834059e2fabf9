"""Streams live for as long as they have something to say, if only heartbeats; a call has an end, and so has silence."""

import json
import queue
import ssl
import threading
import time
from collections.abc import Callable, Iterator

import grpc
import httpx
import pytest

from tests.deploy.envoy.conftest import Start
from tests.deploy.envoy.gateway import TLS, UNLIMITED, Gateway
from tests.matchmaking import Played, create
from tests.serving import GrpcCaller, Serving, to_dict

IDLE, CALL, WATCHED = 3, 2, 8.0


@pytest.fixture(scope="module")
def hasty(start_gateway: Start, own_workers: list[Serving]) -> Gateway:
    """Envoy that has little patience, before workers with a heartbeat of a second."""
    return start_gateway(own_workers, *TLS, *UNLIMITED, "--stream-idle", str(IDLE), "--call-timeout", str(CALL))


@pytest.fixture(scope="module")
def caller(hasty: Gateway) -> Iterator[GrpcCaller]:
    made = GrpcCaller(hasty.address)
    yield made
    made.close()


def watch(caller: GrpcCaller, match: Played) -> Iterator[int]:
    """Watch over gRPC: the version of each message."""
    run = caller.channel.unary_stream(caller.rpc("WatchMatch").path)
    request = caller.message("WatchMatch", "request")(match_id=match.match_id, since_version=0)
    for data in run(request.SerializeToString(), metadata=(("authorization", f"Bearer {match.spectator}"),)):
        yield to_dict(caller.message("WatchMatch", "response").FromString(data))["version"]


def play(caller: GrpcCaller, match: Played) -> Iterator[int]:
    """Play over one stream: 0 when asked, then, after a while without a word from this side, the version of the move."""
    requests: queue.Queue[bytes | None] = queue.Queue()
    request, response = caller.message("PlayMatch", "request"), caller.message("PlayMatch", "response")
    requests.put(request(open={"match_id": match.match_id}).SerializeToString())
    stream = caller.channel.stream_stream(caller.rpc("PlayMatch").path)(iter(requests.get, None), metadata=(("authorization", f"Bearer {match.asked}"),))
    began, moved = time.monotonic(), False
    for data in stream:
        answer = response.FromString(data)
        if answer.HasField("verdict"):
            yield answer.verdict.applied_version
            requests.put(None)
            return
        yield 0
        if not moved and time.monotonic() - began > WATCHED:
            moved = True
            requests.put(request(move={"decision_id": match.decision["decisionId"], "move_id": "draw"}).SerializeToString())


def events(caller: GrpcCaller, match: Played) -> Iterator[int]:
    """Watch over HTTP: the version of each event, 0 for a heartbeat."""
    url = f"{caller.serving.http}/v1/matches/{match.match_id}/events:watch?since_version=0"
    trusted = ssl.create_default_context(cafile=str(caller.authority))
    with httpx.stream("GET", url, headers={"authorization": f"Bearer {match.spectator}"}, verify=trusted, timeout=20) as answer:
        assert answer.status_code == 200
        for line in answer.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))["version"]
            elif line.startswith(":"):
                yield 0


class Listener(threading.Thread):
    """Listens to a stream until a version has come; keeps when what came."""

    def __init__(self, stream: Iterator[int], until: int) -> None:
        super().__init__(daemon=True)
        self.came: list[tuple[float, int]] = []
        self.broke: BaseException | None = None
        self._stream, self._until = stream, until
        self.start()

    def run(self) -> None:
        try:
            for version in self._stream:
                self.came.append((time.monotonic(), version))
                if version >= self._until:
                    return
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
            self.broke = error


def test_streams_outlive_both_time_limits(caller: GrpcCaller) -> None:
    matches = [create(caller) for _ in range(3)]
    kinds: list[Callable[[GrpcCaller, Played], Iterator[int]]] = [watch, events, play]
    listeners = [Listener(kind(caller, match), match.version + 1) for kind, match in zip(kinds, matches, strict=True)]
    time.sleep(WATCHED)
    for match in matches[:2]:
        match.play("draw")
    for listener in listeners:
        listener.join(20)
        assert not listener.is_alive()
        assert listener.broke is None
        times = [when for when, _ in listener.came]
        assert times[-1] - times[0] > max(IDLE, CALL) + 1
        assert len(times) > WATCHED / IDLE, "heartbeats come through as they are sent"


def test_a_stream_that_says_nothing_is_ended(start_gateway: Start, serving: Serving) -> None:
    gateway = start_gateway([serving], *TLS, *UNLIMITED, "--stream-idle", "1")  # less than this worker's heartbeat of 12
    caller = GrpcCaller(gateway.address)
    with pytest.raises(grpc.RpcError) as broken:
        for _ in watch(caller, create(caller)):
            pass
    assert broken.value.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.DEADLINE_EXCEEDED}
    (line,) = [one for one in gateway.logged(2) if one["route"] == "grpc_watch"]
    assert "SI" in line["flags"].split(",") or "stream_idle" in line["details"]
    caller.close()


def test_a_watcher_who_leaves_is_gone_at_the_worker_too(caller: GrpcCaller, own_workers: list[Serving], hasty: Gateway) -> None:
    stream = watch(caller, create(caller))
    next(stream)
    hasty.wait_for(lambda: sum(map(watchers, own_workers)) >= 1)
    stream.close()
    hasty.wait_for(lambda: sum(map(watchers, own_workers)) == 0)


def watchers(worker: Serving) -> int:
    text = httpx.get(f"http://127.0.0.1:{worker.ops_ports[0]}/metrics", timeout=5).text
    return sum(int(float(line.rpartition(" ")[2])) for line in text.splitlines() if line.startswith("umpire_watchers "))
