"""The whole service on a cluster: matches are played, operators are told, and a master that dies does not make the worker unready."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.matchmaking import create
from tests.service.admin.running import Said, umpire
from tests.service.store.redis_groups import RedisCluster, Watched
from tests.serving import RestCaller, Serving

KEYS = {"signing_keys": "first:" + "0123456789abcdef" * 4, "api_keys": "lobby:an-api-key-that-is-long"}


@pytest.fixture
def own_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisCluster]:
    cluster = RedisCluster(tmp_path_factory.mktemp("own"), replicas=0)
    yield cluster
    cluster.stop()


@pytest.fixture
def serving(own_cluster: RedisCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Serving, Path]]:
    popen, log = subprocess.Popen, tmp_path / "log"
    with log.open("wb") as stream, monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", lambda *args, **more: popen(*args, stderr=stream, **more))
        running = Serving(own_cluster.url).start()
    yield running, log
    running.stop()


def ready(serving: Serving) -> int:
    return httpx.get(f"http://127.0.0.1:{serving.ops_ports[0]}/readyz", timeout=5).status_code


def test_matches_are_played_and_shown_and_a_worker_stays_ready_while_one_master_is_away(own_cluster: RedisCluster, serving: tuple[Serving, Path]) -> None:
    worker, log = serving
    caller = RestCaller(worker)
    matches = [create(caller) for _ in range(24)]
    for match in matches:
        match.play(match.legal()["legalMoves"][0]["moveId"])
    shown = umpire("admin", "match", "show", matches[0].match_id, "--json", redis_url=own_cluster.url)
    assert shown.status == 0, shown.err
    assert {key["type"] for key in shown.document["keys"]} == {"hash", "stream"}
    assert all(key["bytes"] > 0 and key["ttl_ms"] > 0 for key in shown.document["keys"])

    own_cluster.masters[0].kill()
    answers = [caller.call("GetMatch", {"match_id": match.match_id}, match.spectator) for match in matches for _ in range(2)]
    away = [answer for answer in answers if not answer.ok]
    assert {answer.reason for answer in away} == {"STORE_UNAVAILABLE"}
    assert 0 < len(away) < len(answers)
    assert ready(worker) == 200
    assert log.read_text().count("a server of the store is away") == 1
    metrics = httpx.get(f"http://127.0.0.1:{worker.ops_ports[0]}/metrics").text
    assert 'outcome="unavailable"' in metrics

    deadline = time.monotonic() + 30
    for master in own_cluster.masters:
        master.kill()
    while ready(worker) == 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    caller.close()


# ---- what the doctor says


def doctor(url: str) -> Said:
    return umpire("doctor", "--json", redis_url=url, **KEYS)


def found(said: Said, check: str) -> list[dict[str, Any]]:
    return [one for one in said.document["findings"] if one["check"] == check]


def test_the_doctor_looks_at_each_master_of_a_cluster(own_cluster: RedisCluster) -> None:
    own_cluster.masters[0].client.config_set("appendfsync", "no")
    for server in own_cluster.masters:
        server.client.config_set("appendonly", "yes")
    said = doctor(own_cluster.url)
    (slots,) = found(said, "redis.slots")
    assert slots["level"] == "ok"
    assert all(str(server.port) in slots["found"] for server in own_cluster.masters)
    assert [one["level"] for one in found(said, "redis.commit")] == ["ok"], said.everything
    assert [one["level"] for one in found(said, "redis.cluster")] == ["ok"]
    assert [one["level"] for one in found(said, "redis.standby")] == ["warning"]
    fsync = {one["level"]: one["found"] for one in found(said, "redis.appendfsync")}
    assert fsync["error"].startswith(f"127.0.0.1:{own_cluster.masters[0].port}: no")
    assert all(f"127.0.0.1:{server.port}" in fsync["warning"] for server in own_cluster.masters[1:])
    assert all(server.client.keys() == [] for server in own_cluster.masters)

    own_cluster.masters[1].client.config_set("cluster-require-full-coverage", "yes")
    own_cluster.masters[2].kill()
    said = doctor(own_cluster.url)
    assert any(one["level"] == "error" and one["found"].startswith(f"127.0.0.1:{own_cluster.masters[2].port}") for one in found(said, "redis.answer"))
    assert any(str(own_cluster.masters[1].port) in one["found"] and one["level"] == "warning" for one in found(said, "redis.cluster"))
    assert [one["level"] for one in found(said, "redis.nodes")] == ["warning"]
    assert said.status == 1


def test_the_doctor_says_of_one_node_named_alone_how_to_name_the_cluster(redis_cluster: RedisCluster) -> None:
    said = doctor(f"redis://127.0.0.1:{redis_cluster.masters[0].port}")
    assert [(one["level"], "redis+cluster://" in one["advice"]) for one in found(said, "redis.cluster")] == [("error", True)]


def test_the_doctor_finds_the_master_by_its_sentinels_and_names_those_that_are_silent(tmp_path: Path) -> None:
    group = Watched(tmp_path)
    try:
        said = doctor(group.url)
        (sentinels,) = found(said, "redis.sentinels")
        assert sentinels["level"] == "warning"
        assert sentinels["found"].startswith(f"127.0.0.1:{group.master.port} is the master, but of 2 sentinels")
        assert [one["level"] for one in found(said, "redis.commit")] == ["ok"], said.everything
        said = doctor(group.url.replace(group.service, "another"))
        assert [one["level"] for one in found(said, "redis.answer")] == ["error"]
    finally:
        group.stop()
