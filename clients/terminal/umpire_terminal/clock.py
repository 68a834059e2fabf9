"""How much time a decision has left, in words."""

from datetime import UTC, datetime

from umpire.v1.match_pb2 import Decision, Match

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def time_left(decision: Decision, match: Match, now: datetime | None = None) -> str:
    """Say how long a decision is still open; "" if for as long as the seat likes.

    The deadline is by the server's clock and ``now`` by this machine's: where they differ, it never says more than a decision has at most.
    """
    if not decision.HasField("deadline"):
        return ""
    left = (decision.deadline.ToDatetime(tzinfo=UTC) - (now or datetime.now(UTC))).total_seconds()
    if match.HasField("move_timeout"):
        left = min(left, match.move_timeout.ToTimedelta().total_seconds())
    return f"{in_time_words(left)} left" if left >= 1 else "the time is up"


def in_time_words(seconds: float) -> str:
    """Put a length of time into words, rounded down.

    >>> in_time_words(25.4), in_time_words(61), in_time_words(119), in_time_words(7_300), in_time_words(200_000)
    ('25 seconds', '61 seconds', '119 seconds', '2 hours', '2 days')
    """
    for length, unit in _UNITS:
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}s"
    return f"{int(seconds)} second{'' if int(seconds) == 1 else 's'}"
