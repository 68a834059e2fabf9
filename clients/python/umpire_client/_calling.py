"""One call as its caller sees it: with credentials, a deadline, and retries where they cannot do harm."""

import random
import time
import uuid
from dataclasses import dataclass

from umpire_client._rpcs import DELETE_MATCH, Request, Response, Rpc
from umpire_client._steps import Pause, Steps, send
from umpire_client.errors import DeadlineExceeded, MatchNotFound, UmpireError, Unavailable


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a call is tried, in seconds.

    Only UNAVAILABLE is retried, with the same request_id, until ``deadline`` has passed since the call began: first after some ``first_delay``, then after
    twice as long each time up to ``longest_delay``; never sooner than the server has asked for.
    """

    deadline: float = 30.0
    first_delay: float = 0.1
    longest_delay: float = 5.0

    def delay(self, retries: int, retry_after: float | None) -> float:
        """Return how long to wait after so many retries; at random, so that many clients do not come back at the same moment."""
        longest = min(self.longest_delay, self.first_delay * 2.0 ** min(retries, 30))
        return (retry_after or 0.0) + longest * random.uniform(0.5, 1.0)  # noqa: S311  no secret


@dataclass(frozen=True, slots=True)
class Caller:
    """Makes calls with one API key and one policy."""

    api_key: str = ""
    policy: RetryPolicy = RetryPolicy()

    def call(self, rpc: Rpc[Request, Response], request: Request, credential: str = "") -> Steps[Response]:
        """Call an rpc; a request with a request_id must have one already.

        Raises:
            UmpireError: it was refused, or Unavailable: nobody answered in time.
        """
        metadata: tuple[tuple[str, str], ...] = (("authorization", f"Bearer {credential}"),) if credential else ()
        if rpc.keyed and self.api_key:
            metadata += (("x-api-key", self.api_key),)
        ends = time.monotonic() + self.policy.deadline
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
                if isinstance(error, DeadlineExceeded) or time.monotonic() + pause >= ends:
                    raise
            except UmpireError as error:
                # The refusal is this attempt's; an earlier one, whose answer was lost, may have been applied.
                error.applied = "UNKNOWN" if maybe_applied else "NO"
                raise
            yield Pause(pause)
            retries += 1


def new_request_id() -> str:
    """Make an id that makes a call safe to repeat."""
    return str(uuid.uuid4())
