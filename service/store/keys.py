"""Match ids, and the names of a match's keys.

A match id starts with one of 1,024 buckets; all keys of a match carry its bucket as hash tag, so that one script can touch them (and the keys that all
matches of a bucket share) on a Redis Cluster.
"""

import base64
import hashlib
import re
import secrets

_BUCKETS = 1_024
_BUCKET_DIGITS = 3
FIRST_BUCKET = "0" * _BUCKET_DIGITS
"""Where what concerns no bucket lies."""
_RANDOM_BYTES = 15
_SHAPE = re.compile(r"[0-3][0-9a-f]{2}-[a-z2-7]{24}")


def new_match_id() -> str:
    """Make a match id at random, not to be guessed."""
    return _match_id(secrets.token_bytes(_RANDOM_BYTES + 2))


def derive_match_id(secret: bytes) -> str:
    """Make the match id that belongs to these bytes (at least 17), always the same."""
    return _match_id(hashlib.sha256(secret).digest())


def is_match_id(text: str) -> bool:
    """Whether a text has the shape of a match id; anything else names no match."""
    return _SHAPE.fullmatch(text) is not None


class Keys:
    """Names the keys of matches; ``prefix`` keeps several services apart in one Redis."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def match(self, match_id: str) -> str:
        """Name the hash with a match's revision and snapshot."""
        return f"{self._prefix}{{{bucket_of(match_id)}}}:match:{match_id}"

    def log(self, match_id: str) -> str:
        """Name the stream with a match's log."""
        return f"{self._prefix}{{{bucket_of(match_id)}}}:log:{match_id}"

    def scratch(self, match_id: str) -> str:
        """Name the key that a commit may use and leaves empty."""
        return f"{self._prefix}{{{bucket_of(match_id)}}}:scratch:{match_id}"

    def due(self, bucket: str) -> str:
        """Name the sorted set of a bucket's matches that are to be looked at, by the time when, in milliseconds."""
        return f"{self._prefix}{{{bucket}}}:due"

    def sweeper(self, bucket: str) -> str:
        """Name the key that says which worker looks at a bucket's due matches now."""
        return f"{self._prefix}{{{bucket}}}:sweeper"

    def workers(self) -> str:
        """Name the sorted set of the workers that are there, by the time at which they last said so, in milliseconds."""
        return f"{self._prefix}{{{FIRST_BUCKET}}}:workers"

    def channel(self, bucket: str) -> str:
        """Name the channel that tells the ids of a bucket's matches when they have changed."""
        return f"{self._prefix}{{{bucket}}}:steps"


def bucket_of(match_id: str) -> str:
    """Return the bucket of a match."""
    return match_id[:_BUCKET_DIGITS]


def all_buckets() -> list[str]:
    """List the buckets."""
    return [f"{bucket:0{_BUCKET_DIGITS}x}" for bucket in range(_BUCKETS)]


def _match_id(data: bytes) -> str:
    bucket = int.from_bytes(data[:2], "big") % _BUCKETS
    name = base64.b32encode(data[2 : 2 + _RANDOM_BYTES]).decode().lower()
    return f"{bucket:0{_BUCKET_DIGITS}x}-{name}"
