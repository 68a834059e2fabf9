"""What the handles and clients of both kinds have in common: all that needs no answer from the server."""

from typing import Generic, TypeVar

from umpire_client._calling import Caller, RetryPolicy, check_secret
from umpire_client._catalog import Catalog
from umpire_client._match import Asking

Ch = TypeVar("Ch")


class Handle(Generic[Ch]):
    """A match and a credential for it."""

    def __init__(self, channel: Ch, asking: Asking) -> None:
        self._channel = channel
        self._asking = asking

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self._asking.match_id

    @property
    def credential(self) -> str:
        """What opens this handle again: keep it secret."""
        return self._asking.credential


class SeatHandle(Handle[Ch]):
    """A match and a credential for a seat of it."""

    @property
    def number(self) -> int:
        """The number of the seat, from 1; 0 while it is not known: after ``client.seat``, before the first answer."""
        return self._asking.seat


class Connected(Generic[Ch]):
    """A client with its channel."""

    def __init__(self, channel: Ch, api_key: str | None, retry: RetryPolicy | None) -> None:
        self._channel = channel
        self._caller = Caller(check_secret(api_key or "", "API key"), retry or RetryPolicy())
        self._catalog = Catalog(self._caller)
