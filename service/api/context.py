"""What a handler knows of its caller, and what it tells the log."""

from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from service.credentials import Credential, Role
from service.messages import Message


class Call(NamedTuple):
    """What a door knows of a call besides its request.

    ``credential`` and ``api_key`` are as sent, "" if none; ``request_id`` finds the log line (the caller's ``x-request-id``, or a new one);
    ``transport`` is grpc, rest or connect.
    """

    credential: str
    api_key: str
    request_id: str
    transport: str


class Needs(Enum):
    """What a call must show before anything else is looked at."""

    NOTHING = "nothing"
    API_KEY = "an API key"
    CREDENTIAL = "a credential"
    CREATOR = "the creator's credential and an API key"


_NOBODY = Credential("", Role.SPECTATOR, {}, 0, 0)


class Context:
    """A call under way: its authenticated caller, and which match and game it turned out to be about, for the log line."""

    __slots__ = ("api_key_name", "call", "credential", "game", "match_id")

    def __init__(self, call: Call, credential: Credential = _NOBODY, api_key_name: str = "") -> None:
        self.call = call
        self.credential = credential
        self.api_key_name = api_key_name
        self.match_id = credential.match_id
        self.game = ""


Handler = Callable[[Context, Any], Awaitable[Message]]
H = TypeVar("H", bound=Callable[..., Awaitable[Message]])


def needs(what: Needs) -> Callable[[H], H]:
    """Declare what a handler's calls must show."""

    def mark(handler: H) -> H:
        handler.needs = what  # type: ignore[attr-defined]
        return handler

    return mark
