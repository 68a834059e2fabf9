"""What a handler knows of its caller, and what it tells the log."""

from collections.abc import Awaitable, Callable, Coroutine
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from service.credentials import Credential, Role
from service.messages import Message


class Left(Exception):
    """The caller of a stream is gone: there is nobody to tell anything."""


class Call(NamedTuple):
    """What a door knows of a call besides its request.

    ``credential`` and ``api_key`` are as sent, "" if none; ``request_id`` finds the log line (the caller's ``x-request-id``, or a new one);
    ``transport`` is grpc, rest or connect; ``traceparent`` and ``tracestate`` are W3C's trace context as sent, "" if none.
    """

    credential: str
    api_key: str
    request_id: str
    transport: str
    traceparent: str = ""
    tracestate: str = ""


class Needs(Enum):
    """What a call must show before anything else is looked at."""

    NOTHING = "nothing"
    API_KEY = "an API key"
    CREDENTIAL = "a credential"
    CREATOR = "the creator's credential and an API key"


_NOBODY = Credential("", Role.SPECTATOR, {}, (0, 0), 0)


class Context:
    """A call under way: its authenticated caller, and which match and game it turned out to be about, for the log line.

    Of a stream also ``version``, the last that its caller was sent.
    """

    __slots__ = ("api_key_name", "call", "credential", "game", "match_id", "version")

    def __init__(self, call: Call, credential: Credential = _NOBODY, api_key_name: str = "") -> None:
        self.call = call
        self.credential = credential
        self.api_key_name = api_key_name
        self.match_id = credential.match_id
        self.game = ""
        self.version = 0


Handler = Callable[[Context, Any], Awaitable[Message]]

Send = Callable[[Any], Coroutine[Any, Any, None]]
"""Sends one message of a stream, and waits until the caller has room for it. It raises TooSlow if that takes too long."""

Receive = Callable[[], Awaitable[Any]]
"""Waits for the caller's next message; None: there will be no more. It raises InvalidRequest for one that cannot be read, and can be called again."""

StreamHandler = Callable[[Context, Any, Send], Awaitable[None]]
"""Handles a stream: its request, or Receive where the caller streams too. The stream ends when it returns."""

H = TypeVar("H", bound=Callable[..., Awaitable[Any]])


def needs(what: Needs) -> Callable[[H], H]:
    """Declare what a handler's calls must show."""

    def mark(handler: H) -> H:
        handler.needs = what  # type: ignore[attr-defined]
        return handler

    return mark
