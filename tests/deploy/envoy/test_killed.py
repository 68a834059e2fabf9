"""A worker is killed under load, another is told to stop: Envoy leaves them out, and clients notice nothing but a retry.

No move is lost, and none is played twice.
"""

import secrets
import signal
import threading
import time

import grpc
import httpx

from tests.deploy.envoy.conftest import Start
from tests.deploy.envoy.gateway import AUTHORITY, TLS, UNLIMITED, Gateway
from tests.faults.test_stopping import Table
from tests.matchmaking import at_random, create
from tests.serving import API_KEY, Answer, RestCaller, Serving
from umpire.v1.match_pb2 import CAUSE_PERSON
from umpire_client import Client

BOTS = 8


class Patient(RestCaller):
    """A REST client as the README wants it: what is unavailable is asked for again, a move with the same request_id."""

    retries = 0

    def call(self, method: str, request: dict[str, object] | None = None, credential: str = "", api_key: str = API_KEY) -> Answer:
        request = (request or {}) | ({"request_id": secrets.token_hex(8)} if method in {"ApplyMove", "CreateMatch"} else {})
        deadline = time.monotonic() + 30
        while True:
            try:
                answer = super().call(method, request, credential, api_key)
            except httpx.TransportError as error:
                raise AssertionError("Envoy has hung up") from error
            if answer.code != "UNAVAILABLE" or time.monotonic() > deadline:
                return answer
            assert answer.retry
            self.retries += 1
            time.sleep(0.2)


class RestTable(threading.Thread):
    """Plays match after match over REST, both seats, until it is told to stop."""

    def __init__(self, gateway: Gateway, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.caller = Patient(gateway.address)
        self.finished = 0
        self.died: BaseException | None = None
        self._over = stop

    def run(self) -> None:
        try:
            while not self._over.is_set():
                create(self.caller).play_out(at_random(self.finished))
                self.finished += 1
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
            self.died = error


def test_workers_that_die_or_stop_are_seen_in_no_clients_results(own_workers: list[Serving], start_gateway: Start) -> None:
    gateway, stop = start_gateway(own_workers, *TLS, *UNLIMITED), threading.Event()
    with Client(gateway.address.grpc, api_key=API_KEY, tls=grpc.ssl_channel_credentials(AUTHORITY.read_bytes())) as client:
        tables = [Table(client, stop) for _ in range(BOTS)]
        rest_tables = [RestTable(gateway, stop) for _ in range(2)]
        for table in (*tables, *rest_tables):
            table.start()
        for victim, how in zip(own_workers, (signal.SIGKILL, signal.SIGTERM), strict=False):
            time.sleep(0.5)
            victim.processes[0].send_signal(how)
            victim.processes[0].wait()
            gateway.wait_for(lambda: gateway.healthy()["workers_grpc"] == 2)
            time.sleep(0.5)
            victim.processes[0] = victim.start_worker(0)
            gateway.wait_for(lambda: set(gateway.healthy().values()) == {3})
        stop.set()
        for table in (*tables, *rest_tables):
            table.join(60)
            assert not table.is_alive()
        assert [table.died for table in (*tables, *rest_tables)] == [None] * (BOTS + 2)
        assert sum(len(table.played) for table in tables) >= BOTS
        assert all(table.finished for table in rest_tables)
        for created, bot in (one for table in tables for one in table.played):
            updates = list(created.spectator.events())
            assert [update.version for update in updates] == list(range(1, len(updates) + 1))
            mine = [update.decisions_closed[0].decision_id for update in updates if update.cause == CAUSE_PERSON]
            assert mine == bot.answered
