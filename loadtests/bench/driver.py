"""Keeps a number of calls in flight: each line of calls goes out one after the other, as a player makes them, and as many lines at once as asked for."""

import selectors
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol


class Connection(Protocol):
    """What the driver needs of a connection: calls go out in bunches and come back by key."""

    socket: Any

    def send(self, calls: Sequence[Any]) -> list[int]: ...
    def receive(self) -> list[int]: ...
    def close(self) -> None: ...


class Driven(NamedTuple):
    """What a drive saw: how many calls, in how many seconds, and the seconds of each."""

    calls: int
    seconds: float
    latencies: list[float]


def drive(connect: Callable[[], Connection], connections: int, in_flight: int, lines: Sequence[Sequence[Any]]) -> Driven:
    """Play all lines; ``in_flight`` of them at once, spread over the connections.

    Raises:
        RuntimeError: a call failed: a benchmark of refusals is none.
    """
    waiting = iter(lines)
    lanes = [_Lane(connect(), waiting) for _ in range(connections)]
    started = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        for number, lane in enumerate(lanes):
            selector.register(lane.connection.socket, selectors.EVENT_READ, lane)
            lane.send([iter(()) for _ in range(number, in_flight, connections)])
        while any(lane.under_way for lane in lanes):
            for key, _ in selector.select(10):
                key.data.receive()
    seconds = time.perf_counter() - started
    for lane in lanes:
        lane.connection.close()
    latencies = [latency for lane in lanes for latency in lane.latencies]
    return Driven(len(latencies), seconds, latencies)


class _Lane:
    """A connection with the lines that are being played on it; ``under_way`` are the calls without an answer yet, each with its line and when it was sent."""

    def __init__(self, connection: Connection, waiting: Iterator[Sequence[Any]]) -> None:
        self.connection = connection
        self.under_way: dict[int, tuple[Iterator[Any], float]] = {}
        self.latencies: list[float] = []
        self._waiting = waiting

    def send(self, lines: list[Iterator[Any]]) -> None:
        """Send the next call of each line; a line that is over gives its place to one that waits."""
        nexts = [found for line in lines if (found := self._next(line)) is not None]
        if nexts:
            now = time.perf_counter()
            keys = self.connection.send([call for call, _ in nexts])
            self.under_way.update((key, (line, now)) for key, (_, line) in zip(keys, nexts, strict=True))

    def receive(self) -> None:
        """Take the answers that have come, and play on."""
        done = self.connection.receive()
        now = time.perf_counter()
        finished = [self.under_way.pop(key) for key in done]
        self.latencies += [now - sent for _, sent in finished]
        self.send([line for line, _ in finished])

    def _next(self, line: Iterator[Any]) -> tuple[Any, Iterator[Any]] | None:
        for candidate in chain((line,), map(iter, self._waiting)):
            call = next(candidate, None)
            if call is not None:
                return call, candidate
        return None
