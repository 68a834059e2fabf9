"""Connections whose bytes are counted; and one that sends each call over another of several connections, as a proxy does that balances by request."""

import select
import socket
from collections.abc import Callable, Sequence
from typing import Any

from loadtests.bench.driver import Connection


class Traffic:
    """Bytes that went to the workers and came from them."""

    def __init__(self) -> None:
        self.sent = 0
        self.received = 0

    def counted(self, connect: Callable[[], Any]) -> Callable[[], Any]:
        """Make connections that are counted here. What opens a connection is not: it is shared by many calls."""

        def made() -> Any:
            connection = connect()
            connection.socket = _CountedSocket(connection.socket, self)
            return connection

        return made


class _CountedSocket:
    def __init__(self, plain: socket.socket, traffic: Traffic) -> None:
        self._plain = plain
        self._traffic = traffic

    def sendall(self, data: bytes) -> None:
        self._traffic.sent += len(data)
        self._plain.sendall(data)

    def recv(self, most: int) -> bytes:
        data = self._plain.recv(most)
        self._traffic.received += len(data)
        return data

    def fileno(self) -> int:
        return self._plain.fileno()

    def close(self) -> None:
        self._plain.close()


class Spread:
    """Several connections that look like one with one call at a time: each call goes over the next of them, to whichever worker that one has come to."""

    def __init__(self, connect: Callable[[], Connection], connections: int) -> None:
        self._connections = [connect() for _ in range(connections)]
        self._by_number = {connection.socket.fileno(): connection for connection in self._connections}
        self._next = 0
        self.socket = select.epoll()  # readable while one of them is
        for number in self._by_number:
            self.socket.register(number, select.EPOLLIN)

    def send(self, calls: Sequence[Any]) -> list[int]:
        """Send a call; its key is always the same."""
        (call,) = calls
        self._connections[self._next].send([call])
        self._next = (self._next + 1) % len(self._connections)
        return [0]

    def receive(self) -> list[int]:
        """Read what has come on any of them."""
        done = [key for number, _ in self.socket.poll(0) for key in self._by_number[number].receive()]
        return [0] if done else []

    def close(self) -> None:
        """Close all of them."""
        for connection in self._connections:
            connection.close()
        self.socket.close()
