"""Whether a Redis keeps what it has acknowledged: on disk, in memory, over a fail-over."""

from collections.abc import Iterator
from typing import Any

from service.doctor.finding import Finding, error, ok, unknown, warning
from service.doctor.look_at_redis import RedisFacts

_NEARLY_FULL, _FILLING = 0.9, 0.75


def judge_keeping(facts: RedisFacts) -> Iterator[Finding]:
    """Judge persistence, eviction, memory and replication."""
    yield _append_only(facts)
    yield _fsync(facts)
    yield _append_errors(facts)
    yield _snapshots(facts)
    yield _eviction(facts)
    yield _memory(facts)
    yield _replicas(facts)


def judge_durability(durability: str, facts: RedisFacts) -> Finding:
    """Judge whether what commits wait for (``--durability``) can come."""
    check = "redis.durability"
    if durability == "replica" and not int(facts.info.get("connected_slaves", 1)):
        return error(check, "moves wait for a replica, and none is connected: none is acknowledged", "bring one up, or set --durability none")
    if durability == "aof" and not int(facts.info.get("aof_enabled", 1)):
        return error(check, "moves wait for the append-only file, and there is none: none is acknowledged", "set appendonly yes")
    return ok(check, "moves wait for nothing more than Redis does" if durability == "none" else f"moves wait for {durability}")


def _append_only(facts: RedisFacts) -> Finding:
    check, enabled = "redis.appendonly", facts.info.get("aof_enabled")
    if enabled is None:
        return unknown(check, "it does not say whether it has an append-only file", "set appendonly yes")
    if int(enabled):
        return ok(check, "yes")
    if int(facts.info.get("connected_slaves", 0)):
        return warning(check, "no: only the replicas keep what was acknowledged since the last snapshot", "set appendonly yes")
    saves = facts.config.get("save")
    lost = "everything" if saves == "" else "all since the last snapshot" if saves else "all since the last snapshot, if it takes any,"
    return error(check, f"no: {lost} is lost when Redis ends", "set appendonly yes")


def _fsync(facts: RedisFacts) -> Finding:
    check, policy = "redis.appendfsync", facts.config.get("appendfsync")
    if policy is None:
        return unknown(check, "cannot be read", "see to it that it is always, or that losing a second of moves will do")
    if not int(facts.info.get("aof_enabled", 1)):
        return ok(check, f"{policy}, without meaning while there is no append-only file")
    if policy == "no":
        return error(check, "no: half a minute of acknowledged moves is lost when the machine fails", "set appendfsync always")
    if policy == "everysec":
        return warning(check, "everysec: a second or two of acknowledged moves is lost when the machine fails", "set appendfsync always if that will not do")
    return ok(check, policy)


def _append_errors(facts: RedisFacts) -> Finding:
    check = "redis.append_errors"
    if facts.info.get("aof_last_write_status", "ok") != "ok":
        return error(check, "the last write to the append-only file failed", "see Redis's own log; its disk fails or is full")
    if facts.info.get("aof_last_bgrewrite_status", "ok") != "ok":
        return warning(check, "the last rewriting of the append-only file failed, so it grows", "see Redis's own log; memory or disk is short")
    return ok(check, "none") if facts.info.get("aof_last_write_status") else unknown(check, "it does not say")


def _snapshots(facts: RedisFacts) -> Finding:
    check, status, saves = "redis.snapshots", facts.info.get("rdb_last_bgsave_status"), facts.config.get("save")
    if status is None:
        return unknown(check, "it does not say")
    if status != "ok":
        if facts.config.get("stop-writes-on-bgsave-error") == "no" or saves == "":
            return warning(check, "the last one failed", "see Redis's own log; memory or disk is short")
        return error(check, "the last one failed, and Redis may refuse moves until one succeeds", "see Redis's own log; memory or disk is short")
    return ok(check, "taken when Redis was told to" if saves is None else f"save {saves}" if saves else "none, as the append-only file is enough")


def _eviction(facts: RedisFacts) -> Finding:
    check, policy, evicted = "redis.eviction", facts.info.get("maxmemory_policy"), int(facts.info.get("evicted_keys", 0))
    if policy is None:
        return unknown(check, "it does not say its maxmemory-policy", "set maxmemory-policy noeviction")
    if policy != "noeviction":
        # All keys of Umpire have a time to live, so the volatile policies take them too.
        found = f"maxmemory-policy is {policy}: matches disappear when memory is short"
        return (
            error(check, found, "set maxmemory-policy noeviction") if _number(facts, "maxmemory") else warning(check, found, "set maxmemory-policy noeviction")
        )
    if evicted:
        return warning(check, f"noeviction now, but {evicted} keys were evicted since Redis started", "matches may be missing: see redis.keys")
    return ok(check, "noeviction")


def _memory(facts: RedisFacts) -> Finding:
    check, used = "redis.memory", _number(facts, "used_memory")
    limit, machine = _number(facts, "maxmemory"), _number(facts, "total_system_memory")
    most = limit or machine
    if not used or not most:
        return unknown(check, "it does not say how much it uses")
    whose = "of maxmemory" if limit else "of its machine, without maxmemory"
    shown = f"{_megabytes(used)} of {_megabytes(most)} {whose}"
    if used > most * _NEARLY_FULL:
        return error(check, f"{shown}: moves will be refused", "give it more memory, or matches a shorter time to live")
    if used > most * _FILLING:
        return warning(check, shown, "give it more memory, or matches a shorter time to live")
    return ok(check, shown)


def _replicas(facts: RedisFacts) -> Finding:
    check, replicas, least = "redis.replicas", int(facts.info.get("connected_slaves", 0)), facts.config.get("min-replicas-to-write")
    if least is None:
        return unknown(check, f"{replicas} connected; min-replicas-to-write cannot be read")
    if int(least) > replicas:
        return error(check, f"{replicas} connected, and without {least} Redis refuses moves", "bring the replicas back, or lower min-replicas-to-write")
    if replicas and not int(least):
        found = f"{replicas} connected, and Redis waits for none: a fail-over may lose acknowledged moves"
        return warning(check, found, "set min-replicas-to-write 1, which narrows that to what is under way")
    return ok(check, f"{replicas} connected, {least} needed")


def _number(facts: RedisFacts, name: str) -> int:
    value: Any = facts.info.get(name, 0)
    return int(value) if str(value).isdigit() else 0


def _megabytes(count: int) -> str:
    return f"{count / (1 << 20):,.0f} MB" if count >= 1 << 20 else f"{count / (1 << 20):.1f} MB"
