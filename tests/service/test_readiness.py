"""``umpire_ready`` says what /readyz says, also if nobody asks /readyz: with a Redis that goes and comes back, one that refuses, and none at all."""

import contextlib
import os
import signal
import time
from collections.abc import Callable

import httpx
import pytest
import redis

from service.private_redis import PrivateRedis
from tests.service.telemetry import exposed
from tests.serving import Serving, free_port


def shown(serving: Serving) -> float:
    return exposed.value(exposed.series(serving), "umpire_ready")


def readyz(serving: Serving) -> int:
    return httpx.get(f"http://127.0.0.1:{serving.ops_ports[0]}/readyz", timeout=5).status_code


def comes_to_be(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while True:
        with contextlib.suppress(httpx.TransportError):
            if is_so():
                return
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture
def own_client(own_redis: PrivateRedis) -> "redis.Redis":
    return redis.Redis(unix_socket_path=own_redis.url.removeprefix("unix://"))


def test_it_is_not_ready_while_redis_is_frozen_although_nobody_asks(own_redis: PrivateRedis) -> None:
    serving = Serving(own_redis.url).start()
    try:
        assert shown(serving) == 1
        assert own_redis.process is not None
        os.kill(own_redis.process.pid, signal.SIGSTOP)
        comes_to_be(lambda: shown(serving) == 0)
        assert readyz(serving) == 503
        os.kill(own_redis.process.pid, signal.SIGCONT)
        comes_to_be(lambda: shown(serving) == 1)
        assert readyz(serving) == 200
    finally:
        serving.stop()


def test_it_is_not_ready_once_redis_refuses_its_password_and_is_when_it_takes_it_again(own_redis: PrivateRedis, own_client: "redis.Redis") -> None:
    own_client.execute_command("ACL SETUSER", "umpire", "on", ">first", "~*", "&*", "+@all")
    serving = Serving(own_redis.url.replace("unix://", "unix://umpire:first@")).start()
    try:
        assert shown(serving) == 1
        own_client.execute_command("ACL SETUSER", "umpire", "<first")
        own_client.client_kill_filter(_type="normal", skipme=True)
        comes_to_be(lambda: shown(serving) == 0)
        assert readyz(serving) == 503
        own_client.execute_command("ACL SETUSER", "umpire", ">first")
        comes_to_be(lambda: shown(serving) == 1)
        assert readyz(serving) == 200
    finally:
        serving.stop()


def test_it_was_never_ready_where_no_redis_is() -> None:
    serving = Serving(f"redis://127.0.0.1:{free_port()}")
    serving.processes.append(serving.start_worker(0))
    try:
        comes_to_be(lambda: readyz(serving) == 503)
        assert shown(serving) == 0
        comes_to_be(lambda: "store" in httpx.get(f"http://127.0.0.1:{serving.ops_ports[0]}/readyz", timeout=5).text)
        assert shown(serving) == 0
    finally:
        serving.stop()
