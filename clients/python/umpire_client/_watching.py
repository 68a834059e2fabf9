"""Watching a match: each step once and in order, over as many streams as it takes."""

import time
from collections import deque
from typing import TYPE_CHECKING

from umpire.v1.match_pb2 import MATCH_STATUS_ABANDONED, MATCH_STATUS_FINISHED, Match
from umpire.v1.match_service_pb2 import WatchMatchResponse
from umpire_client._calling import Resuming
from umpire_client._rpcs import WATCH_MATCH
from umpire_client._steps import Pause, Read, Steps, Stream
from umpire_client.errors import DeadlineExceeded, UmpireError, Unimplemented

if TYPE_CHECKING:
    from umpire_client._match import Asking

OVER = frozenset({MATCH_STATUS_FINISHED, MATCH_STATUS_ABANDONED})
_FIRST_LOOK, _SELDOMEST_LOOK = 0.05, 1.0


class Watching:
    """One watcher's way through a match: resumes after breaks, and asks at growing intervals where the server has no streams.

    ``seen`` is the last version that came, None: none yet, and the match as it is now comes first. ``timeout`` in seconds, None: as long as the match lasts.
    """

    def __init__(self, asking: "Asking", seen: int | None, *, with_view: bool = False, timeout: float | None = None) -> None:
        self._asking = asking
        self._seen = seen
        self._with_view = with_view
        self._ends = None if timeout is None else time.monotonic() + timeout
        self._resuming = Resuming(asking.caller.policy)
        self._stream: Stream | None = None
        self._found: deque[WatchMatchResponse] = deque()
        self._look = _FIRST_LOOK

    def next(self) -> Steps[WatchMatchResponse | None]:
        """Return the next step, or first the match; None after the end of the match.

        Raises:
            TimeoutError: nothing came within the time.
        """
        while True:
            try:
                message = yield from self._polled() if self._asking.caller.lacks(WATCH_MATCH) else self._streamed()
            except Unimplemented:
                self._asking.caller.note_lack(WATCH_MATCH)
                self.close()
            except DeadlineExceeded as error:
                self.close()
                if self._ends is None:
                    raise
                raise TimeoutError(f"nothing happened in time in match {self._asking.match_id}") from error
            except UmpireError as error:
                self.close()
                yield from self._resuming.pause(error)
            else:
                if message is None:
                    self.close()
                    return None
                self._resuming.progress()
                if (message.HasField("update") or message.HasField("match")) and (self._seen is None or message.version > self._seen):
                    self._seen = message.version
                    return message

    def close(self) -> None:
        """Give up the stream that is open, if one is; ``next`` would open another."""
        if self._stream is not None:
            self._stream.cancel()
            self._stream = None

    def _left(self) -> float | None:
        return None if self._ends is None else max(self._ends - time.monotonic(), 0.001)

    def _streamed(self) -> Steps[WatchMatchResponse | None]:
        if self._stream is None:
            self._stream = yield from self._asking.open_watch(self._seen, with_view=self._with_view, timeout=self._left())
        message: WatchMatchResponse | None = yield Read(self._stream)
        return message

    # ---- where the server has no streams

    def _polled(self) -> Steps[WatchMatchResponse | None]:
        while not self._found:
            match = yield from self._asking.get(omit_view=True)
            if self._with_view and match.version != self._seen:
                match = yield from self._asking.get(omit_view=False)
            if self._seen is None:
                return WatchMatchResponse(version=match.version, match=match)
            if match.version > self._seen:
                yield from self._find(match, self._seen)
            if self._found:
                self._look = _FIRST_LOOK
            elif match.status in OVER:
                return None
            else:
                yield from self._rest()
        return self._found.popleft()

    def _find(self, match: Match, since: int) -> Steps[None]:
        while True:
            page, since = yield from self._asking.page_of_events(since)
            self._found += [WatchMatchResponse(version=update.version, update=update) for update in page if update.version > (self._seen or 0)]
            if not since:
                break
        newest = self._found[-1] if self._found else WatchMatchResponse()
        if newest.version == match.version:
            if match.HasField("view"):
                newest.view.CopyFrom(match.view)
            if match.HasField("outcome"):
                newest.outcome.CopyFrom(match.outcome)

    def _rest(self) -> Steps[None]:
        left = self._left()
        if left is not None and left < self._look:
            raise TimeoutError(f"nothing happened in time in match {self._asking.match_id}")
        yield Pause(self._look)
        self._look = min(self._look * 1.5, _SELDOMEST_LOOK)
