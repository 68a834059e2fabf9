"""The other end of a client: where it is, and what is said if nobody there can be talked to."""

from typing import Any

import grpc

from umpire_client._status import error_of, never_sent
from umpire_client.errors import DeadlineExceeded, UmpireError, Unavailable

_EXAMPLE = "127.0.0.1:50051"
_LARGEST_PORT = 65_535
CLOSED = "this client is closed: make another one"


class Server:
    """A server's address, and whether anybody has been met there.

    Raises:
        ValueError: the address is none; the message says what is wrong with it.
    """

    def __init__(self, address: Any) -> None:
        self.address = check_address(address)
        self.met = False
        self.closed = False

    def check_open(self) -> None:
        """Make sure that the client has not been closed.

        Raises:
            RuntimeError: it has.
        """
        if self.closed:
            raise RuntimeError(CLOSED)

    def error_of(self, failure: Any) -> UmpireError:
        """Make the error for a grpc.RpcError; where there was nobody to ask, in our own words instead of gRPC's."""
        error = error_of(failure)
        if self.closed and error.code is grpc.StatusCode.CANCELLED:
            return cut_off()
        if never_sent(error):
            said = Unavailable(error.code, self._who_is_missing(error.message))
            said.applied, said.connected = "NO", self.met
            return said
        if not error.reason and error.message.startswith("Received http2 header with status") and not isinstance(error, Unavailable):
            return type(error)(error.code, f"{self.address} does not speak gRPC: is this the gRPC port?")
        self.met = self.met or not isinstance(error, DeadlineExceeded)
        return error

    def _who_is_missing(self, raw: str) -> str:
        if not raw.startswith("failed to connect"):
            return f"the name in {self.address} leads to no machine: is it spelled right?"
        if "CERTIFICATE_VERIFY_FAILED" in raw:
            return f"the certificate of {self.address} is not one that this machine trusts"
        if self.met:
            return f"the connection to {self.address} is lost, and nobody answers there now"
        if "refused" in raw:
            return f"nobody listens at {self.address}: does the server run, and is this the gRPC port?"
        if "Tls handshake" in raw:
            return f"the TLS handshake with {self.address} failed: is this the gRPC port, and does it speak TLS?"
        return f"nobody speaks gRPC at {self.address}: is this the gRPC port? (If it wants TLS, say so.)"


def cut_off() -> UmpireError:
    """Make the error of a call that was under way when its own client was closed."""
    return UmpireError(grpc.StatusCode.CANCELLED, "the client was closed while the call was under way")


def check_address(address: Any) -> str:
    """Return an address without white space around it.

    Raises:
        ValueError: it is no host:port.
    """
    if not isinstance(address, str):
        raise ValueError(f"the address is a text, host:port, such as {_EXAMPLE}; not {address!r}")  # noqa: TRY004 - one kind of error for all bad addresses
    stripped: str = address.strip()
    wrong = _wrong_with(stripped)
    if wrong:
        raise ValueError(f"{wrong}: the address is host:port, such as {_EXAMPLE}; not {address!r}")
    return stripped


def _wrong_with(address: str) -> str:
    if "://" in address:
        return "no scheme stands before it"
    host, colon, port = address.rpartition(":")
    if not colon or address.endswith("]"):
        return "the port is missing"
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        return "a host with colons (IPv6) stands in brackets, and nothing before it"
    if not host or any(letter.isspace() or letter in "/@?#" for letter in host):
        return "the host is missing" if not host else f"{host!r} is no host"
    if not (port.isascii() and port.isdigit() and 0 < int(port[:9]) <= _LARGEST_PORT):
        return f"{port!r} is no port"
    return ""
