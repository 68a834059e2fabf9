"""Facts about a Redis. Nothing is changed there but a match that nobody knows: written once for trial, deleted at once, gone after a minute in any case."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

import msgspec
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError, RedisError, ResponseError
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from service.redis_address import RedisAddress
from service.store import new_match_id
from service.store.keys import Keys

_TIMEOUT_S = 2.0
_ROUND_TRIPS = 15
_PROBE_TTL_MS = 60_000
_NO_SCRIPT = "0" * 40
_LONGEST_TEXT = 160

_SETTINGS = (
    "appendfsync", "save", "stop-writes-on-bgsave-error", "min-replicas-to-write", "lua-time-limit", "client-output-buffer-limit", "proto-max-bulk-len",
    "dir",
)  # fmt: skip


class RedisFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a Redis says of itself and lets us do.

    ``info`` is INFO, empty if that is refused; ``config`` the settings in ``_SETTINGS`` that could be read; ``refused`` the commands that the store uses and this user may not;
    ``write_error`` what became of a commit ("": it went well). Times in milliseconds; ``clock_ahead_ms`` is Redis's clock less ours.
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


@contextlib.contextmanager
def connected(address: RedisAddress) -> Iterator["Redis"]:
    """Open a client that tries each thing once.

    Raises:
        NoAnswer: Redis does not answer, or does not let us in.
    """
    client = Redis.from_url(
        address.url,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),
        maint_notifications_config=MaintNotificationsConfig(enabled=False),
    )
    try:
        client.connection_pool.get_connection()
        yield client
    except (RedisError, OSError) as error:
        raise NoAnswer(_cut(error)) from error
    finally:
        client.close()


def look_at_redis(client: "Redis", prefix: str) -> RedisFacts:
    """Gather the facts.

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
        user=str(_or(lambda: client.acl_whoami(), "")),  # noqa: PLW0108 - the client's own is untyped
        refused=_refused(client, Keys(prefix), new_match_id()),
        write_error=_write_error(client, Keys(prefix), new_match_id()),
    )


def _or(ask: Callable[[], Any], otherwise: Any) -> Any:
    """Ask what a user may be forbidden to ask, or a server not know."""
    try:
        return ask()
    except ResponseError:
        return otherwise


def _config(client: "Redis") -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _SETTINGS:  # one by one: Redis 6 takes one name only
        found |= {str(key): str(value) for key, value in _or(lambda name=name: client.config_get(name), {}).items()}
    return found


def _round_trips(client: "Redis") -> tuple[float, ...]:
    times = []
    for _ in range(_ROUND_TRIPS):
        started = time.perf_counter()
        _or(client.ping, None)
        times.append((time.perf_counter() - started) * 1_000)
    return tuple(times)


def _clock_ahead_ms(client: "Redis") -> float | None:
    before = time.time()
    answer = _or(client.time, None)
    after = time.time()
    return None if answer is None else (int(answer[0]) + int(answer[1]) / 1e6 - (before + after) / 2) * 1_000


def _refused(client: "Redis", keys: Keys, match_id: str) -> tuple[str, ...]:
    """Try every command that the store and its script use, on keys that do not exist, most of them so that they fail for a reason that comes after permission."""
    match, log, scratch = keys.match(match_id), keys.log(match_id), keys.scratch(match_id)
    tries: tuple[tuple[Any, ...], ...] = (
        ("PING",),
        ("TIME",),
        ("TYPE", match),
        ("HGET", match, "r"),
        ("HMGET", match, "r", "s"),
        ("XRANGE", log, "-", "+", "COUNT", 1),
        ("XREVRANGE", log, "+", "-", "COUNT", 1),
        ("EVALSHA", _NO_SCRIPT, 3, match, log, scratch),
        ("EVAL", "return 1", 3, match, log, scratch),
        ("XADD", log, "0-0", "e", "probe"),
        ("RENAME", scratch, log),
        ("PEXPIRE", match, _PROBE_TTL_MS),
        ("DEL", match, log, scratch),
    )
    refused = [str(command[0]) for command in tries if _is_refused(client, command)]
    if "DEL" not in refused:  # this one has to write to be tried
        refused += ["HSET"] if _is_refused(client, ("HSET", match, "r", "0")) else []
        _is_refused(client, ("PEXPIRE", match, _PROBE_TTL_MS))
        _is_refused(client, ("DEL", match))
    return tuple(refused)


def _is_refused(client: "Redis", command: tuple[Any, ...]) -> bool:
    try:
        client.execute_command(*command)
    except NoPermissionError:
        return True
    except ResponseError as error:
        return "unknown command" in str(error).lower()
    return False


def _write_error(client: "Redis", keys: Keys, match_id: str) -> str:
    """Commit a match twice, the second time over a log that is longer than it should be: then the script uses every command that it has."""
    script = files("service.store").joinpath("commit.lua").read_text(encoding="utf-8")
    names = keys.match(match_id), keys.log(match_id), keys.scratch(match_id)
    try:
        for arguments in ((0, 1, 0, "probe", _PROBE_TTL_MS, "probe", "probe"), (1, 2, 1, "probe", _PROBE_TTL_MS, "probe")):
            answer = client.eval(script, 3, *names, *arguments)
            if answer != b"COMMITTED":
                return f"a commit answers {answer!r}"
    except RedisError as error:
        return _cut(error)
    finally:
        _or(lambda: client.delete(*names), 0)
    return ""


def _cut(error: Exception) -> str:
    text = " ".join(str(error).split())
    code = getattr(error, "status_code", None)
    text = text if code is None or text.startswith(str(code)) else f"{code} {text}"
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
