"""What the synchronous and the asynchronous client share: all that they do is written as generators of steps.

A generator yields a step, is sent the step's result (or has its UmpireError thrown in), and returns what the caller asked for. It knows neither threads nor
event loops; ``_channels.py`` performs the steps in the one way or the other.
"""

from collections.abc import Awaitable, Generator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from umpire_client._rpcs import Request, Response, Rpc

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request once; the result is the response. ``timeout`` in seconds."""

    rpc: Rpc[Any, Any]
    request: Any
    metadata: tuple[tuple[str, str], ...]
    timeout: float


@dataclass(frozen=True, slots=True)
class Open:
    """Open a stream; the result is a Stream. ``request`` is None where the client sends many; ``timeout`` in seconds, None: as long as it lasts."""

    rpc: Rpc[Any, Any]
    request: Any
    metadata: tuple[tuple[str, str], ...]
    timeout: float | None


@dataclass(frozen=True, slots=True)
class Read:
    """Wait for a stream's next message; the result is the message, None at the stream's regular end."""

    stream: "Stream"


@dataclass(frozen=True, slots=True)
class Write:
    """Send a message over a stream; no result. If the stream is broken, the next Read says so."""

    stream: "Stream"
    message: Any


class Stream(Protocol):
    """A stream that is open."""

    def cancel(self) -> None:
        """Give the stream up."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds; no result."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Await:
    """Await something of the caller's; the result is what it gives. Not possible for the synchronous client."""

    awaitable: Awaitable[Any]


Step = Send | Open | Read | Write | Pause | Await
Steps = Generator[Step, Any, T]


def send(rpc: Rpc[Request, Response], request: Request, metadata: tuple[tuple[str, str], ...], timeout: float) -> Steps[Response]:
    """Send a request once."""
    response: Response = yield Send(rpc, request, metadata, timeout)
    return response
