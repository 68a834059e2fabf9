"""Redis' password and API keys are changed as the page says: at every moment somebody serves, and in the end the old one opens nothing."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from redis import Redis

from service.private_redis import die_with_parent, find_server
from tests.deploy.manifests.reading import PASSWORD
from tests.deploy.manifests.test_page import block
from tests.deploy.manifests.test_redis import command_of, wait_for
from tests.service.telemetry import exposed
from tests.serving import RestCaller, Serving, free_port

ANOTHER = "1e" * 24
Serve = Callable[..., Serving]


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    """That of the manifests, which has one password."""
    words, path = command_of("single")
    port = free_port()
    (tmp_path / "redis.conf").write_text(path.read_text().replace("dir /data", f"dir {tmp_path}"))
    words = words.replace("/etc/redis/redis.conf", str(tmp_path / "redis.conf")).replace("redis-server", str(find_server()))
    words = words.replace("\nend", f"\nport {port}\nbind 127.0.0.1\nlogfile {tmp_path / 'log'}\nend")
    process = subprocess.Popen(["sh", "-c", words], env={"REDIS_PASSWORD": PASSWORD}, preexec_fn=die_with_parent)  # noqa: PLW1509 - as the service does
    client = Redis(port=port, password=PASSWORD, socket_timeout=5)
    wait_for(client)
    yield client
    client.close()
    process.terminate()
    process.wait(20)


@pytest.fixture
def serve(redis: Redis) -> Iterator[Serve]:
    """Starts a worker with a password, and with API keys."""
    started: list[Serving] = []

    def start(password: str, api_keys: str = "site:first", *, wait: bool = True) -> Serving:
        one = Serving(f"redis://:{password}@127.0.0.1:{redis.get_connection_kwargs()['port']}/0", api_keys=api_keys)
        started.append(one)
        if wait:
            return one.start()
        one.processes.append(one.start_worker(0))
        return one

    yield start
    for one in started:
        one.stop()


def takes(worker: Serving, api_key: str) -> bool:
    answer = RestCaller(worker).call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}]}, api_key=api_key)
    assert answer.ok or answer.reason == "API_KEY_INVALID"
    return answer.ok


def test_a_worker_with_either_password_serves_until_the_old_one_is_taken_out(redis: Redis, serve: Serve) -> None:
    before = serve(PASSWORD)
    redis.execute_command("ACL SETUSER", "default", f">{ANOTHER}")
    after = serve(ANOTHER)
    redis.client_kill_filter(_type="normal", skipme=True)
    assert [takes(worker, "first") for worker in (before, after)] == [True, True], "each connects again, with its own"
    before.stop()
    redis.execute_command("ACL SETUSER", "default", f"<{PASSWORD}")
    redis.client_kill_filter(_type="normal", skipme=True)
    assert takes(after, "first")
    late = serve(PASSWORD, wait=False)
    told = ""
    while "AuthenticationError" not in told:
        try:
            answer = httpx.get(f"http://127.0.0.1:{late.ops_ports[0]}/readyz", timeout=5)
        except httpx.HTTPError:
            continue
        told = answer.text
        assert answer.status_code == 503
    assert exposed.value(exposed.series(late), "umpire_ready") == 0


def test_two_api_keys_of_a_site_are_taken_for_as_long_as_both_are_listed(serve: Serve) -> None:
    stages = ("site:first", "site:first,site-2:second", "site-2:second")
    taken = []
    for api_keys in stages:
        worker = serve(PASSWORD, api_keys)
        taken.append([takes(worker, key) for key in ("first", "second")])
    assert taken == [[True, False], [True, True], [False, True]]


TOLD = """#!/bin/sh
case "$*" in
*"get pods"*) printf 'pod/umpire-redis-0\\npod/umpire-redis-1\\n' ;;
*redis-cli*) { echo "$* $(cat)"; } >> "$TOLD" ;;
*) echo "$*" >> "$TOLD" ;;
esac
"""


@pytest.mark.parametrize(("name", "program", "file"), [("kubernetes", "kubectl", "kubernetes/secrets/password"), ("compose", "docker", "compose/.env")])
def test_what_the_page_has_pasted_gives_redis_and_workers_the_same_new_password(name: str, program: str, file: str, tmp_path: Path) -> None:
    (tmp_path / program).write_text(TOLD)
    (tmp_path / program).chmod(0o755)
    kept = tmp_path / "deploy" / file
    kept.parent.mkdir(parents=True)
    kept.write_text(f"OTHER=a\nREDIS_PASSWORD={PASSWORD}\nANOTHER=b\n" if name == "compose" else PASSWORD)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TOLD": str(tmp_path / "told")}
    where = kept.parent if name == "compose" else tmp_path
    subprocess.run(["bash", "-eu"], input=block(f"password: {name}"), cwd=where, env=environment, text=True, check=True)
    new = kept.read_text().replace("OTHER=a\nREDIS_PASSWORD=", "").replace("\nANOTHER=b\n", "")
    assert len(new) == 48
    assert new.isalnum()
    told = (tmp_path / "told").read_text().splitlines()
    redis = [line.partition("redis-cli ")[2] for line in told if "redis-cli" in line]
    assert (
        redis == [f"-x acl setuser default >{new}", f"-x config set masterauth {new}"] * 2
        if name == "kubernetes"
        else redis == [f"-x acl setuser default >{new}"]
    )
    assert not any(new in line for line in told if "redis-cli" not in line)
    assert redis, "before anything is restarted"
    assert "redis-cli" in told[0]
