"""Keeps a number of calls in flight: each line of calls goes out one after the other, as a player makes them, and as many lines at once as asked for."""

import selectors
import time
from collections.abc import Callable, Iterator, Sequence
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
    opened = [connect() for _ in range(connections)]
    selector = selectors.DefaultSelector()
    under_way: list[dict[int, tuple[Iterator[Any], float]]] = [{} for _ in opened]
    latencies: list[float] = []
    started = time.perf_counter()

    def send(at: int, players: list[Iterator[Any]]) -> None:
        calls, sent = [], []
        for player in players:
            line: Iterator[Any] | None = player
            call = next(player, None)
            while call is None:
                line = next((iter(one) for one in waiting), None)
                if line is None:
                    break
                call = next(line, None)
            if call is not None and line is not None:
                calls.append(call)
                sent.append(line)
        if calls:
            now = time.perf_counter()
            under_way[at].update((key, (line, now)) for key, line in zip(opened[at].send(calls), sent, strict=True))

    for at, connection in enumerate(opened):
        selector.register(connection.socket, selectors.EVENT_READ, at)
        send(at, [iter(()) for _ in range(at, in_flight, connections)])
    while any(under_way):
        for key, _ in selector.select(10):
            done = opened[key.data].receive()
            now = time.perf_counter()
            finished = [under_way[key.data].pop(call) for call in done]
            latencies += (now - sent for _, sent in finished)
            send(key.data, [player for player, _ in finished])
    seconds = time.perf_counter() - started
    for connection in opened:
        connection.close()
    return Driven(len(latencies), seconds, latencies)
