"""One call as its caller sees it: with credentials, a deadline, and retries where they cannot do harm."""

import random
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import grpc

from umpire_client._rpcs import DELETE_MATCH, Request, Response, Rpc
from umpire_client._steps import Open, Pause, Steps, Stream, send
from umpire_client.errors import DeadlineExceeded, MatchNotFound, UmpireError, Unavailable, WatcherTooSlow

_LACK_BELIEVED = 60.0
_LEAST_ATTEMPT = 0.25


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a call is tried, in seconds.

    Only UNAVAILABLE and CANCELLED (how a stopping worker leaves calls that it has not begun) are retried, with the same request_id, until ``deadline`` has
    passed since the call began: first after some ``first_delay``, then after twice as long each time up to ``longest_delay``; never sooner than the server has
    asked for. As long as the client never had a connection, it is tried for ``first_connection`` only: the address may be wrong.
    """

    deadline: float = 30.0
    first_delay: float = 0.1
    longest_delay: float = 5.0
    first_connection: float = 5.0

    def delay(self, retries: int, retry_after: float | None) -> float:
        """Return how long to wait after so many retries; at random, so that many clients do not come back at the same moment."""
        longest = min(self.longest_delay, self.first_delay * 2.0 ** min(retries, 30))
        return (retry_after or 0.0) + longest * random.uniform(0.5, 1.0)  # noqa: S311  no secret


@dataclass(frozen=True, slots=True)
class Caller:
    """Makes calls with one API key and one policy."""

    api_key: str = ""
    policy: RetryPolicy = RetryPolicy()
    lacking: dict[str, float] = field(default_factory=dict, compare=False)
    """Streams that the server did not know, and until when that is believed: an older release, which may be replaced while this client lives."""

    def call(self, rpc: Rpc[Request, Response], request: Request, credential: str = "") -> Steps[Response]:
        """Call an rpc; a request with a request_id must have one already.

        Raises:
            UmpireError: it was refused, or Unavailable: nobody answered in time.
        """
        metadata = self._metadata(rpc, credential)
        began = time.monotonic()
        ends = began + self.policy.deadline
        retries, maybe_applied = 0, False
        while True:
            try:
                return (yield from send(rpc, request, metadata, max(ends - time.monotonic(), 0.001)))
            except MatchNotFound:
                if rpc is DELETE_MATCH and maybe_applied:
                    return rpc.response()  # an earlier attempt has deleted it
                raise
            except Unavailable as error:
                # Once an attempt may have been applied, a later one that was not changes nothing about that.
                maybe_applied = rpc.changes and (maybe_applied or error.applied != "NO")
                error.applied = "UNKNOWN" if maybe_applied else "NO"
                error.request_id = getattr(request, "request_id", "")
                pause = self.policy.delay(retries, error.retry_after)
                if not error.connected:
                    ends = min(ends, began + self.policy.first_connection)
                # An attempt that ran out of time would hide what this one was told.
                if isinstance(error, DeadlineExceeded) or time.monotonic() + pause >= ends - min(_LEAST_ATTEMPT, self.policy.deadline / 2):
                    raise
            except UmpireError as error:
                # The refusal is this attempt's; an earlier one, whose answer was lost, may have been applied. So may one that the closing client cut off.
                maybe_applied = maybe_applied or (rpc.changes and error.code is grpc.StatusCode.CANCELLED)
                error.applied = "UNKNOWN" if maybe_applied else "NO"
                raise
            yield Pause(pause)
            retries += 1

    def open(self, rpc: Rpc[Any, Any], request: Any, credential: str, timeout: float | None = None) -> Steps[Stream]:
        """Open a stream; that it cannot be had, its first message or end will say."""
        stream: Stream = yield Open(rpc, request, self._metadata(rpc, credential), timeout)
        return stream

    def lacks(self, rpc: Rpc[Any, Any]) -> bool:
        """Say whether the server was found not to know a stream, a short while ago."""
        return time.monotonic() < self.lacking.get(rpc.path, 0.0)

    def note_lack(self, rpc: Rpc[Any, Any]) -> None:
        """Remember that the server does not know a stream."""
        self.lacking[rpc.path] = time.monotonic() + _LACK_BELIEVED

    def _metadata(self, rpc: Rpc[Any, Any], credential: str) -> tuple[tuple[str, str], ...]:
        metadata: tuple[tuple[str, str], ...] = (("authorization", f"Bearer {credential}"),) if credential else ()
        return (*metadata, ("x-api-key", self.api_key)) if rpc.keyed and self.api_key else metadata


class Resuming:
    """Whether and when a stream that broke is opened again: for as long as a call is tried, counted from when it last brought something."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self.progress()

    def progress(self) -> None:
        """Note that something came."""
        self._retries, self._ends = 0, 0.0

    def pause(self, error: UmpireError) -> Steps[None]:
        """Wait before the next attempt.

        Raises:
            UmpireError: ``error``, if no other attempt is to be made.
        """
        if not _resumable(error):
            raise error
        now = time.monotonic()
        connected = not isinstance(error, Unavailable) or error.connected
        self._ends = self._ends or now + (self._policy.deadline if connected else self._policy.first_connection)
        delay = self._policy.delay(self._retries, error.retry_after)
        if now + delay >= self._ends:
            raise error
        yield Pause(delay)
        self._retries += 1


def _resumable(error: UmpireError) -> bool:
    return isinstance(error, Unavailable | WatcherTooSlow) and not isinstance(error, DeadlineExceeded)


def new_request_id() -> str:
    """Make an id that makes a call safe to repeat."""
    return str(uuid.uuid4())


def check_secret(secret: Any, what: str) -> str:
    """Return a credential or an API key without the white space that copying brings; never shows it.

    Raises:
        ValueError: it has characters that none has.
    """
    if not isinstance(secret, str):
        raise ValueError(f"the {what} is a text, not {type(secret).__name__}")  # noqa: TRY004 - one kind of error for all that cannot be one
    stripped: str = secret.strip()
    if not (stripped.isascii() and stripped.isprintable() and " " not in stripped):
        raise ValueError(f"the {what} has characters that none has: was it copied whole, and nothing else?")
    return stripped
