"""Watching a match over either door: one stream, begun again after a break with the version that was seen last."""

import time

import gevent
from gevent.event import Event

from loadtests.load.calling import BREAK_S, PATIENCE_S, Calls
from loadtests.load.doors import Door, Stream
from loadtests.load.ledger import Ledger, Telling
from loadtests.load.seen import Refused, Step


class Watching:
    """Watches as one viewer until the match is over or nobody wants to know any more."""

    def __init__(self, calls: Calls, door: Door, ledger: Ledger, viewer: int, credential: str, since: int = 0) -> None:
        self.steps: list[Step] = []
        self.arrivals: list[tuple[int, float]] = []
        self.begun = time.perf_counter()
        self.ending = ""
        self.viewer = viewer
        self.version = since
        self.trouble: Refused | None = None
        self._calls, self._door, self._ledger, self._credential = calls, door, ledger, credential
        self.door = door.name
        self._news = Event()
        self._stream: Stream | None = None
        self._is_wanted = True
        self._broken_since = 0.0
        self._greenlet = gevent.spawn(self._run)

    @property
    def is_over(self) -> bool:
        """No more will come."""
        return bool(self.ending or self.trouble) or self._greenlet.dead

    def asked_after(self, seat: int, version: int, patience: float) -> bool:
        """Wait until a step after ``version`` has asked a seat, or nothing more will come; False if it took too long."""
        deadline = time.monotonic() + patience
        while not self.is_over and not any(step.version > version and any(asked == seat for _, asked in step.opened) for step in reversed(self.steps)):
            self._news.clear()
            if not self._news.wait(max(deadline - time.monotonic(), 0)):
                return False
        return True

    def finish(self, *, is_finished: bool, patience: float = 20.0) -> Telling:
        """Let the stream end by itself where the match has, else break it off; returns what was told."""
        if is_finished:
            self._greenlet.join(patience)
        was_told = bool(self.ending)
        self._is_wanted = False
        if self._stream is not None and not self._greenlet.dead:
            self._stream.cancel()
        self._greenlet.kill(timeout=5)
        if is_finished and not was_told and self.trouble is None:
            self._ledger.contradicts(f"{self._source} does not end with the match")
        if was_told:
            self._ledger.endings[self._source] = self.ending
        return Telling(self.viewer, self._source, self.steps, is_whole=is_finished and was_told)

    @property
    def _source(self) -> str:
        return f"a stream over {self._door.name}"

    def _run(self) -> None:
        while self._is_wanted and not self.ending:
            try:
                self._read()
                if self._is_wanted and not self.ending:
                    self._ledger.contradicts(f"{self._source} ended at version {self.version}, before the match did")
                    return
            except Refused as refused:
                if not self._is_wanted:
                    return
                self._broken_since = self._broken_since or time.monotonic()
                if not refused.may_pass or time.monotonic() - self._broken_since > PATIENCE_S:
                    self.trouble = refused
                    self._calls.record(self._door.name, "watch", 0, refused)
                    break
                self._calls.repeat(self._door.name, "watch", refused)
                gevent.sleep(BREAK_S)
        self._news.set()

    def _read(self) -> None:
        begun: float | None = time.perf_counter()
        self._stream = self._door.watch(self._ledger.match_id, self._credential, self.version)
        for told in self._stream:
            now = time.perf_counter()
            if begun is not None:
                self._calls.record(self._door.name, "watch, first message", now - begun)
                begun = None
            self._broken_since = 0.0
            if told.step is not None:
                self.steps.append(told.step)
                self.arrivals.append((told.step.version, now))
            self.version, self.ending = told.version, told.ending
            self._news.set()
