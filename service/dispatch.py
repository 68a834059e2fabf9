"""The one way from a door to a handler: decode, handle, encode, translate errors, log and count. Both doors end here."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

from service.contract import Rpc
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


Handler = Callable[[Call, Any], Awaitable[Message]]


class Dispatcher(Protocol):
    """Runs calls."""

    async def run(self, rpc: Rpc, call: Call, decode: Callable[[], Message], encode: Callable[[Message], bytes]) -> bytes:
        """Run one call and return the encoded answer.

        Raises:
            ApiError: whatever goes wrong, the unforeseen as Internal.
        """
        ...
