"""Whether a Redis is one that Umpire can work with: its version and role, what we may do there, how fast it answers."""

import re
from collections.abc import Iterator
from statistics import median

from service.doctor.finding import Finding, error, ok, unknown, warning
from service.doctor.look_at_redis import RedisFacts
from service.redis_address import RedisAddress
from service.redis_place import Kind

_SLOW_MS, _TOO_SLOW_MS = 10.0, 250.0
_CLOCK_MS, _CLOCK_FAR_MS = 5_000.0, 3_600_000.0
_SHORTEST_SCRIPT_LIMIT_MS = 100
_SMALLEST_ANSWER = 16 << 20
_CONNECTIONS_A_WORKER = 17
_LIMITS = re.compile(r"normal (\d+) (\d+) (\d+)")

_WRITING = {
    "READONLY": "name the primary; a replica takes no moves",
    "OOM": "give it more memory (maxmemory)",
    "MISCONF": "its disk fails or is full: see Redis's own log",
    "NOREPLICAS": "bring its replicas back, or lower min-replicas-to-write",
    "NOPERM": "give this user the commands and keys that redis.commands and redis.acl name",
    "MOVED": "this is one node of a cluster: name the cluster, redis+cluster://…",
    "CLUSTERDOWN": "the cluster has slots that nobody serves: see redis.cluster",
    "BUSY": "another program's script blocks it: give Umpire a Redis of its own",
}


def judge_server(address: RedisAddress, facts: RedisFacts, workers: int) -> Iterator[Finding]:
    """Judge a Redis that ``workers`` workers would use."""
    yield _version(facts)
    yield _role(facts)
    yield _cluster(address, facts)
    yield _user(address, facts)
    yield _commands(facts)
    yield _writing(facts)
    yield _latency(facts)
    yield _clock(facts)
    yield _clients(facts, workers)
    yield _scripts(facts)
    yield _answers(facts)


def _version(facts: RedisFacts) -> Finding:
    check = "redis.version"
    version = str(facts.info.get("redis_version", ""))
    major = int(found[0]) if (found := re.match(r"\d+", version)) else 0
    own = facts.info.get("valkey_version")
    shown = f"Valkey {own} (as Redis {version})" if own else f"Redis {version}"
    if not major:
        return unknown(check, "it does not say its version", "7 or newer is needed")
    if major < 7:  # SPUBLISH, with which watchers are woken
        return error(check, f"{shown}: it does not know commands that Umpire needs", "use version 7 or newer")
    return ok(check, shown)


def _role(facts: RedisFacts) -> Finding:
    if facts.info.get("redis_mode") == "sentinel":
        return error("redis.role", "this is a sentinel, which keeps nothing", "name the primary that it watches")
    role = facts.info.get("role")
    if role is None:
        return unknown("redis.role", "it does not say whether it is a primary")
    if role != "master":
        return error("redis.role", "this is a replica: it takes no moves, or loses them", "name the primary")
    return ok("redis.role", f"primary, {facts.info.get('connected_slaves', 0)} replicas")


def _cluster(address: RedisAddress, facts: RedisFacts) -> Finding:
    check, enabled = "redis.cluster", facts.info.get("cluster_enabled")
    if enabled is None:
        return unknown(check, "it does not say whether it is a node of a cluster")
    if int(enabled) and address.kind is not Kind.CLUSTER:
        return error(check, "this is a node of a cluster, and is named as if it were alone", "name the cluster: redis+cluster://host:port,host:port")
    if not int(enabled):
        return ok(check, "no cluster")
    if facts.config.get("cluster-require-full-coverage") == "yes":
        found = "a node of the cluster; when any slots are away, it refuses all"
        return warning(check, found, "set cluster-require-full-coverage no, so that the other matches go on")
    return ok(check, "a node of the cluster")


def _user(address: RedisAddress, facts: RedisFacts) -> Finding:
    if not address.has_password and not address.is_local:
        return warning("redis.user", "it lets everybody in who reaches it: hands and seeds are there in the open", "give it a user with a password")
    return ok("redis.user", facts.user) if facts.user else unknown("redis.user", "it does not say who we are there")


def _commands(facts: RedisFacts) -> Finding:
    if facts.refused:
        return error("redis.commands", f"refused to this user: {', '.join(facts.refused)}", "allow these commands on all keys with the prefix (ACL SETUSER)")
    return ok("redis.commands", "all that Umpire uses")


def _writing(facts: RedisFacts) -> Finding:
    if not facts.write_error:
        return ok("redis.commit", "a match written for trial was committed, and is deleted")
    advice = next((text for kind, text in _WRITING.items() if kind in facts.write_error), "see Redis's own log")
    if "can't run this command" in facts.write_error or "can't access at least one of the keys" in facts.write_error:
        advice = _WRITING["NOPERM"]
    return error("redis.commit", f"a match written for trial was refused: {facts.write_error}", advice)


def _latency(facts: RedisFacts) -> Finding:
    check = "redis.latency"
    middle, longest = median(facts.round_trips_ms), max(facts.round_trips_ms)
    shown = f"a round trip takes {middle:.1f} ms, at most {longest:.1f} ms"
    if middle > _TOO_SLOW_MS:
        return error(check, f"{shown}: calls will fail, they are given up after 1.5 s", "bring workers and Redis together")
    if middle > _SLOW_MS:
        return warning(check, f"{shown}, and each move needs one or two", "bring workers and Redis together")
    return ok(check, shown)


def _clock(facts: RedisFacts) -> Finding:
    check, ahead = "clock", facts.clock_ahead_ms
    if ahead is None:
        return unknown(check, "Redis does not say its time")
    shown = f"Redis's clock is {abs(ahead) / 1_000:.1f} s {'ahead of' if ahead > 0 else 'behind'} this machine's"
    if abs(ahead) > _CLOCK_FAR_MS:
        return error(check, f"{shown}: credentials end at the wrong time", "set both clocks by a time service (NTP)")
    if abs(ahead) > _CLOCK_MS:
        return warning(check, f"{shown}: logs and matches tell other times", "set both clocks by a time service (NTP)")
    return ok(check, shown)


def _clients(facts: RedisFacts, workers: int) -> Finding:
    check, limit, connected = "redis.clients", facts.info.get("maxclients"), facts.info.get("connected_clients")
    if limit is None or connected is None:
        return unknown(check, "it does not say how many clients it takes")
    needed = workers * _CONNECTIONS_A_WORKER
    shown = f"{connected} of {limit} connections are taken"
    if int(limit) - int(connected) < needed:
        return warning(check, f"{shown}, and {workers} workers take up to {needed}", "raise maxclients")
    return ok(check, shown)


def _scripts(facts: RedisFacts) -> Finding:
    check, limit = "redis.script_limit", facts.config.get("lua-time-limit")
    if limit is None:
        return unknown(check, "lua-time-limit cannot be read")
    if 0 < int(limit) < _SHORTEST_SCRIPT_LIMIT_MS:
        return warning(check, f"lua-time-limit is {limit} ms: a commit that is held up makes Redis refuse others", "set it to 5000")
    return ok(check, f"lua-time-limit is {limit} ms")


def _answers(facts: RedisFacts) -> Finding:
    check, limits = "redis.output_buffers", facts.config.get("client-output-buffer-limit")
    if limits is None:
        return unknown(check, "client-output-buffer-limit cannot be read")
    found = _LIMITS.search(limits)
    hard, soft = (int(found[1]), int(found[2])) if found else (0, 0)
    smallest = min((limit for limit in (hard, soft) if limit), default=0)
    if 0 < smallest < _SMALLEST_ANSWER:
        return warning(check, f"normal clients are cut off at {smallest} bytes: a long log does not pass", "set client-output-buffer-limit normal 0 0 0")
    return ok(check, f"normal clients: {smallest or 'no limit'}")
