"""A relay between a client and a gRPC server that can lose answers.

It reads the frames that come back and cuts the connection at an answer, or at a message of a stream.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

_DATA, _HEADERS = 0, 1
_FRAME_HEAD = 9


class Relay:
    """Listens on ``address``. While ``to_lose`` is not zero, the next answer does not get through: the connection is cut in its place."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.to_lose = 0
        self.lost = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._server_port))
                for pump in (self._there, self._back):
                    threading.Thread(target=pump, args=(near, far), daemon=True).start()

    def _there(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while data := near.recv(65536):
                far.sendall(data)
        _cut(near, far)

    def _back(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            for kind, frame in _frames(far):
                if kind in {_DATA, _HEADERS} and self.to_lose:
                    self.to_lose -= 1
                    self.lost += 1
                    break
                near.sendall(frame)
        _cut(near, far)


def _frames(far: socket.socket) -> Iterator[tuple[int, bytes]]:
    held = b""
    while data := far.recv(65536):
        held += data
        while len(held) >= _FRAME_HEAD and len(held) >= (size := _FRAME_HEAD + int.from_bytes(held[:3])):
            yield held[3], held[:size]
            held = held[size:]


def _cut(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
