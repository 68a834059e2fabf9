"""Facts about a Redis: what it says of itself, and what it lets us do."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec
from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from service.doctor.try_commands import commit_for_trial, in_short, refused_commands
from service.store import new_match_id
from service.store.keys import Keys

_TIMEOUT_S = 2.0
_ROUND_TRIPS = 15

_SETTINGS = (
    "appendfsync", "save", "stop-writes-on-bgsave-error", "min-replicas-to-write", "lua-time-limit", "client-output-buffer-limit", "proto-max-bulk-len",
    "dir", "cluster-require-full-coverage",
)  # fmt: skip


class RedisFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a Redis says of itself and lets us do.

    ``info`` is INFO, empty if that is refused; ``config`` the settings in ``_SETTINGS`` that could be read; ``refused`` the commands of the store that this
    user may not use; ``write_error`` what became of a commit ("": it went well). Times in milliseconds; ``clock_ahead_ms`` is Redis's clock less ours.
    """

    info: Mapping[str, Any]
    config: Mapping[str, str]
    round_trips_ms: tuple[float, ...]
    clock_ahead_ms: float | None
    user: str
    refused: tuple[str, ...]
    write_error: str


class NoAnswer(Exception):
    """Redis cannot be asked; the message says why."""


# Clients are Any: redis-py's types are those of both its clients, blocking or not, and of answers decoded or not.


@contextlib.contextmanager
def connected(options: Mapping[str, Any]) -> Iterator[Any]:
    """Open a client, with redis-py's options, that tries each thing once.

    Raises:
        NoAnswer: Redis does not answer, or does not let us in.
    """
    pool = ConnectionPool(
        **options,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),
        maint_notifications_config=MaintNotificationsConfig(enabled=False),
    )
    client = Redis.from_pool(pool)
    try:
        pool.release(pool.get_connection())
        yield client
    except (RedisError, OSError) as error:
        raise NoAnswer(in_short(error)) from error
    finally:
        client.close()


def look_at_redis(client: Any, prefix: str, make_id: Callable[[], str] = new_match_id) -> RedisFacts:
    """Gather the facts; ``make_id`` makes ids of matches that this Redis takes.

    Raises:
        RedisError, OSError: the connection broke.
    """
    info = _or(client.info, {})
    trips = _round_trips(client)
    return RedisFacts(
        info=info,
        config=_config(client),
        round_trips_ms=trips,
        clock_ahead_ms=_clock_ahead_ms(client),
        user=str(_or(client.acl_whoami, "")),
        refused=refused_commands(client, Keys(prefix), make_id()),
        write_error=commit_for_trial(client, Keys(prefix), make_id()),
    )


def _or(ask: Callable[[], Any], otherwise: Any) -> Any:
    """Ask what a user may be forbidden to ask, or a server not know."""
    try:
        return ask()
    except ResponseError:
        return otherwise


def _config(client: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _SETTINGS:  # one by one: Redis 6 takes one name only
        found |= {str(key): str(value) for key, value in _or(partial(client.config_get, name), {}).items()}
    return found


def _round_trips(client: Any) -> tuple[float, ...]:
    times = []
    for _ in range(_ROUND_TRIPS):
        started = time.perf_counter()
        _or(client.ping, None)
        times.append((time.perf_counter() - started) * 1_000)
    return tuple(times)


def _clock_ahead_ms(client: Any) -> float | None:
    before = time.time()
    answer = _or(client.time, None)
    after = time.time()
    return None if answer is None else (int(answer[0]) + int(answer[1]) / 1e6 - (before + after) / 2) * 1_000
