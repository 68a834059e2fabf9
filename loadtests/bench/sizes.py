"""How much a match takes in Redis, by Redis' own account: the snapshot alone in mid-play, and all of it at the end."""

import random
import statistics
from typing import NamedTuple

from redis import Redis

from loadtests.bench.matches import Fresh, play_at_random

_MATCHES = 20
_MID_PLAY = 60


class Size(NamedTuple):
    """Bytes over the matches that were looked at: mean and largest."""

    what: str
    mean: float
    largest: int


def measure_sizes(http: str, redis_url: str) -> list[Size]:
    """Play matches at random and weigh them."""
    mid_play, finished, moves = [], [], []
    with Redis.from_url(redis_url) as redis:
        for number in range(_MATCHES):
            match = Fresh(http, seed=f"{number:064x}")
            made = 0
            for made, _ in enumerate(play_at_random(http, match, random.Random(number)), 1):
                if made == _MID_PLAY:
                    mid_play.append(min(_weigh(redis, match.match_id)))  # the snapshot; the log is the larger one
            finished.append(sum(_weigh(redis, match.match_id)))
            moves.append(made)
    named = {f"bytes in Redis after {_MID_PLAY} moves, without the log": mid_play, "bytes in Redis at the end, log included": finished, "moves a match": moves}
    return [Size(what, statistics.mean(values), max(values)) for what, values in named.items()]


def _weigh(redis: "Redis", match_id: str) -> list[int]:
    return [redis.memory_usage(key) or 0 for key in redis.scan_iter(f"*{match_id}*", count=1000)]
