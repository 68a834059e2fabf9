"""HTTP/1.1 calls as bytes, built before the clock starts."""

import re
import socket
from collections.abc import Sequence

_LENGTH = re.compile(rb"content-length: (\d+)\r\n")
_MORE = 1 << 18


def http_call(method: str, path: str, credential: str = "", body: bytes = b"") -> bytes:
    """Build a request."""
    lines = [f"{method} {path} HTTP/1.1", "host: bench"]
    if credential:
        lines.append(f"authorization: Bearer {credential}")
    if body:
        lines += ["content-type: application/json", f"content-length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Http1Connection:
    """One connection with one call at a time."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._data = b""

    def send(self, calls: Sequence[bytes]) -> list[int]:
        """Send a call; returns its key."""
        (call,) = calls
        self.socket.sendall(call)
        return [0]

    def receive(self) -> list[int]:
        """Read what has come; returns the key of the call if its answer is whole.

        Raises:
            RuntimeError: the call was refused, or the connection closed.
        """
        more = self.socket.recv(_MORE)
        if not more:
            raise RuntimeError("the server closed the connection")
        self._data += more
        head, end, _ = self._data.partition(b"\r\n\r\n")
        if not end:
            return []
        length = _LENGTH.search(head + b"\r\n")
        if not head.startswith(b"HTTP/1.1 200") or length is None:
            raise RuntimeError(self._data.decode())
        if len(self._data) < len(head) + 4 + int(length[1]):
            return []
        self._data = b""
        return [0]

    def close(self) -> None:
        self.socket.close()
