"""What idle watchers cost a worker: ``python -m loadtests.watchers [--watchers 2000] [--seconds 36]``.

Each way is measured on a worker of its own: memory before and after, divided by the watchers, and the worker's CPU over some heartbeats. The baseline is a
bare grpc.aio server with as many streams that hear nothing.
"""

import argparse
import os
import selectors
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from loadtests.bench.http1 import Http1Connection, http_call
from loadtests.bench.http2 import GrpcCall, Http2Connection
from loadtests.bench.matches import Fresh, read_by_grpc
from loadtests.bench.processes import Echo, Umpire, cpu_seconds, pin, resident_mb

_WATCH = "/umpire.v1.MatchService/WatchMatch"
_SILENT = "/bench.Echo/Tell"
_MORE = 1 << 16
_FEW = 50
_SSE_HEARTBEAT, _GRPC_HEARTBEAT = b": heartbeat", b"\0\0\x07\0\0"


class Way(NamedTuple):
    """How they watch: over what, how many a connection, how many a match."""

    name: str
    by_grpc: bool
    a_connection: int
    a_match: int
    bare: bool = False


WAYS = (
    Way("SSE, a match each", by_grpc=False, a_connection=1, a_match=1),
    Way("SSE, all one match", by_grpc=False, a_connection=1, a_match=1 << 30),
    Way("bare gRPC, a connection each", by_grpc=True, a_connection=1, a_match=1 << 30, bare=True),
    Way("bare gRPC, 100 a connection", by_grpc=True, a_connection=100, a_match=1 << 30, bare=True),
    Way("gRPC, a match and a connection each", by_grpc=True, a_connection=1, a_match=1),
    Way("gRPC, 100 a connection, a match each", by_grpc=True, a_connection=100, a_match=1),
    Way("gRPC, 100 a connection, all one match", by_grpc=True, a_connection=100, a_match=1 << 30),
)


class Idle(NamedTuple):
    """What they cost: KB (1,000 bytes) a watcher, percent of a core for all, messages a second for all."""

    kilobytes: float
    core_percent: float
    messages_s: float


def watch(way: Way, umpire: Umpire, echo: Echo, watchers: int, seconds: float) -> Idle:
    """Let them watch and do nothing else."""
    server = echo.pid if way.bare else umpire.worker
    http = f"http://127.0.0.1:{umpire.http_port}"
    matches = [Fresh(http) for _ in range(-(-watchers // way.a_match))]
    seats = [(matches[number // way.a_match], 1 + number % 2) for number in range(watchers)]
    with selectors.DefaultSelector() as selector:
        for connection in _connect(way, umpire, echo, seats[:_FEW]):  # what the first ones load is not theirs
            time.sleep(0.01)
            connection.close()
        time.sleep(2)
        before = resident_mb(server)
        connections = _connect(way, umpire, echo, seats)
        for connection in connections:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
        _read_for(selector, seconds / 2)
        cpu, messages = cpu_seconds(server), _read_for(selector, seconds)
        used = cpu_seconds(server) - cpu
        held = resident_mb(server) - before
    for connection in connections:
        connection.close()
    return Idle(held * 1e3 / watchers, used / seconds * 100, messages / seconds)


def _connect(way: Way, umpire: Umpire, echo: Echo, seats: list[tuple[Fresh, int]]) -> list[Http1Connection | Http2Connection]:
    connections: list[Http1Connection | Http2Connection] = []
    for first in range(0, len(seats), way.a_connection):
        mine = seats[first : first + way.a_connection]
        if way.bare:
            silent = Http2Connection(echo.port, _SILENT)
            for match, seat in mine:
                silent.open(GrpcCall(match.credentials[seat], f"{first}".encode()))
            connections.append(silent)
        elif way.by_grpc:
            streams = Http2Connection(umpire.grpc_port, _WATCH)
            streams.send([read_by_grpc(match, seat) for match, seat in mine])  # the two requests begin alike
            connections.append(streams)
        else:
            ((match, seat),) = mine
            events = Http1Connection(umpire.http_port)
            events.send([http_call("GET", f"/v1/matches/{match.match_id}/events:watch", match.credentials[seat])])
            connections.append(events)
    return connections


def _read_for(selector: selectors.BaseSelector, seconds: float) -> int:
    """Read whatever comes, and count the heartbeats in it."""
    until, heartbeats = time.monotonic() + seconds, 0
    while (left := until - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            data = key.data.socket.recv(_MORE)
            if not data:
                raise RuntimeError("the worker has hung up")
            heartbeats += data.count(_SSE_HEARTBEAT) + data.count(_GRPC_HEARTBEAT)
    return heartbeats


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m loadtests.watchers", description=__doc__)
    parser.add_argument("--watchers", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=36)
    options = parser.parse_args()
    print(f"{options.watchers} idle watchers, one worker\n")
    print(f"{'':40}{'KB each':>9}{'% of a core':>13}{'heartbeats/s':>14}")
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            umpire = Umpire(Path(folder))
            echo = Echo(umpire.redis_url)
            try:
                for pid, core in ((umpire.worker, 0), (echo.pid, 0), (umpire.redis, 1), (os.getpid(), 1)):
                    pin(pid, core)
                idle = watch(way, umpire, echo, options.watchers, options.seconds)
            finally:
                echo.stop()
                umpire.stop()
        print(f"{way.name:40}{idle.kilobytes:9.1f}{idle.core_percent:13.2f}{idle.messages_s:14.1f}")


if __name__ == "__main__":
    main()
