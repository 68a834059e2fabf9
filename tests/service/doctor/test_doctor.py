"""``umpire doctor`` as an operator runs it, against real servers with real faults."""

import secrets
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from redis import Redis

from engines.registry import games
from service.matches.library import Library, encode
from service.matches.match import Match
from service.private_redis import PrivateRedis
from service.store.keys import Keys
from tests.matchmaking import create
from tests.service.admin.running import Said, umpire
from tests.service.doctor.conftest import StartRedis
from tests.serving import RestCaller, Serving, free_port

SECRET = secrets.token_hex(32)
API_KEY = secrets.token_hex(16)
LIBRARY = Library(games())
README = (Path(__file__).parents[3] / "README.md").read_text()
# The README says them: these commands, and those with which the doctor sees everything.
COMMANDS = (
    "+ping +time +type +hget +hmget +hset +xadd +xrange +xrevrange +zadd +zrem +zcard +zrangebyscore +get +set"
    " +spublish +ssubscribe +sunsubscribe +evalsha +eval +rename +pexpire +del"
)
LOOKING = "+info +config|get +scan +pttl +acl|whoami"


def doctor(redis_url: str, *more: str, **variables: str) -> Said:
    """Examine what a worker would run on, with safe settings and ports that are free."""
    ports = {"http_port": str(free_port()), "grpc_port": str(free_port()), "ops_port": str(free_port())}
    safe = {"signing_keys": f"first:{SECRET}", "api_keys": f"lobby:{API_KEY}"}
    return umpire("doctor", "--json", *more, redis_url=redis_url, **(ports | safe | variables))


def found(said: Said) -> dict[str, dict[str, str]]:
    return {one["check"]: one for one in said.document["findings"]}


def wrong(said: Said) -> dict[str, str]:
    """List what is wrong, checks with their levels; what this machine has too little of is not of interest here."""
    return {
        one["check"]: one["level"]
        for one in said.document["findings"]
        if one["level"] in {"warning", "error"} and not one["check"].startswith(("machine.open_files", "machine.memory", "machine.disk"))
    }


# ---- Redis


def test_a_redis_that_is_fine_passes_and_is_left_as_it_was(start_redis: StartRedis) -> None:
    url = start_redis()
    said = doctor(url)
    assert (said.status, wrong(said)) == (0, {}), said.everything
    assert said.document["as"] == "worker"
    assert said.document["status"] in {"ok", "warning"}
    assert Redis.from_url(url).keys() == []


def test_for_people_each_finding_is_one_line_and_the_last_line_counts(start_redis: StartRedis) -> None:
    ports = {"http_port": str(free_port()), "grpc_port": str(free_port()), "ops_port": str(free_port())}
    said = umpire("doctor", redis_url=start_redis(appendonly="no"), signing_keys=f"a:{SECRET}", api_keys=f"b:{API_KEY}", **ports)
    *lines, last = said.out.splitlines()
    assert all(line.split()[0] in {"ok", "unknown", "warning", "error"} for line in lines)
    assert [line for line in lines if line.startswith("error") and "redis.appendonly" in line and "set appendonly yes" in line]
    assert last.startswith("errors: 1, warnings: ")
    assert said.status == 1


@pytest.mark.parametrize(("settings", "expected"), [
    ({"appendonly": "no"}, {"redis.appendonly": "error"}),
    ({"appendonly": "no", "save": "3600 1"}, {"redis.appendonly": "error"}),
    ({"appendfsync": "everysec"}, {"redis.appendfsync": "warning"}),
    ({"appendfsync": "no"}, {"redis.appendfsync": "error"}),
    ({"maxmemory": "200mb", "maxmemory_policy": "allkeys-lru"}, {"redis.eviction": "error"}),
    ({"maxmemory_policy": "volatile-lru"}, {"redis.eviction": "warning"}),
    ({"maxmemory": "100kb"}, {"redis.memory": "error", "redis.commit": "error"}),
    ({"replicaof": "127.0.0.1 1"}, {"redis.role": "error", "redis.commit": "error"}),
    ({"cluster_enabled": "yes"}, {"redis.cluster": "error", "redis.commit": "error"}),
    ({"min_replicas_to_write": "1"}, {"redis.replicas": "error", "redis.commit": "error"}),
    ({"lua_time_limit": "5"}, {"redis.script_limit": "warning"}),
    ({"client_output_buffer_limit": "normal 1mb 0 0"}, {"redis.output_buffers": "warning"}),
    ({"maxclients": "10"}, {"redis.clients": "warning"}),
    ({"rename_command": "EVAL hidden"}, {"redis.commands": "error", "redis.commit": "error"}),
])  # fmt: skip
def test_a_redis_with_a_fault_is_told(start_redis: StartRedis, settings: dict[str, str], expected: dict[str, str]) -> None:
    said = doctor(start_redis(**settings))
    assert wrong(said) == expected
    assert said.status == int("error" in expected.values())
    assert all(found(said)[check]["advice"] for check in expected)


def with_user(start_redis: StartRedis, *rules: str) -> tuple[str, Redis]:
    url = start_redis()
    owner = Redis.from_url(url)
    owner.execute_command("ACL", "SETUSER", "umpire", "on", ">a-password", *rules)
    return f"{url.replace('unix://', 'unix://umpire:a-password@')}", owner


def test_a_user_with_the_commands_of_the_store_only_will_do_and_what_it_may_not_ask_is_unknown(start_redis: StartRedis) -> None:
    url, owner = with_user(start_redis, "~umpire:*", "&umpire:*", *COMMANDS.split())
    said = doctor(url)
    assert (said.status, wrong(said)) == (0, {}), said.everything
    assert {check for check, one in found(said).items() if one["level"] == "unknown"} >= {"redis.version", "redis.appendonly", "redis.eviction", "redis.keys"}
    assert owner.keys() == []


def test_the_readme_says_which_commands_a_user_needs_for_all_to_be_known(start_redis: StartRedis) -> None:
    assert f"`{COMMANDS}`" in README
    assert f"`{LOOKING}`" in README
    url, _ = with_user(start_redis, "~umpire:*", "&umpire:*", *COMMANDS.split(), *LOOKING.split())
    assert not [check for check, one in found(doctor(url)).items() if one["level"] == "unknown" and not check.startswith("machine.")]


@pytest.mark.parametrize("command", [command.removeprefix("+").upper() for command in COMMANDS.split()])
def test_a_command_that_is_missing_is_named(start_redis: StartRedis, command: str) -> None:
    url, owner = with_user(start_redis, "~umpire:*", "&umpire:*", *(one for one in COMMANDS.split() if one != f"+{command.lower()}"), "+info")
    said = doctor(url)
    assert found(said)["redis.commands"]["level"] == "error"
    assert found(said)["redis.commands"]["found"].endswith(f": {command}")
    assert said.status == 1
    assert command == "DEL" or owner.keys() == []
    assert all(owner.pttl(key) > 0 for key in owner.scan_iter())


def test_keys_outside_of_what_the_user_may_touch_are_noticed(start_redis: StartRedis) -> None:
    url, _ = with_user(start_redis, "~other:*", "&other:*", "+@all")
    assert wrong(doctor(url)) == {"redis.commands": "error", "redis.commit": "error"}
    assert wrong(doctor(url, key_prefix="other:")) == {}


@pytest.mark.parametrize("url", ["redis://:hush-hush@127.0.0.1:1/2", "unix://:hush-hush@/nowhere/at/all.sock", "rediss://:hush-hush@127.0.0.1:1"])
def test_a_redis_that_is_away(url: str) -> None:
    said = doctor(url)
    assert (said.status, wrong(said)) == (1, {"redis.answer": "error"})
    assert "hush-hush" not in said.everything


def test_a_wrong_password(start_redis: StartRedis) -> None:
    url = start_redis(requirepass="the-right-one").replace("unix://", "unix://:hush-hush@")
    said = doctor(url)
    assert (said.status, wrong(said)) == (1, {"redis.answer": "error"})
    assert "WRONGPASS" in found(said)["redis.answer"]["found"]
    assert "hush-hush" not in said.everything


# ---- what lies there


@pytest.fixture
def used(start_redis: StartRedis) -> Iterator[tuple[str, Redis, RestCaller]]:
    url = start_redis()
    serving = Serving(url).start()
    yield url, Redis.from_url(url), RestCaller(serving)
    serving.stop()


def test_matches_are_counted_and_each_fault_among_the_keys_is_told(used: tuple[str, Redis, RestCaller]) -> None:
    url, client, caller = used
    keys = Keys("umpire:")
    matches = [create(caller, move_timeout="600s") for _ in range(5)]  # with deadlines: what all matches of a bucket share is no foreign key
    ids = [match.match_id for match in matches]
    matches[0].play("draw")
    said = doctor(url)
    assert wrong(said) == {}
    assert found(said)["redis.keys"]["found"] == "all 10 keys, 5 matches: 5 active"

    record = Match.open(ids[1], client.hget(keys.match(ids[1]), "s"), LIBRARY).record
    client.hset(keys.match(ids[1]), "s", encode(msgspec.structs.replace(record, ruleset=99)))
    client.hset(keys.match(ids[2]), "s", b"gibberish")
    client.delete(keys.log(ids[3]))
    client.persist(keys.match(ids[4]))
    client.set("umpire:session:a-token-of-somebody", "1", ex=100)
    client.set("something:else", "1")
    client.set(keys.match("3ff-" + "b" * 24), "of another type", ex=100)
    said = doctor(url)
    assert said.status == 1
    assert wrong(said) == {
        "redis.rulesets": "error", "redis.unreadable": "error", "redis.logs": "error", "redis.expiry": "warning", "redis.foreign_keys": "warning",
    }  # fmt: skip
    for check, match_id in (("redis.rulesets", ids[1]), ("redis.unreadable", ids[2]), ("redis.logs", ids[3])):
        assert f"1 match (such as {match_id})" in found(said)[check]["found"]
    assert "2 keys" in found(said)["redis.foreign_keys"]["found"]
    assert "a-token-of-somebody" not in said.everything
    assert found(doctor(url, key_prefix="elsewhere:"))["redis.keys"]["found"] == "all 0 keys, 0 matches"


def test_a_prefix_with_signs_of_a_pattern_is_taken_as_it_stands(start_redis: StartRedis) -> None:
    url = start_redis()
    Redis.from_url(url).set("abc:mine", "1", ex=100)
    assert found(doctor(url, key_prefix="[a-c]?*:"))["redis.keys"]["found"] == "all 0 keys, 0 matches"


# ---- settings


def test_settings_that_a_worker_does_not_take_are_told_with_all_else_and_end_with_status_2(start_redis: StartRedis) -> None:
    said = umpire("doctor", "--json", redis_url=start_redis(appendonly="no"), ops_port=str(free_port()))
    assert said.status == 2
    told = found(said)
    assert "--signing-keys" in told["settings"]["found"]
    assert "--api-keys" in told["settings"]["found"]
    assert told["redis.appendonly"]["level"] == "error"


def test_a_worker_without_an_address_is_told_of_serve_too() -> None:
    said = umpire("doctor", "--json")
    assert said.status == 2
    assert "--redis-url" in found(said)["settings"]["found"]
    assert "--as serve" in found(said)["settings"]["advice"]
    assert "settings.signing_keys" in found(said)


@pytest.mark.parametrize(("variables", "said"), [
    ({"http_port": "many"}, "UMPIRE_HTTP_PORT"),
    ({"signing_keys": "first:abcdef"}, "UMPIRE_SIGNING_KEYS"),
    ({"api_keys": "no-name-but-a-key"}, "UMPIRE_API_KEYS"),
])  # fmt: skip
def test_a_setting_that_cannot_be_read_is_named_and_not_repeated_if_it_is_a_key(variables: dict[str, str], said: str) -> None:
    told = doctor("redis://127.0.0.1:1", **variables)
    assert told.status == 2
    assert said in found(told)["settings"]["found"]
    assert "abcdef" not in told.everything
    assert "no-name-but-a-key" not in told.everything


@pytest.mark.parametrize("url", ["redis://:hush/hush@127.0.0.1", "hush", "http://hush", "redis://:hush#hush@127.0.0.1", "redis://hush?hush@127.0.0.1"])
def test_an_address_that_cannot_be_read_is_not_repeated(url: str) -> None:
    said = doctor(url)
    assert said.status == 2
    assert "hush" not in said.everything


def test_no_secret_is_ever_said(start_redis: StartRedis) -> None:
    url, _ = with_user(start_redis, "~*", "+@all")
    for command in ("worker", "serve"):
        for flags in ((), ("--json",)):
            said = umpire(
                "doctor", "--as", command, *flags, redis_url=url, signing_keys=f"first:{SECRET},first:{SECRET}", api_keys=f"lobby:{API_KEY},site:{API_KEY}"
            )
            assert said.out.count("settings.signing_keys") >= 1
            for secret in (SECRET, API_KEY, "a-password"):
                assert secret not in said.everything


def test_a_wildcard_origin_lets_nobody_in(start_redis: StartRedis) -> None:
    said = doctor(start_redis(), cors_origins="*")
    assert (said.status, wrong(said)) == (0, {"settings.cors_origins": "warning"})


# ---- this machine


def test_ports_in_use_by_umpire_are_fine_and_by_another_are_not(serving: Serving, redis_server: PrivateRedis) -> None:
    ours = {"http_port": str(serving.http_port), "grpc_port": str(serving.grpc_port), "ops_port": str(serving.ops_ports[0])}
    told = found(doctor(redis_server.url, **ours))
    for check in ("machine.http_port", "machine.grpc_port", "machine.ops_port"):
        assert told[check]["level"] == "ok"
        assert "Umpire" in told[check]["found"]
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        for setting in ("http_port", "grpc_port", "ops_port"):
            one = found(doctor(redis_server.url, **{setting: port}))[f"machine.{setting}"]
            assert one["level"] == "error"
            assert f"UMPIRE_{setting.upper()}" in one["advice"]


def test_an_address_that_is_not_this_machines(redis_server: PrivateRedis) -> None:
    told = found(doctor(redis_server.url, host="192.0.2.1"))
    assert told["machine.http_port"]["level"] == "error"
    assert "--host" in told["machine.http_port"]["advice"]


def serve(state_dir: Path, **variables: str) -> Said:
    ports = {"http_port": str(free_port()), "grpc_port": str(free_port()), "ops_port": str(free_port())}
    return umpire("doctor", "--as", "serve", "--json", state_dir=str(state_dir), workers="1", **(ports | variables))


def test_a_machine_on_which_serve_has_not_run_yet_is_fine_and_stays_untouched(tmp_path: Path) -> None:
    said = serve(tmp_path / "state")
    assert (said.status, wrong(said)) == (0, {}), said.everything
    assert "not there yet" in found(said)["machine.state_dir"]["found"]
    assert found(said)["machine.redis_server"]["level"] == "ok"
    assert not (tmp_path / "state").exists()


def test_the_private_redis_is_examined_while_it_runs(tmp_path: Path) -> None:
    server = PrivateRedis(tmp_path)
    server.start()
    try:
        (tmp_path / "signing.key").write_text(SECRET)
        (tmp_path / "signing.key").chmod(0o600)
        tmp_path.chmod(0o700)
        said = serve(tmp_path)
        assert (said.status, wrong(said)) == (0, {}), said.everything
        assert found(said)["redis.appendfsync"]["found"] == "always"
    finally:
        server.stop()
    assert SECRET not in said.everything


@pytest.mark.parametrize(("content", "mode", "expected"), [
    (SECRET, 0o644, "error"),
    (SECRET[:20], 0o600, "error"),
    ("no hex at all", 0o600, "error"),
    (SECRET, 0o600, "ok"),
], ids=["others may read it", "too short", "no hex", "as made"])  # fmt: skip
def test_the_signing_key_of_serve(tmp_path: Path, content: str, mode: int, expected: str) -> None:
    (tmp_path / "signing.key").write_text(content)
    (tmp_path / "signing.key").chmod(mode)
    said = serve(tmp_path)
    assert found(said)["machine.signing_key"]["level"] == expected
    assert content not in said.everything
    assert stat.S_IMODE((tmp_path / "signing.key").stat().st_mode) == mode


def test_a_state_directory_that_others_can_look_into(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert found(serve(tmp_path))["machine.state_dir"]["level"] == "warning"
    (tmp_path / "file").touch()
    assert found(serve(tmp_path / "file"))["machine.state_dir"]["level"] == "error"


def test_the_options_of_both_commands_are_taken(tmp_path: Path) -> None:
    said: Any = umpire(
        "doctor", "--as", "worker", "--index", "2", "--workers", "3", "--state-dir", str(tmp_path), "--no-insecure", "--key-prefix", "x:", "--json"
    )
    assert said.status == 2
    assert found(said)["settings.key_prefix"]["found"] == "x:"
    assert "9466" in found(said)["settings.ports"]["found"]
