"""What each fact means, one by one: facts in, findings out."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from service.config import Settings, Tls, read_settings
from service.credentials import SigningKey
from service.doctor.finding import Finding, Level
from service.doctor.judge_keeping import judge_durability, judge_keeping
from service.doctor.judge_keys import judge_keys
from service.doctor.judge_machine import judge_machine, judge_server_program
from service.doctor.judge_server import judge_server
from service.doctor.judge_settings import judge_address, judge_settings
from service.doctor.look_at_keys import KeyFacts
from service.doctor.look_at_machine import FileFact, MachineFacts, PortFact, PortState
from service.doctor.look_at_redis import RedisFacts
from service.redis_address import read_address

HERE = read_address("redis://:secret@127.0.0.1")
INFO: dict[str, Any] = {
    "redis_version": "7.2.4", "redis_mode": "standalone", "role": "master", "connected_slaves": 0, "cluster_enabled": 0, "maxclients": 10_000,
    "connected_clients": 3, "aof_enabled": 1, "aof_last_write_status": "ok", "aof_last_bgrewrite_status": "ok", "rdb_last_bgsave_status": "ok",
    "maxmemory_policy": "noeviction", "maxmemory": 1 << 30, "used_memory": 1 << 20, "total_system_memory": 1 << 34, "evicted_keys": 0,
}  # fmt: skip
CONFIG = {
    "appendfsync": "always", "save": "", "stop-writes-on-bgsave-error": "yes", "min-replicas-to-write": "0", "lua-time-limit": "5000",
    "client-output-buffer-limit": "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", "dir": "/data",
}  # fmt: skip
REDIS = RedisFacts(info=INFO, config=CONFIG, round_trips_ms=(0.2, 0.3, 0.2), clock_ahead_ms=3.0, user="umpire", refused=(), write_error="")
FILE = FileFact(exists=True, mode=0o600, is_writable=True, content="5a3b" * 16)
MACHINE = MachineFacts(
    host="127.0.0.1",
    ports=(PortFact("http-port", 8080, PortState.FREE),),
    open_files=65_536,
    memory=1 << 33,
    cores=4,
    state_dir=Path("state"),
    state=FileFact(exists=True, is_directory=True, mode=0o700, is_writable=True),
    key=FILE,
    disk_free=1 << 35,
    redis_server="/usr/bin/redis-server",
)
RANDOM_KEY = SigningKey("2026", bytes(range(40, 72)))
API_KEY = "an-api-key-that-is-long"


def worker(**changes: Any) -> Settings:
    settings = read_settings("worker", {}, {"UMPIRE_REDIS_URL": "redis://x", "UMPIRE_INSECURE": "1"})
    safe = {"insecure": False, "signing_keys": (RANDOM_KEY,), "api_keys": {"lobby": API_KEY}}
    return msgspec.structs.replace(settings, **(safe | changes))


def redis(**changes: Any) -> list[Finding]:
    """Judge a Redis that is fine but for these changes; names of INFO and CONFIG go where they belong, None takes one away."""
    info, config, facts = dict(INFO), dict(CONFIG), {}
    for name, value in changes.items():
        if name in RedisFacts.__struct_fields__:
            facts[name] = value
            continue
        home = config if name.replace("_", "-") in CONFIG else info
        key = name.replace("_", "-") if home is config else name
        home.pop(key, None)
        if value is not None:
            home[key] = value
    found = msgspec.structs.replace(REDIS, **({"info": info, "config": config} | facts))
    return [*judge_server(HERE, found, 2), *judge_keeping(found)]


def levels(findings: Iterable[Finding]) -> set[Level]:
    return {finding.level for finding in findings}


def expect(findings: Iterable[Finding], check: str, level: Level, *words: str) -> None:
    """Expect a finding of this check and level, with these words, and nothing worse than OK of any other check."""
    found = list(findings)
    (chosen,) = [finding for finding in found if finding.check == check and finding.level is level]
    assert all(word in f"{chosen.found}; {chosen.advice}" for word in words), chosen
    assert bool(chosen.advice) or level in {Level.OK, Level.UNKNOWN}
    others = [finding for finding in found if finding.check != check and finding.level in {Level.WARNING, Level.ERROR}]
    assert not others, others


def test_a_set_up_without_fault_has_none() -> None:
    assert levels(redis()) == {Level.OK}
    assert levels(judge_settings("worker", worker(), None)) == {Level.OK}
    assert levels(judge_settings("serve", read_settings("serve", {}, {}), None)) == {Level.OK}
    assert levels([*judge_machine("serve", MACHINE, 2), judge_server_program(MACHINE)]) == {Level.OK}
    assert levels(judge_keys(KeyFacts(is_complete=True, seen=4, statuses=Counter(active=2)))) == {Level.OK}


@pytest.mark.parametrize(("changes", "check", "level", "words"), [
    ({"redis_version": "5.0.14"}, "redis.version", Level.ERROR, ("5.0.14", "7 or newer")),
    ({"redis_version": "6.2.14"}, "redis.version", Level.ERROR, ("6.2.14", "7 or newer")),
    ({"redis_version": "7.2.4", "valkey_version": "8.0.1"}, "redis.version", Level.OK, ("Valkey 8.0.1",)),
    ({"redis_version": "10.0.0"}, "redis.version", Level.OK, ("10.0.0",)),
    ({"redis_version": None}, "redis.version", Level.UNKNOWN, ("7 or newer",)),
    ({"role": "slave"}, "redis.role", Level.ERROR, ("replica", "primary")),
    ({"redis_mode": "sentinel"}, "redis.role", Level.ERROR, ("sentinel",)),
    ({"cluster_enabled": 1}, "redis.cluster", Level.ERROR, ("cluster",)),
    ({"refused": ("XADD", "RENAME")}, "redis.commands", Level.ERROR, ("XADD, RENAME", "ACL")),
    ({"write_error": "READONLY You can't write against a read only replica."}, "redis.commit", Level.ERROR, ("primary",)),
    ({"write_error": "OOM command not allowed when used memory > 'maxmemory'."}, "redis.commit", Level.ERROR, ("maxmemory",)),
    ({"write_error": "MISCONF Redis is configured to save RDB snapshots"}, "redis.commit", Level.ERROR, ("disk",)),
    ({"write_error": "NOREPLICAS Not enough good replicas to write."}, "redis.commit", Level.ERROR, ("min-replicas-to-write",)),
    ({"write_error": "ERR something new"}, "redis.commit", Level.ERROR, ("something new", "log")),
    ({"round_trips_ms": (20.0, 22.0, 900.0)}, "redis.latency", Level.WARNING, ("22.0 ms", "900.0 ms")),
    ({"round_trips_ms": (300.0, 300.0, 300.0)}, "redis.latency", Level.ERROR, ("300.0 ms",)),
    ({"round_trips_ms": (0.2, 0.2, 900.0)}, "redis.latency", Level.OK, ("900.0 ms",)),
    ({"clock_ahead_ms": -8_000.0}, "clock", Level.WARNING, ("8.0 s behind", "NTP")),
    ({"clock_ahead_ms": 7_200_000.0}, "clock", Level.ERROR, ("7200.0 s ahead", "NTP")),
    ({"clock_ahead_ms": None}, "clock", Level.UNKNOWN, ()),
    ({"maxclients": 30}, "redis.clients", Level.WARNING, ("3 of 30", "34")),
    ({"lua_time_limit": "20"}, "redis.script_limit", Level.WARNING, ("20 ms", "5000")),
    ({"lua_time_limit": None}, "redis.script_limit", Level.UNKNOWN, ()),
    ({"client_output_buffer_limit": "normal 1048576 0 0 slave 0 0 0"}, "redis.output_buffers", Level.WARNING, ("1048576", "normal 0 0 0")),
    ({"client_output_buffer_limit": "normal 0 1024 60 slave 0 0 0"}, "redis.output_buffers", Level.WARNING, ("1024",)),
    ({"client_output_buffer_limit": "normal 1073741824 0 0"}, "redis.output_buffers", Level.OK, ()),
    ({"aof_enabled": 0}, "redis.appendonly", Level.ERROR, ("everything", "appendonly yes")),
    ({"aof_enabled": 0, "save": "3600 1"}, "redis.appendonly", Level.ERROR, ("last snapshot", "appendonly yes")),
    ({"aof_enabled": 0, "save": None}, "redis.appendonly", Level.ERROR, ("appendonly yes",)),
    ({"aof_enabled": 0, "connected_slaves": 1, "min_replicas_to_write": "1"}, "redis.appendonly", Level.WARNING, ("appendonly yes",)),
    ({"aof_enabled": None}, "redis.appendonly", Level.UNKNOWN, ()),
    ({"appendfsync": "everysec"}, "redis.appendfsync", Level.WARNING, ("second", "always")),
    ({"appendfsync": "no"}, "redis.appendfsync", Level.ERROR, ("always",)),
    ({"appendfsync": None}, "redis.appendfsync", Level.UNKNOWN, ()),
    ({"aof_last_write_status": "err"}, "redis.append_errors", Level.ERROR, ("disk",)),
    ({"aof_last_bgrewrite_status": "err"}, "redis.append_errors", Level.WARNING, ("grows",)),
    ({"rdb_last_bgsave_status": "err", "save": "3600 1"}, "redis.snapshots", Level.ERROR, ("refuse",)),
    ({"rdb_last_bgsave_status": "err", "save": "3600 1", "stop_writes_on_bgsave_error": "no"}, "redis.snapshots", Level.WARNING, ()),
    ({"rdb_last_bgsave_status": "err"}, "redis.snapshots", Level.WARNING, ()),
    ({"maxmemory_policy": "allkeys-lru"}, "redis.eviction", Level.ERROR, ("allkeys-lru", "noeviction")),
    ({"maxmemory_policy": "volatile-ttl"}, "redis.eviction", Level.ERROR, ("volatile-ttl", "noeviction")),
    ({"maxmemory_policy": "allkeys-lru", "maxmemory": 0}, "redis.eviction", Level.WARNING, ("noeviction",)),
    ({"evicted_keys": 7}, "redis.eviction", Level.WARNING, ("7 keys",)),
    ({"maxmemory_policy": None}, "redis.eviction", Level.UNKNOWN, ("noeviction",)),
    ({"used_memory": 950 << 20}, "redis.memory", Level.ERROR, ("950 MB of 1,024 MB",)),
    ({"used_memory": 800 << 20}, "redis.memory", Level.WARNING, ("800 MB",)),
    ({"used_memory": 800 << 20, "maxmemory": 0}, "redis.memory", Level.OK, ("of its machine",)),
    ({"used_memory": 15 << 30, "maxmemory": 0}, "redis.memory", Level.ERROR, ("of its machine",)),
    ({"used_memory": None}, "redis.memory", Level.UNKNOWN, ()),
    ({"connected_slaves": 2}, "redis.replicas", Level.WARNING, ("2 connected", "min-replicas-to-write 1")),
    ({"connected_slaves": 1, "min_replicas_to_write": "2"}, "redis.replicas", Level.ERROR, ("without 2",)),
    ({"connected_slaves": 2, "min_replicas_to_write": "1"}, "redis.replicas", Level.OK, ()),
    ({"min_replicas_to_write": None}, "redis.replicas", Level.UNKNOWN, ()),
])  # fmt: skip
def test_a_fact_about_redis(changes: dict[str, Any], check: str, level: Level, words: tuple[str, ...]) -> None:
    expect(redis(**changes), check, level, *words)


@pytest.mark.parametrize(("durability", "changes", "level", "words"), [
    ("none", {}, Level.OK, ()),
    ("replica", {"connected_slaves": 1}, Level.OK, ("replica",)),
    ("replica", {"connected_slaves": 0}, Level.ERROR, ("none is connected",)),
    ("aof", {}, Level.OK, ("aof",)),
    ("aof", {"aof_enabled": 0}, Level.ERROR, ("appendonly yes",)),
])  # fmt: skip
def test_what_commits_wait_for_can_come_or_not(durability: str, changes: dict[str, Any], level: Level, words: tuple[str, ...]) -> None:
    facts = msgspec.structs.replace(REDIS, info=INFO | changes)
    expect([judge_durability(durability, facts)], "redis.durability", level, *words)


def test_a_redis_that_says_nothing_of_itself_fails_nothing() -> None:
    silent = RedisFacts(info={}, config={}, round_trips_ms=(1.0,), clock_ahead_ms=None, user="", refused=(), write_error="")
    assert levels([*judge_server(HERE, silent, 2), *judge_keeping(silent)]) == {Level.OK, Level.UNKNOWN}


@pytest.mark.parametrize(("url", "level", "words"), [
    ("redis://127.0.0.1", Level.OK, ("this machine",)),
    ("redis://[::1]:7000/2", Level.OK, ("redis://[::1]:7000/2",)),
    ("unix:///run/redis.sock?db=2", Level.OK, ("unix:///run/redis.sock",)),
    ("rediss://u:p@redis.internal", Level.OK, ("TLS",)),
    ("redis://u:p@redis.internal", Level.WARNING, ("without TLS", "rediss://")),
])  # fmt: skip
def test_an_address(url: str, level: Level, words: tuple[str, ...]) -> None:
    expect([judge_address(read_address(url))], "redis.address", level, *words)


def test_a_redis_elsewhere_without_a_password_is_open() -> None:
    expect(judge_server(read_address("rediss://redis.internal"), REDIS, 2), "redis.user", Level.WARNING, "password")


@pytest.mark.parametrize(("changes", "check", "level", "words"), [
    ({"signing_keys": ()}, "settings.signing_keys", Level.WARNING, ("UMPIRE_SIGNING_KEYS",)),
    ({"signing_keys": (SigningKey("old", b"\x5a" * 32),)}, "settings.signing_keys", Level.ERROR, ("old", "random")),
    ({"signing_keys": (RANDOM_KEY, SigningKey("2026", bytes(range(32))))}, "settings.signing_keys", Level.ERROR, ("2026", "twice")),
    ({"signing_keys": (RANDOM_KEY, SigningKey("2025", RANDOM_KEY.secret))}, "settings.signing_keys", Level.WARNING, ("same key",)),
    ({"api_keys": {"lobby": "short"}}, "settings.api_keys", Level.WARNING, ("lobby", "16")),
    ({"api_keys": {"lobby": API_KEY, "site": API_KEY}}, "settings.api_keys", Level.WARNING, ("same key",)),
    ({"insecure": True}, "settings.insecure", Level.WARNING, ("--insecure",)),
    ({"insecure": False, "host": "0.0.0.0"}, "settings.insecure", Level.OK, ("0.0.0.0", "TLS is the business of what stands before it")),
    ({"tls": Tls(Path("c.pem"), Path("k.pem"), None)}, "settings.insecure", Level.OK, ("off, listening on 127.0.0.1; with TLS",)),
    ({"allow_seeds": True}, "settings.allow_seeds", Level.WARNING, ("hidden card", "--allow-seeds")),
    ({"cors_origins": ("*",)}, "settings.cors_origins", Level.WARNING, ("no origin",)),
    ({"cors_origins": ("https://a.example", "https://b.example/")}, "settings.cors_origins", Level.WARNING, ("entry 2",)),
    ({"cors_origins": ("b.example",)}, "settings.cors_origins", Level.WARNING, ("entry 1",)),
    ({"cors_origins": ("https://B.example",)}, "settings.cors_origins", Level.WARNING, ("small letters",)),
    ({"cors_origins": ("https://a.example", "http://localhost:3000")}, "settings.cors_origins", Level.OK, ()),
    ({"key_prefix": ""}, "settings.key_prefix", Level.WARNING, ("--key-prefix",)),
    ({"key_prefix": "{umpire}:"}, "settings.key_prefix", Level.ERROR, ("braces",)),
    ({"http_port": 50_051}, "settings.ports", Level.ERROR, ("overlap",)),
    ({"grpc_port": 0}, "settings.ports", Level.ERROR, ("port 0",)),
    ({"ops_port": 65_535, "index": 1}, "settings.ports", Level.ERROR, ("65535",)),
])  # fmt: skip
def test_a_setting_of_a_worker(changes: dict[str, Any], check: str, level: Level, words: tuple[str, ...]) -> None:
    expect(judge_settings("worker", worker(**changes), None), check, level, *words)


@pytest.mark.parametrize("missing", [{"signing_keys": ()}, {"api_keys": {}}])
def test_an_address_that_all_can_reach_needs_keys(missing: dict[str, Any]) -> None:
    found = {finding.check: finding for finding in judge_settings("worker", worker(insecure=True, host="0.0.0.0", **missing), None)}
    assert found["settings.insecure"].level is Level.ERROR
    served = msgspec.structs.replace(read_settings("serve", {}, {}), host="192.0.2.7")
    assert {finding.check: finding.level for finding in judge_settings("serve", served, None)}["settings.insecure"] is Level.ERROR


def test_the_key_that_serve_made_is_not_for_production() -> None:
    expect(judge_settings("worker", worker(), RANDOM_KEY.secret), "settings.signing_keys", Level.WARNING, "umpire serve")


def test_no_key_is_ever_in_a_finding() -> None:
    settings = worker(signing_keys=(RANDOM_KEY, SigningKey("2026", RANDOM_KEY.secret)), api_keys={"a": "tiny-secret", "b": "tiny-secret"})
    text = repr(list(judge_settings("worker", settings, RANDOM_KEY.secret)))
    assert RANDOM_KEY.secret.hex() not in text
    assert "tiny-secret" not in text


@pytest.mark.parametrize(("changes", "check", "level", "words"), [
    ({"ports": (PortFact("http-port", 8080, PortState.OURS),)}, "machine.http_port", Level.OK, ("Umpire",)),
    ({"ports": (PortFact("http-port", 8080, PortState.TAKEN),)}, "machine.http_port", Level.ERROR, ("8080", "--http-port or UMPIRE_HTTP_PORT")),
    ({"ports": (PortFact("grpc-port", 80, PortState.REFUSED, "Permission denied"),)}, "machine.grpc_port", Level.ERROR, ("Permission denied", "--host")),
    ({"open_files": 64}, "machine.open_files", Level.ERROR, ("64", "ulimit")),
    ({"open_files": 1_024}, "machine.open_files", Level.WARNING, ("1024",)),
    ({"open_files": -1}, "machine.open_files", Level.OK, ("no limit",)),
    ({"memory": 100 << 20}, "machine.memory", Level.WARNING, ("100 MB", "200 MB")),
    ({"memory": None}, "machine.memory", Level.UNKNOWN, ()),
    ({"state": FileFact(exists=False), "key": FileFact(exists=False)}, "machine.state_dir", Level.OK, ("not there yet",)),
    ({"state": FileFact(exists=True, mode=0o600)}, "machine.state_dir", Level.ERROR, ("no directory", "--state-dir")),
    ({"state": FileFact(exists=True, is_directory=True, mode=0o500)}, "machine.state_dir", Level.ERROR, ("written", "--state-dir")),
    ({"state": FileFact(exists=True, is_directory=True, mode=0o755, is_writable=True)}, "machine.state_dir", Level.WARNING, ("0755", "chmod 700")),
    ({"key": msgspec.structs.replace(FILE, mode=0o644)}, "machine.signing_key", Level.ERROR, ("0644", "chmod 600")),
    ({"key": msgspec.structs.replace(FILE, content=None)}, "machine.signing_key", Level.ERROR, ("cannot be read",)),
    ({"key": msgspec.structs.replace(FILE, content="zz" * 32)}, "machine.signing_key", Level.ERROR, ("no key",)),
    ({"key": msgspec.structs.replace(FILE, content="00ff")}, "machine.signing_key", Level.ERROR, ("no key",)),
    ({"disk_free": 10 << 20}, "machine.disk", Level.ERROR, ("10 MB",)),
    ({"disk_free": 500 << 20}, "machine.disk", Level.WARNING, ("500 MB",)),
    ({"cores": 0}, "machine.cores", Level.WARNING, ("--workers",)),
])  # fmt: skip
def test_a_fact_about_the_machine(changes: dict[str, Any], check: str, level: Level, words: tuple[str, ...]) -> None:
    expect(judge_machine("serve", msgspec.structs.replace(MACHINE, **changes), 2), check, level, *words)


def test_a_worker_needs_no_state_directory() -> None:
    bad = msgspec.structs.replace(MACHINE, state=FileFact(exists=True, mode=0o777), key=msgspec.structs.replace(FILE, mode=0o666))
    assert levels(judge_machine("worker", bad, 1)) == {Level.OK}


def test_a_machine_without_a_redis_server_cannot_serve_alone() -> None:
    expect([judge_server_program(msgspec.structs.replace(MACHINE, redis_server=""))], "machine.redis_server", Level.ERROR, "--redis-url")


@pytest.mark.parametrize(("facts", "check", "level", "words"), [
    (None, "redis.keys", Level.UNKNOWN, ("SCAN",)),
    (KeyFacts(seen=100, statuses=Counter(active=40, finished=10)), "redis.keys", Level.OK, ("a sample of 100 keys", "50 matches", "40 active")),
    (KeyFacts(foreign=Counter({"session… (string)": 3})), "redis.foreign_keys", Level.WARNING, ("3 keys", "session… (string)", "--key-prefix")),
    (KeyFacts(never_expiring=2), "redis.expiry", Level.WARNING, ("2 keys", "PEXPIRE")),
    (KeyFacts(unreadable=["a", "b"]), "redis.unreadable", Level.ERROR, ("2 matches (such as a)", "SNAPSHOT_UNREADABLE")),
    (KeyFacts(unknown_rules=["a"]), "redis.rulesets", Level.ERROR, ("1 match (such as a)", "newer")),
    (KeyFacts(short_logs=["a"]), "redis.logs", Level.ERROR, ("1 match (such as a)",)),
])  # fmt: skip
def test_what_lies_under_the_prefix(facts: KeyFacts | None, check: str, level: Level, words: tuple[str, ...]) -> None:
    expect(judge_keys(facts), check, level, *words)
