"""One measuring: matches are played, and what was used is read before and after."""

import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from redis import Redis

from loadtests.bench import matches
from loadtests.bench.driver import drive
from loadtests.bench.http1 import Http1Connection, http_call
from loadtests.bench.http2 import Http2Connection
from loadtests.bench.processes import Umpire, cpu_seconds
from loadtests.capacity.counted import Spread, Traffic
from loadtests.capacity.recorded import Fresh, Kind, Recording

_APPLY = "/umpire.v1.MatchService/ApplyMove"
_AT_ONCE = 16
_SPREAD = 4
_MORE = 1 << 18
_REST_S = 4.0


class Cost(NamedTuple):
    """What a move costs, on average over whole matches; µs of CPU, bytes, commands."""

    kind: str
    door: str
    workers: int
    spread: bool
    """Each call of a match went to any worker; else a match stayed on one."""
    watched: bool
    """Each match had a spectator over SSE."""
    moves: int
    moves_per_match: float
    server_us: float
    redis_us: float
    redis_commands: float
    redis_bytes_in: float
    redis_bytes_out: float
    bytes_in: float
    bytes_out: float
    per_second: float


class Idle(NamedTuple):
    """What a worker uses in a second in which nothing happens: µs of CPU of it and of Redis, Redis' commands and bytes.

    It is not nothing: each worker goes round all buckets and looks for what is due.
    """

    server_us: float
    redis_us: float
    redis_commands: float
    redis_bytes_in: float
    redis_bytes_out: float


class Meter:
    """Reads what a service has used; what it uses at rest is known from the beginning."""

    def __init__(self, umpire: Umpire, redis: "Redis") -> None:
        self.umpire = umpire
        self._redis = redis
        self._at_rest = self._rest()
        self.idle = Idle(*(round(figure / len(umpire.workers), 1) for figure in self._at_rest))

    def used_since(self, before: tuple[float, ...], seconds: float) -> list[float]:
        """Return what was used since a reading, without what it would have used at rest: µs of CPU, commands, bytes."""
        now = self.read()
        return [max(end - start - rest * seconds, 0) for end, start, rest in zip(now, before, self._at_rest, strict=True)]

    def read(self) -> tuple[float, ...]:
        """Return µs of CPU of workers and Redis, and Redis' commands and bytes in and out."""
        info: dict[str, Any] = self._redis.info("stats")  # type: ignore[assignment]
        used = sum(map(cpu_seconds, self.umpire.workers)) * 1e6, cpu_seconds(self.umpire.redis) * 1e6
        return (*used, info["total_commands_processed"], info["total_net_input_bytes"], info["total_net_output_bytes"])

    def _rest(self) -> tuple[float, ...]:
        time.sleep(1)
        before, begun = self.read(), time.perf_counter()
        time.sleep(_REST_S)
        seconds = time.perf_counter() - begun
        return tuple((end - start) / seconds for end, start in zip(self.read(), before, strict=True))

    def weigh(self, match_ids: set[str]) -> int:
        """Return the bytes that these matches take up, by Redis' own account."""
        mine = [key for key in self._redis.scan_iter(count=1000) if any(match_id.encode() in key for match_id in match_ids)]
        return sum(self._redis.memory_usage(key) or 0 for key in mine)


def cost_of_moves(meter: Meter, kind: Kind, recordings: list[Recording], number: int, door: str, *, spread: bool = False, watched: bool = False) -> Cost:
    """Play ``number`` matches, 16 at once, and say what a move has cost."""
    umpire, traffic = meter.umpire, Traffic()
    http = f"http://127.0.0.1:{umpire.http_port}"
    fresh = [(Fresh(http, kind, recordings[at % len(recordings)].seed), recordings[at % len(recordings)].moves) for at in range(number)]
    build: Callable[..., list[Any]] = matches.apply_by_http if door == "rest" else matches.apply_by_grpc
    lines = [build(match, moves) for match, moves in fresh]
    one: Callable[[], Any] = (lambda: Http1Connection(umpire.http_port)) if door == "rest" else (lambda: Http2Connection(umpire.grpc_port, _APPLY))
    counted = traffic.counted(one)
    connect = (lambda: Spread(counted, _SPREAD)) if spread else counted
    watchers = Watchers(umpire.http_port, [match for match, _ in fresh] if watched else [])
    before, begun = meter.read(), time.perf_counter()
    driven = drive(connect, _AT_ONCE, _AT_ONCE, lines)
    watchers.wait()
    figures = (*meter.used_since(before, time.perf_counter() - begun), traffic.sent, traffic.received + watchers.received)
    each = (round(figure / driven.calls, 2) for figure in figures)
    return Cost(kind.name, door, len(umpire.workers), spread, watched, driven.calls, driven.calls / number, *each, round(driven.calls / driven.seconds))


class Watchers:
    """A spectator for each match over SSE, read in a thread of its own until the matches are over."""

    def __init__(self, port: int, watched: list[Fresh]) -> None:
        self.received = 0
        self._selector = selectors.DefaultSelector()
        for match in watched:
            stream = socket.create_connection(("127.0.0.1", port))
            stream.sendall(http_call("GET", f"/v1/matches/{match.match_id}/events:watch?since_version=1", match.spectator))
            self._selector.register(stream, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._read, daemon=True)
        if watched:
            time.sleep(0.5)  # what opens them is not a step's cost
        self._thread.start()

    def wait(self) -> None:
        """Wait until all streams have ended with their matches.

        Raises:
            TimeoutError: they do not.
        """
        self._thread.join(60)
        if self._thread.is_alive():
            raise TimeoutError("streams do not end with their matches")

    def _read(self) -> None:
        while self._selector.get_map():
            for key, _ in self._selector.select(1):
                data = key.fileobj.recv(_MORE)  # type: ignore[union-attr]
                self.received += len(data)
                if not data or data.endswith(b"0\r\n\r\n"):
                    self._selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]


class Size(NamedTuple):
    """Bytes of a match in Redis with its log, in the middle of its moves and at its end."""

    kind: str
    matches: int
    running_bytes: float
    finished_bytes: float


def size_of_matches(meter: Meter, kind: Kind, recordings: list[Recording], number: int) -> Size:
    """Play matches half and then to their end."""
    umpire = meter.umpire
    http = f"http://127.0.0.1:{umpire.http_port}"
    fresh = [(Fresh(http, kind, recordings[at % len(recordings)].seed), recordings[at % len(recordings)].moves) for at in range(number)]
    match_ids = {match.match_id for match, _ in fresh}
    lines = [matches.apply_by_http(match, moves, lean=True) for match, moves in fresh]
    halves = [line[: len(line) // 2] for line in lines], [line[len(line) // 2 :] for line in lines]
    sizes = []
    for half in halves:
        drive(lambda: Http1Connection(umpire.http_port), _AT_ONCE, _AT_ONCE, half)
        sizes.append(round(meter.weigh(match_ids) / number))
    return Size(kind.name, number, *sizes)


class Creation(NamedTuple):
    """What it costs to create a match, with its deal: µs of CPU."""

    kind: str
    server_us: float
    redis_us: float


def cost_of_creation(meter: Meter, kind: Kind, number: int) -> Creation:
    """Create matches over REST."""
    body = b'{"game": "%b", "seats": [%b], "ttl": "600s"}' % (kind.game.encode(), b", ".join([b"{}"] * kind.seats))
    call = http_call("POST", "/v1/matches", "", body)
    before = meter.read()
    lines = [[call] * max(number // _AT_ONCE, 1)] * _AT_ONCE
    driven = drive(lambda: Http1Connection(meter.umpire.http_port), _AT_ONCE, _AT_ONCE, lines)
    server, redis, *_ = meter.used_since(before, driven.seconds)
    return Creation(kind.name, round(server / driven.calls, 1), round(redis / driven.calls, 1))
