"""Ids of calls, which find a call's log line: the caller's own, or one of ours."""

import itertools
import secrets

_LONGEST = 64

# Unique over workers by its beginning, within one by its end; asking the kernel for randomness at every call would cost more than counting.
_mine = secrets.token_hex(6)
_numbers = itertools.count(1)


def request_id(given: str) -> str:
    """Take the caller's id, if it is 1 to 64 printable ASCII characters without spaces; else make one."""
    usable = 0 < len(given) <= _LONGEST and given.isascii() and given.isprintable() and " " not in given
    return given if usable else f"{_mine}-{next(_numbers):x}"
