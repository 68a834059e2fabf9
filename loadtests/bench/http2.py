"""gRPC calls as bytes: HTTP/2 frames that are built before the clock starts, and just enough of the protocol to count the answers."""

import re
import socket
from collections.abc import Sequence
from typing import NamedTuple

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS, _PING, _WINDOW_UPDATE = 0, 1, 4, 6, 8
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_WIDEST = 2**31 - 1
_FRAME_HEAD = 9
_MESSAGE_HEAD = 5
_MORE = 1 << 18

_METHOD_POST, _SCHEME_HTTP = b"\x83", b"\x86"  # HPACK's static table
_NAME_AUTHORITY, _NAME_PATH, _NAME_CONTENT_TYPE, _NAME_USER_AGENT = 1, 4, 31, 58
_AUTHORIZATION = b"\x0f\x08"  # the name; its value is not to be remembered
_FIRST_DYNAMIC = 62


class GrpcCall(NamedTuple):
    """One call: the credential ("" for none) and the request's bytes."""

    credential: str
    body: bytes


class Http2Connection:
    """One connection, on which every call goes to one method. As real clients do, it sends the headers that never change once and then names them by number."""

    def __init__(self, port: int, path: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        settings = (4).to_bytes(2, "big") + _WIDEST.to_bytes(4, "big")  # the window of each stream
        window = (_WIDEST - 65535).to_bytes(4, "big")
        self.socket.sendall(_PREFACE + _frame(_SETTINGS, 0, 0, settings) + _frame(_WINDOW_UPDATE, 0, 0, window))
        constant = (
            _indexed(_NAME_PATH, path),
            _indexed(_NAME_AUTHORITY, f"127.0.0.1:{port}"),
            _indexed(_NAME_CONTENT_TYPE, "application/grpc"),
            _indexed(_NAME_USER_AGENT, "bench"),
            b"\x40" + _text("te") + _text("trailers"),
        )
        self._head = _METHOD_POST + _SCHEME_HTTP + b"".join(constant)
        self._known = _METHOD_POST + _SCHEME_HTTP + bytes(0x80 | _FIRST_DYNAMIC + at for at in reversed(range(len(constant))))
        self._stream = 1
        self._data = b""
        self._answered: set[int] = set()
        self._messages: dict[int, bytes] = {}
        self._taken: list[tuple[int, set[int]]] = []

    def send(self, calls: Sequence[GrpcCall]) -> list[int]:
        """Send calls at once; returns their keys."""
        keys, parts = [], []
        for call in calls:
            head = self._head if self._stream == 1 else self._known
            if call.credential:
                head += _AUTHORIZATION + _text(f"Bearer {call.credential}")
            parts += (_frame(_HEADERS, _END_HEADERS, self._stream, head), _frame(_DATA, _END_STREAM, self._stream, _message(call.body)))
            keys.append(self._stream)
            self._stream += 2
        self.socket.sendall(b"".join(parts))
        return keys

    def open(self, call: GrpcCall) -> int:
        """Begin a stream of requests with the first of them; returns its number. What comes on it is for ``take_messages``."""
        head = (self._head if self._stream == 1 else self._known) + _AUTHORIZATION + _text(f"Bearer {call.credential}")
        stream = self._stream
        self._stream += 2
        self._messages[stream] = b""
        self.socket.sendall(_frame(_HEADERS, _END_HEADERS, stream, head) + _frame(_DATA, 0, stream, _message(call.body)))
        return stream

    def say(self, stream: int, body: bytes) -> None:
        """Send another request on a stream."""
        self.socket.sendall(_frame(_DATA, 0, stream, _message(body)))

    def take_messages(self) -> list[tuple[int, set[int]]]:
        """Return what has come on streams: the stream, and the numbers of the fields that its message has."""
        taken, self._taken = self._taken, []
        return taken

    def receive(self) -> list[int]:
        """Read what has come; returns the keys of the calls that were answered.

        Raises:
            RuntimeError: a call was refused, or the connection closed.
        """
        more = self.socket.recv(_MORE)
        if not more:
            raise RuntimeError("the server closed the connection")
        data, at, done = self._data + more, 0, []
        while len(data) - at >= _FRAME_HEAD:
            length = int.from_bytes(data[at : at + 3], "big")
            if len(data) - at < _FRAME_HEAD + length:
                break
            kind, flags, stream = data[at + 3], data[at + 4], int.from_bytes(data[at + 5 : at + 9], "big")
            payload = at + _FRAME_HEAD
            at = payload + length
            if kind == _HEADERS and flags & _END_STREAM:
                done.append(self._end(stream, data[payload:at]))
            else:
                self._follow(kind, flags, stream, data[payload:at])
        self._data = data[at:]
        return done

    def close(self) -> None:
        self.socket.close()

    def _end(self, stream: int, trailers: bytes) -> int:
        if stream not in self._answered:  # a refusal has trailers only
            raise RuntimeError(f"refused: {re.sub(rb'[^ -~]+', b' ', trailers).decode()}")
        self._answered.discard(stream)
        return stream

    def _follow(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        match kind:
            case 0:
                self._answered.add(stream)
                if stream in self._messages:
                    self._take(stream, payload)
            case 4 if not flags & _ACK:
                self.socket.sendall(_frame(_SETTINGS, _ACK, 0, b""))
            case 6 if not flags & _ACK:
                self.socket.sendall(_frame(_PING, _ACK, 0, payload))
            case 3 if stream in self._messages and not int.from_bytes(payload, "big"):
                pass  # the server has ended a stream before its client has
            case 3 | 7:
                raise RuntimeError("the server broke a stream off")

    def _take(self, stream: int, more: bytes) -> None:
        data = self._messages[stream] + more
        while len(data) >= _MESSAGE_HEAD and len(data) >= (end := _MESSAGE_HEAD + int.from_bytes(data[1:_MESSAGE_HEAD], "big")):
            self._taken.append((stream, _fields(data[_MESSAGE_HEAD:end])))
            data = data[end:]
        self._messages[stream] = data


def _fields(message: bytes) -> set[int]:
    """List the fields of a message all of whose fields are messages."""
    found, at = set(), 0
    while at < len(message):
        found.add(message[at] >> 3)
        length, shift, at = 0, 0, at + 1
        while message[at] & 0x80:
            length, shift, at = length | (message[at] & 0x7F) << shift, shift + 7, at + 1
        at += 1 + (length | message[at] << shift)
    return found


def _message(body: bytes) -> bytes:
    return b"\0" + len(body).to_bytes(4, "big") + body


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def _integer(value: int, bits: int, first: int) -> bytes:
    most = (1 << bits) - 1
    if value < most:
        return bytes((first | value,))
    value -= most
    rest = bytearray((first | most,))
    while value >= 128:
        rest.append(value & 127 | 128)
        value >>= 7
    rest.append(value)
    return bytes(rest)


def _text(text: str) -> bytes:
    data = text.encode()
    return _integer(len(data), 7, 0) + data


def _indexed(name: int, text: str) -> bytes:
    return _integer(name, 6, 0x40) + _text(text)
