"""Facts about what lies under our prefix: a sample, in limited time."""

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from redis.exceptions import ResponseError

from service.errors import SnapshotUnreadable, Unavailable
from service.matches.library import Library, decode_snapshot
from service.store import is_match_id
from service.store.keys import Keys

_MOST_SECONDS = 5.0
_MOST_SCANNED = 20_000
_MOST_MATCHES = 500
_BATCH = 250
_TYPES = {"match": b"hash", "log": b"stream", "scratch": b"stream"}
_OURS = re.compile(r"\{([0-3][0-9a-f]{2})\}:(match|log|scratch):([0-9a-z-]+)")
_SHARED_TYPES = {"due": b"zset", "sweeper": b"string", "workers": b"zset"}
_SHARED = re.compile(r"\{[0-3][0-9a-f]{2}\}:(due|sweeper|workers)")
_GLOB = re.compile(r"([\\*?\[\]^])")
_WORD = re.compile(r"[A-Za-z_-]{0,16}")


class KeyFacts(msgspec.Struct, kw_only=True):
    """What was seen. ``foreign`` counts keys that are none of ours by the word that their name goes on with after the prefix and their type.

    ``unreadable``, ``unknown_rules`` and ``short_logs`` name matches; ``statuses`` counts those that are fine.
    """

    is_complete: bool = False
    seen: int = 0
    foreign: Counter[str] = msgspec.field(default_factory=Counter)
    never_expiring: int = 0
    statuses: Counter[str] = msgspec.field(default_factory=Counter)
    unreadable: list[str] = msgspec.field(default_factory=list)
    unknown_rules: list[str] = msgspec.field(default_factory=list)
    short_logs: list[str] = msgspec.field(default_factory=list)

    @property
    def matches(self) -> int:
        return self.statuses.total() + len(self.unreadable) + len(self.unknown_rules) + len(self.short_logs)


def look_at_keys(client: Any, prefix: str, library: Library) -> KeyFacts | None:
    """Look at a sample of the keys under a prefix; None if this user may not list keys.

    Raises:
        RedisError, OSError: the connection broke.
    """
    facts = KeyFacts()
    pattern = _GLOB.sub(r"\\\1", prefix) + "*"
    deadline = time.monotonic() + _MOST_SECONDS
    cursor: Any = 0
    while True:
        try:
            cursor, keys = client.scan(cursor, match=pattern, count=_BATCH)
        except ResponseError:  # not allowed, or renamed
            return None
        _look(client, keys, prefix, library, facts)
        if int(cursor) == 0:
            facts.is_complete = True
            return facts
        if time.monotonic() > deadline or facts.seen >= _MOST_SCANNED or facts.matches >= _MOST_MATCHES:
            return facts


def _look(client: Any, keys: Sequence[bytes], prefix: str, library: Library, facts: KeyFacts) -> None:
    asking = client.pipeline(transaction=False)
    for key in keys:
        asking.type(key)
        asking.pttl(key)
    answers = asking.execute(raise_on_error=False)
    for key, kind, ttl in zip(keys, answers[::2], answers[1::2], strict=True):
        if not isinstance(kind, bytes) or kind == b"none":  # expired since, or this may not be asked
            continue
        name = key.decode(errors="replace").removeprefix(prefix)
        shared = _SHARED.fullmatch(name)
        if shared is not None and kind == _SHARED_TYPES[shared[1]]:  # no match's own; those that last are bounded by the buckets
            continue
        facts.seen += 1
        ours = _OURS.fullmatch(name)
        if ours is None or not is_match_id(ours[3]) or not ours[3].startswith(ours[1]) or kind != _TYPES[ours[2]]:
            word = _WORD.match(name)  # no more of it: names may hold what is somebody's secret
            facts.foreign[f"{word[0] if word else ''}… ({kind.decode()})"] += 1
            continue
        facts.never_expiring += ttl == -1
        if ours[2] == "match":
            _look_at_match(client, Keys(prefix), ours[3], library, facts)


def _look_at_match(client: Any, keys: Keys, match_id: str, library: Library, facts: KeyFacts) -> None:
    try:
        revision, snapshot = client.hmget(keys.match(match_id), "r", "s")
    except ResponseError:  # that it may not be asked is told elsewhere
        return
    if revision is None:  # deleted since, or a creation that failed half-way: no match, and it expires
        return
    try:
        tip = client.xrevrange(keys.log(match_id), count=1)  # read after the snapshot: it can only be further on
    except ResponseError:  # no stream
        tip = []
    try:
        record = decode_snapshot(match_id, snapshot if snapshot and revision.isdigit() else b"")
        hosted, _ = library.host(record)
        if record.version:
            hosted.decode_state(record.state)
    except (SnapshotUnreadable, msgspec.MsgspecError):
        facts.unreadable.append(match_id)
    except Unavailable:
        facts.unknown_rules.append(match_id)
    else:
        if record.version > _version_of(tip):
            facts.short_logs.append(match_id)
        else:
            facts.statuses[record.status.value.lower()] += 1


def _version_of(tip: Sequence[tuple[bytes, Mapping[bytes, bytes]]]) -> int:
    return int(tip[0][0].partition(b"-")[0]) if tip else 0
