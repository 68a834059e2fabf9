"""Reading W3C's ``traceparent``, for the log line of a call that is not traced here."""

import re

_SHAPE = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")


def trace_id_of(traceparent: str) -> str:
    """Return the trace id, or "" if this is none: a caller may send anything. A later version of the format may go on after the flags."""
    found = _SHAPE.fullmatch(traceparent)
    return "" if found is None or (found[1] == "00" and found[3] is not None) else found[2]
