"""Calls as a client makes them: tried again while a failure may pass, measured from the first try, each told to Locust once."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

import gevent
from locust.env import Environment

from loadtests.load.seen import Refused
from loadtests.load.tally import Tally

T = TypeVar("T")

PATIENCE_S = 30.0
"""How long a failure that may pass is borne, of a call or a stream."""

BREAK_S = 0.25
"""The pause before a stream that broke is opened again."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0


class Calls:
    """Makes a user's calls."""

    def __init__(self, environment: Environment, tally: Tally) -> None:
        self._environment = environment
        self.tally = tally

    def make(self, door: str, name: str, call: Callable[[], T], *expected: str) -> T:
        """Make a call. ``expected`` names reasons for which it may be refused: such a refusal is no failure.

        Raises:
            Refused: the service refused it, or could not be reached for long.
        """
        begun = time.perf_counter()
        pause = _FIRST_PAUSE_S
        while True:
            try:
                answer = call()
            except Refused as refused:
                seconds = time.perf_counter() - begun
                if refused.may_pass and seconds < PATIENCE_S:
                    self.repeat(door, name, refused)
                    gevent.sleep(pause * random.uniform(0.5, 1))
                    pause = min(pause * 2, _LONGEST_PAUSE_S)
                    continue
                self.record(door, name, seconds, None if refused.reason in expected else refused)
                raise
            self.record(door, name, time.perf_counter() - begun)
            return answer

    def repeat(self, door: str, name: str, refused: Refused) -> None:
        """Count a call that is made again because of a failure that may pass."""
        self.tally.repeated[f"{door} {name}: {refused.reason}"] += 1

    def record(self, door: str, name: str, seconds: float, refused: Refused | None = None) -> None:
        """Tell Locust about a call."""
        self._environment.events.request.fire(
            request_type=door, name=name, response_time=seconds * 1000, response_length=0, exception=refused, context={}, url="", response=None
        )
