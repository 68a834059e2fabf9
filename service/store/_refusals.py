"""Telling what Redis refuses commands with: callers only hear that the store is unavailable. Serves ``store``."""

import time

import structlog

_log = structlog.get_logger("umpire.store")

_EVERY_S = 15.0


class Refusals:
    """Logs the words of refusals (MISCONF, OOM, READONLY, WRONGPASS, ...), each at most once in a while: there may be thousands a second."""

    def __init__(self) -> None:
        self._told_at: dict[str, float] = {}

    def tell(self, word: str, command: str) -> None:
        """Know of a refusal."""
        now = time.monotonic()
        if now - self._told_at.get(word, -_EVERY_S) >= _EVERY_S:
            self._told_at[word] = now
            _log.warning("the store refuses", reason=word, command=command)
