"""Timestamps and durations, which structs hold as milliseconds, in the forms of proto3 JSON."""

import re
from datetime import UTC, datetime, timedelta

TIMESTAMP = "google.protobuf.Timestamp"
DURATION = "google.protobuf.Duration"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)
_SECONDS = re.compile(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?s", re.ASCII)
_MOST_SECONDS = 315_576_000_000
_FIRST_MS = -62_135_596_800_000
_LAST_MS = 253_402_300_799_999


def timestamp_text(ms: int) -> str:
    """Write milliseconds since 1970 as RFC 3339 in UTC.

    >>> timestamp_text(1_500)
    '1970-01-01T00:00:01.500Z'
    """
    text = (_EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds" if ms % 1000 else "seconds")
    return text[:-6] + "Z"


def duration_text(ms: int) -> str:
    """Write milliseconds as seconds.

    >>> duration_text(604_800_000), duration_text(-1_500)
    ('604800s', '-1.500s')
    """
    seconds, rest = divmod(abs(ms), 1000)
    return f"{'-' if ms < 0 else ''}{seconds}{f'.{rest:03}' if rest else ''}s"


def read_timestamp(text: str) -> int:
    """Read RFC 3339; what is finer than a millisecond is cut off.

    Raises:
        ValueError: it is something else, or out of the range of years 1 to 9999.
    """
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        raise ValueError("not RFC 3339")
    moment = datetime.fromisoformat(match[1] + match[3])
    ms = (moment - _EPOCH) // timedelta(milliseconds=1) + int((match[2] or "").ljust(3, "0")[:3])
    return timestamp_ms(*divmod(ms, 1000), 1_000_000)


def read_duration(text: str) -> int:
    """Read seconds, such as ``90s`` or ``0.5s``; what is finer than a millisecond is cut off.

    Raises:
        ValueError: it is something else, or out of range.
    """
    match = _SECONDS.fullmatch(text)
    if match is None:
        raise ValueError("not seconds with an s")
    sign = -1 if match[1] else 1
    return duration_ms(sign * int(match[2]), sign * int((match[3] or "").ljust(9, "0")))


def timestamp_ms(seconds: int, part: int, nanos_a_part: int = 1) -> int:
    """Make milliseconds of a Timestamp's two numbers.

    Raises:
        ValueError: they are none.
    """
    nanos = part * nanos_a_part
    ms = seconds * 1000 + nanos // 1_000_000
    if not (0 <= nanos < 1_000_000_000 and _FIRST_MS <= ms <= _LAST_MS):
        raise ValueError("out of range")
    return ms


def duration_ms(seconds: int, nanos: int) -> int:
    """Make milliseconds of a Duration's two numbers.

    Raises:
        ValueError: they are out of range, or of different signs.
    """
    if abs(seconds) > _MOST_SECONDS or abs(nanos) >= 1_000_000_000 or seconds * nanos < 0:
        raise ValueError("out of range")
    return seconds * 1000 + int(nanos / 1_000_000)


def split_timestamp(ms: int) -> tuple[int, int]:
    """Split milliseconds into a Timestamp's seconds and nanos."""
    return ms // 1000, ms % 1000 * 1_000_000


def split_duration(ms: int) -> tuple[int, int]:
    """Split milliseconds into a Duration's seconds and nanos, which have the same sign."""
    seconds, rest = divmod(abs(ms), 1000)
    return (-seconds, -rest * 1_000_000) if ms < 0 else (seconds, rest * 1_000_000)
