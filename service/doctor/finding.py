"""What a check has found."""

from enum import StrEnum

import msgspec


class Level(StrEnum):
    """How a check went. UNKNOWN: it could not be looked at, which fails nothing."""

    OK = "ok"
    UNKNOWN = "unknown"
    WARNING = "warning"
    ERROR = "error"


class Finding(msgspec.Struct, frozen=True):
    """One check (``redis.version``): how it went, what was found, and what to do ("": nothing). None of the texts may hold a secret."""

    check: str
    level: Level
    found: str
    advice: str = ""


def ok(check: str, found: str) -> Finding:
    """Say that nothing is to be done."""
    return Finding(check, Level.OK, found)


def unknown(check: str, found: str, advice: str = "") -> Finding:
    """Say that something could not be looked at."""
    return Finding(check, Level.UNKNOWN, found, advice)


def warning(check: str, found: str, advice: str) -> Finding:
    """Say what works and is likely to hurt."""
    return Finding(check, Level.WARNING, found, advice)


def error(check: str, found: str, advice: str) -> Finding:
    """Say what does not work, or loses matches."""
    return Finding(check, Level.ERROR, found, advice)
