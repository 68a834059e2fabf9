"""A real Prometheus looks at a running service under a little load: every panel shows something, and alerts come with faults and go with them."""

import os
import re
import signal
import time
from pathlib import Path

import pytest
import redis

from service.store.keys import Keys, bucket_of
from tests.deploy.observing.conftest import Running
from tests.deploy.observing.material import DASHBOARDS, dashboard, metrics_of, needs_prometheus, panels, rules
from tests.deploy.observing.players import begun
from tests.deploy.observing.prometheus import hastened
from tests.serving import RestCaller

pytestmark = needs_prometheus

VARIABLES = {"$__rate_interval": "5s", "$__range": "5s", "$instance": ".*", "$game": ".*"}
LOOKED_BACK_S = 20.0
OF_AN_EXPORTER = "redis_"
LOOK_BACK_FOR_HOURS = {"UmpireErrorsSlowBurn", "UmpireLatencySlowBurn"}
OF_A_BUSY_MACHINE = {"UmpireLatency", "UmpireCpu", "UmpireLoopLag", "UmpireStoreSlow"}


def as_executed(expression: str) -> str:
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return hastened(expression)


@pytest.mark.parametrize("name", DASHBOARDS)
def test_no_panel_is_empty(running: Running, name: str) -> None:
    shown = [(panel["title"], target["expr"]) for row, panel in panels(dashboard(name)) if "optional" not in row for target in panel["targets"]]
    empty = list(shown)

    def all_have_shown() -> bool:
        empty[:] = [(title, expression) for title, expression in empty if not running.prometheus.has_shown(as_executed(expression), LOOKED_BACK_S)]
        return not empty

    try:
        running.prometheus.wait_until(all_have_shown, "panels")
    except AssertionError as error:
        raise AssertionError(f"empty: {empty}; {running.players.unforeseen}") from error


def test_each_rule_is_executed_and_each_record_is_there(running: Running) -> None:
    groups = running.prometheus.ask("rules")["groups"]
    executed = [rule for group in groups for rule in group["rules"]]
    assert sorted(rule["name"] for rule in executed) == sorted(rule.get("record") or rule["alert"] for rule in rules())
    assert not [(rule["name"], rule["lastError"]) for rule in executed if rule["health"] != "ok"]
    for rule in rules():
        if "record" in rule:
            running.prometheus.wait_until(lambda name=rule["record"]: running.prometheus.has_shown(name, LOOKED_BACK_S), rule["record"])


def test_each_metric_that_is_asked_for_is_there(running: Running) -> None:
    expressions = [rule["expr"] for rule in rules()] + [
        target["expr"] for name in DASHBOARDS for _, panel in panels(dashboard(name)) for target in panel["targets"]
    ]
    wanted = {metric for expression in expressions for metric in metrics_of(expression) if not metric.startswith(OF_AN_EXPORTER)}
    known = set(running.prometheus.ask("label/__name__/values"))
    assert wanted <= known, wanted - known
    assert not running.prometheus.has_shown("umpire_that_nobody_makes", LOOKED_BACK_S)


def test_nothing_else_is_recorded_than_what_an_alert_or_a_panel_uses() -> None:
    used = " ".join(
        [rule["expr"] for rule in rules()] + [target["expr"] for name in DASHBOARDS for _, panel in panels(dashboard(name)) for target in panel["targets"]]
    )
    assert not [rule["record"] for rule in rules() if "record" in rule and not re.search(rf"{re.escape(rule['record'])}\b", used)]


def fires(running: Running, *wanted: str) -> None:
    """Wait until each has fired; not all need do so at the same moment."""
    begun_at = time.time()
    for name in wanted:
        firing = f'ALERTS{{alertstate="firing", alertname="{name}"}}'
        running.prometheus.wait_until(lambda firing=firing: running.prometheus.has_shown(firing, time.time() - begun_at), name)


def is_over(running: Running, *gone: str) -> None:
    running.prometheus.wait_until(lambda: not {(name,) for name in gone} & running.prometheus.firing(), f"over: {gone}")


def test_a_redis_that_does_not_answer_is_told_of_until_it_does(running: Running) -> None:
    told = ("UmpireStoreUnavailable", "UmpireErrors")
    is_over(running, *told)
    assert running.redis.process is not None
    os.kill(running.redis.process.pid, signal.SIGSTOP)
    fires(running, *told, "UmpireLatency")  # what waits for Redis is slow, too
    assert ("UmpireDown",) not in running.prometheus.firing()
    os.kill(running.redis.process.pid, signal.SIGCONT)
    is_over(running, "UmpireStoreUnavailable")


def test_a_redis_that_is_full_is_told_of_although_it_answers_what_reads(running: Running) -> None:
    told = ("UmpireRedisMemory", "UmpireRedisFull", "UmpireStoreUnavailable")
    is_over(running, *told)
    with redis.Redis.from_url(running.redis.url) as client:
        client.config_set("maxmemory", client.info("memory")["used_memory"] + 100_000)  # workers ask every 15 seconds
        fires(running, "UmpireRedisMemory", "UmpireRedisFull")
        client.config_set("maxmemory", "1mb")
        fires(running, "UmpireStoreUnavailable")
        client.config_set("maxmemory", "0")
    is_over(running, *told)


def test_a_redis_that_cannot_write_its_file_anew_is_told_of_until_it_can(running: Running) -> None:
    is_over(running, "UmpireRedisDisk")
    with redis.Redis.from_url(running.redis.url) as client:
        folder = Path(client.config_get("dir")["dir"]) / "appendonlydir"
        number = max(int(found[1]) for found in (re.search(r"\.(\d+)\.base\.rdb$", file.name) for file in folder.iterdir()) if found)
        in_the_way = folder / f"appendonly.aof.{number + 1}.base.rdb"
        in_the_way.mkdir()
        try:
            client.bgrewriteaof()
            fires(running, "UmpireRedisDisk")
        finally:
            in_the_way.rmdir()
        client.bgrewriteaof()
    is_over(running, "UmpireRedisDisk")


def test_workers_that_are_killed_are_told_of_one_and_all_until_they_are_back(running: Running) -> None:
    of_one = ("UmpireWorkerDown", "UmpireWorkersMissing", "UmpireEnvoyUpstreamUnhealthy")
    of_all = ("UmpireDown", "UmpireEnvoyErrors")
    first, second = running.workers
    is_over(running, *of_one, *of_all)
    first.processes[-1].kill()
    fires(running, *of_one)
    assert ("UmpireWorkerDown", f"127.0.0.1:{first.ops_ports[0]}") in running.prometheus.firing("instance")
    assert ("UmpireDown",) not in running.prometheus.firing()
    second.processes[-1].kill()
    fires(running, *of_all)
    for worker in running.workers:
        worker.processes.append(worker.start_worker(0))
    is_over(running, *of_one, *of_all)


def test_a_match_that_somebody_wrote_over_is_told_of_and_its_deadline_too(running: Running) -> None:
    told = ("UmpireMatchesUnreadable", "UmpireDeadlinesOverdue")
    is_over(running, *told)
    caller, keys = RestCaller(running.gateway.address), Keys("umpire:")
    with redis.Redis(unix_socket_path=running.redis.url.removeprefix("unix://")) as store:
        match = begun(caller, running.players.games[0], move_timeout="30s")
        key, due = keys.match(match.match_id), keys.due(bucket_of(match.match_id))
        store.delete(key)
        store.set(key, "rubbish")
        store.zadd(due, {match.match_id: 1_000})  # since 1970
        assert not caller.call("GetMatch", {"match_id": match.match_id}, match.spectator).ok
        fires(running, *told)
        store.delete(key)
        store.zrem(due, match.match_id)
    is_over(running, *told)
    caller.close()


def test_a_worker_that_comes_to_a_halt_again_and_again_is_told_of(running: Running) -> None:
    is_over(running, "UmpireLoopLag")
    halting = running.workers[0].processes[-1]
    begun_at = time.time()

    def fires_while_it_halts() -> bool:
        halting.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        halting.send_signal(signal.SIGCONT)
        return running.prometheus.has_shown('ALERTS{alertstate="firing", alertname="UmpireLoopLag"}', time.time() - begun_at)

    running.prometheus.wait_until(fires_while_it_halts, "UmpireLoopLag")
    is_over(running, "UmpireLoopLag")


def test_connections_to_redis_that_break_off_are_told_of(running: Running) -> None:
    is_over(running, "UmpireStoreConnectionsLost")
    begun_at = time.time()
    with redis.Redis(unix_socket_path=running.redis.url.removeprefix("unix://")) as store:

        def fires_while_they_break() -> bool:
            store.client_kill_filter(_type="normal")
            time.sleep(0.2)
            return running.prometheus.has_shown('ALERTS{alertstate="firing", alertname="UmpireStoreConnectionsLost"}', time.time() - begun_at)

        running.prometheus.wait_until(fires_while_they_break, "UmpireStoreConnectionsLost")
    is_over(running, "UmpireStoreConnectionsLost")


def test_an_envoy_that_is_gone_is_told_of_until_it_is_back(running: Running) -> None:
    is_over(running, "UmpireEnvoyDown")
    running.gateway.stop()
    fires(running, "UmpireEnvoyDown")
    running.gateway.start()
    is_over(running, "UmpireEnvoyDown")


def test_when_all_faults_are_over_nothing_is_told_any_more(running: Running) -> None:
    running.prometheus.wait_until(lambda: not {name for (name,) in running.prometheus.firing()} - LOOK_BACK_FOR_HOURS - OF_A_BUSY_MACHINE, "silence")
    assert not running.players.unforeseen, running.players.unforeseen[0]
