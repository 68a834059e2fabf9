"""Trying what the store does, as the user that it would be.

Nothing is changed in Redis but a match that nobody knows: written for trial, deleted at once, and gone after a minute in any case.
"""

import contextlib
from importlib.resources import files
from typing import Any

from redis.exceptions import NoPermissionError, RedisError, ResponseError

from service.store.keys import Keys, bucket_of

_TTL_MS = 60_000
_NO_SCRIPT = "0" * 40
_LONGEST_TEXT = 160


def refused_commands(client: Any, keys: Keys, match_id: str) -> tuple[str, ...]:
    """Try every command of the store and its script, on keys that do not exist; those that write so that they fail for a reason that comes after permission."""
    match, log, scratch = keys.match(match_id), keys.log(match_id), keys.scratch(match_id)
    bucket = bucket_of(match_id)
    due, sweeper, channel = keys.due(bucket), keys.sweeper(bucket), keys.channel(bucket)
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
        ("ZCARD", scratch),
        ("ZRANGEBYSCORE", scratch, 0, 0),
        ("ZADD", due, "no number", match_id),
        ("ZREM", scratch, match_id),
        ("GET", sweeper),
        ("SET", sweeper, "", "PX", 0),
        ("SPUBLISH", channel, ""),
        ("PEXPIRE", match, _TTL_MS),
        ("DEL", match, log, scratch),
    )
    refused = [str(command[0]) for command in tries if _is_refused(client, command)]
    if not {"PEXPIRE", "DEL"}.intersection(refused):  # HSET has to write to be tried
        refused += ["HSET"] if _is_refused(client, ("HSET", match, "r", "0")) else []
        _is_refused(client, ("PEXPIRE", match, _TTL_MS))
        _is_refused(client, ("DEL", match))
    return (*refused, *_refused_subscriptions(client, channel))


def _refused_subscriptions(client: Any, channel: str) -> list[str]:
    refused = []
    with client.pubsub() as listening:
        for name, try_it in (("SSUBSCRIBE", listening.ssubscribe), ("SUNSUBSCRIBE", listening.sunsubscribe)):
            try:
                try_it(channel)
                listening.get_message(timeout=1)
            except NoPermissionError:
                refused.append(name)
            except ResponseError:  # refused for another reason, which is told elsewhere
                pass
    return refused


def _is_refused(client: Any, command: tuple[Any, ...]) -> bool:
    try:
        client.execute_command(*command)
    except NoPermissionError:
        return True
    except ResponseError as error:
        return "unknown command" in str(error).lower()
    return False


def commit_for_trial(client: Any, keys: Keys, match_id: str) -> str:
    """Commit a match and say what went wrong ("": nothing).

    It is committed twice, the second time over a log that is longer than it should be: then the script uses every command that it has.
    """
    script = files("service.store").joinpath("commit.lua").read_text(encoding="utf-8")
    bucket = bucket_of(match_id)
    names = keys.match(match_id), keys.log(match_id), keys.scratch(match_id)
    shared = keys.due(bucket), keys.channel(bucket)
    first = (0, 1, 0, "probe", _TTL_MS, match_id, 0, 0, 0, "probe", "probe")
    second = (1, 2, 1, "probe", _TTL_MS, match_id, 0, 1, 2**52, "probe")
    try:
        for arguments in (first, second):
            answer = client.eval(script, len(names) + len(shared), *names, *shared, *arguments)
            if answer != b"COMMITTED":
                return f"a commit answers {answer!r}"
    except RedisError as error:
        return in_short(error)
    finally:
        with contextlib.suppress(ResponseError):
            client.delete(*names)
    return ""


def in_short(error: Exception) -> str:
    """Write an error of Redis in one line, with the word that it begins with, which redis-py takes off some."""
    text = " ".join(str(error).split())
    code = getattr(error, "status_code", None)
    text = text if code is None or text.startswith(str(code)) else f"{code} {text}"
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
