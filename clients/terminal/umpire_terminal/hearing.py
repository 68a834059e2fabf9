"""What happens at the table, heard in a thread of its own: so that it can be told also while somebody thinks about what to type."""

import queue
import threading
from collections.abc import Callable

from umpire.v1.match_pb2 import Update
from umpire_client import Seat, UmpireError

Heard = Update | UmpireError | None
"""A step; why nothing more is heard; or None after the end of the match."""


class Hearing:
    """Hears of each step after a version once, in order. ``arrived`` is called in the thread after each time that something was put into ``heard``."""

    def __init__(self, seat: Seat, since_version: int, arrived: Callable[[], None]) -> None:
        self.heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        self._seat = seat
        self._since = since_version
        self._arrived = arrived
        threading.Thread(target=self._listen, daemon=True, name="hearing").start()

    def _listen(self) -> None:
        try:
            for seen in self._seat.watch(since_version=self._since):
                self._put(seen.update)
            self._put(None)
        except UmpireError as error:
            self._put(error)
        except RuntimeError:
            pass  # the person has left, and the client is closed

    def _put(self, one: Heard) -> None:
        self.heard.put(one)
        self._arrived()
