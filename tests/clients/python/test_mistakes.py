"""What a newcomer gets wrong is said in a sentence that names it."""

import asyncio
import http.server
import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from tests.clients.python.conftest import Connect
from tests.clients.python.fake_server import FakeServer, silent
from tests.serving import Serving, free_port
from umpire_client import AsyncClient, Bot, Client, Position, RetryPolicy, UmpireError, Unavailable, house_bot, person

GAME = "goldn_crash"
HASTY = RetryPolicy(deadline=3_600, first_delay=0.01, longest_delay=0.05, first_connection=0.3)


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        (None, "not None"),
        (50051, "not 50051"),
        ("", "port is missing"),
        ("localhost", "port is missing"),
        ("[::1]", "port is missing"),
        ("http://127.0.0.1:50051", "no scheme"),
        ("dns:///localhost:50051", "no scheme"),
        ("dns:localhost:50051", "brackets"),
        ("::1:50051", "brackets"),
        (":50051", "host is missing"),
        ("local host:50051", "'local host' is no host"),
        ("127.0.0.1/x:50051", "is no host"),
        ("127.0.0.1:grpc", "'grpc' is no port"),
        ("127.0.0.1:", "'' is no port"),
        ("127.0.0.1:0", "'0' is no port"),
        ("127.0.0.1:65536", "'65536' is no port"),
        ("127.0.0.1:" + "9" * 5_000, "is no port"),
    ],
)
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_an_address_that_is_none_is_refused_at_once(kind: Any, address: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)) as caught:
        kind(address)
    assert "host:port" in str(caught.value)


@pytest.mark.parametrize("address", ["localhost:50051", "[::1]:50051", " 127.0.0.1:50051\n", "umpire.example:443", "my_host:1"])
def test_other_addresses_are_taken(address: str) -> None:
    Client(address).close()


class Web(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def web() -> Iterator[str]:
    """A server that speaks HTTP/1.1."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def mute() -> Iterator[str]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def never_connects(connect: Connect, address: str, **more: Any) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        connect(address, retry=HASTY, **more).create_match(GAME, [person(), person()])
    assert (caught.value.applied, caught.value.connected) == ("NO", False)
    assert "failed to connect" not in caught.value.message
    assert address in caught.value.message
    return caught.value


def test_a_port_that_speaks_no_grpc_is_given_up_early_and_asked_about(connect: Connect, web: str, mute: str, serving: Serving) -> None:
    for address in (web, mute, f"127.0.0.1:{serving.http_port}", f"127.0.0.1:{free_port()}"):
        assert "is this the gRPC port?" in never_connects(connect, address).message


def test_tls_where_there_is_none_is_asked_about(connect: Connect, fake: FakeServer, web: str) -> None:
    for address in (fake.address, web):
        message = never_connects(connect, address, tls=True).message
        assert "is this the gRPC port, and does it speak TLS?" in message


def test_a_name_that_leads_nowhere_is_said_to(connect: Connect) -> None:
    assert "leads to no machine" in never_connects(connect, "no-such-host.invalid:50051").message


class Counting(RetryPolicy):
    def delay(self, retries: int, retry_after: float | None) -> float:
        counted.append(retries)
        return super().delay(retries, retry_after)


counted: list[int] = []


def test_only_a_server_that_was_met_before_is_waited_for(connect: Connect, fake: FakeServer) -> None:
    policy = Counting(deadline=1, first_delay=0.01, longest_delay=0.02, first_connection=0)
    client = connect(fake.address, retry=policy)
    client.list_games()
    fake.stop()
    for one, retries, connected in ((client, 5, True), (connect(fake.address, retry=policy), 0, False)):
        counted.clear()
        with pytest.raises(Unavailable) as caught:
            one.list_games()
        assert caught.value.connected is connected
        assert max(counted) >= retries
    assert counted == [0]


def test_a_credential_is_taken_without_the_white_space_of_copying(client: Any) -> None:
    created = client.create_match(GAME, [person(), house_bot("random")], invite=True)
    seat = client.claim_seat(created.match_id, f" {created.invites[1]}\n")
    assert client.seat(created.match_id, f"\t{seat.credential} \n").get().viewer == 1


@pytest.mark.parametrize("credential", ["two words", "schön", "line\nbreak", "nul\0", None, b"bytes"])
def test_what_cannot_be_a_secret_is_refused_and_not_shown(connect: Connect, fake: FakeServer, credential: Any) -> None:
    client = connect(fake.address)
    for call in (client.seat, client.spectator, client.creator):
        with pytest.raises(ValueError, match="credential") as caught:
            call("m", credential)
        assert str(credential) not in str(caught.value) or credential is None
    if credential is not None:
        with pytest.raises(ValueError, match="API key"):
            connect(fake.address, api_key=credential)
    assert not fake.requests


def test_a_seat_without_a_credential_says_what_it_has_instead(client: Any) -> None:
    created = client.create_match(GAME, [person(), house_bot("random")], invite=True)
    for held, number, why in (
        (created.seats, 1, "seat 1 has an invite: use invites and claim_seat"),
        (created.seats, 2, "seat 2 is played by a house bot"),
        (created.invites, 2, "seat 2 is played by a house bot"),
        (created.seats, 0, "the match has no seat 0; seats are numbered from 1"),
        (client.create_match(GAME, [person(), person()]).invites, 1, "seat 1 has no invite: use seats"),
    ):
        with pytest.raises(KeyError, match=why):
            held[number]
        assert held.get(number) is None


@pytest.mark.parametrize("seats", [["Ann", "Ben"], "AB", [person(), None], [{"display_name": "Ann"}]])
def test_seats_that_are_none_are_refused(connect: Connect, fake: FakeServer, seats: Any) -> None:
    with pytest.raises(TypeError, match=r"seat \d is of type \w+: use person\(\) or house_bot\(\)"):
        connect(fake.address).create_match(GAME, seats)
    assert not fake.requests


@pytest.mark.parametrize(("wrong", "named"), [(None, "None"), (42, "42"), (["draw"], "list")])
def test_what_is_no_move_is_refused(connect: Connect, fake: FakeServer, wrong: Any, named: str) -> None:
    with pytest.raises(TypeError, match=rf"a legal move, a move id or a Move, not {named}"):
        connect(fake.address).seat("m", "c").apply(wrong, decision_id=1)
    assert not fake.requests


def test_a_bot_that_chooses_nothing_is_told_so(client: Any) -> None:
    class Forgetful(Bot):
        def choose(self, _position: Position) -> Any:
            pass

    created = client.create_match(GAME, [person(), house_bot("random")])
    with pytest.raises(TypeError, match=r"choose\(\) must return a legal move, a move id or a Move, not None"):
        created.seats[1].play(Forgetful())


def test_a_closed_client_says_that_it_is_closed(connect: Connect, fake: FakeServer) -> None:
    client = connect(fake.address)
    client.list_games()
    client.close()
    with pytest.raises(RuntimeError, match="this client is closed"):
        client.list_games()


def until_asked(fake: FakeServer, rpc: str) -> None:
    deadline = time.monotonic() + 20
    while not fake.requests[rpc]:
        assert time.monotonic() < deadline, "the call does not come"
        time.sleep(0.01)


def test_a_call_under_way_when_its_client_is_closed_ends_at_once(fake: FakeServer) -> None:
    fake.script["ApplyMove"].append(silent)
    client = Client(fake.address)
    with ThreadPoolExecutor(1) as thread:
        call = thread.submit(lambda: client.seat("m", "c").apply("draw", decision_id=1))
        until_asked(fake, "ApplyMove")
        client.close()
        with pytest.raises(UmpireError, match="was closed while the call was under way") as caught:
            call.result(10)
    assert (caught.value.code, caught.value.applied) == (grpc.StatusCode.CANCELLED, "UNKNOWN")
    assert len(fake.requests["ApplyMove"]) == 1


def test_the_same_for_the_asynchronous_client(fake: FakeServer) -> None:
    fake.script["ApplyMove"].append(silent)

    async def close_meanwhile() -> None:
        client = AsyncClient(fake.address)
        call = asyncio.create_task(client.seat("m", "c").apply("draw", decision_id=1))
        await asyncio.to_thread(until_asked, fake, "ApplyMove")
        await client.close()
        await asyncio.wait_for(call, 10)

    with pytest.raises(UmpireError, match="was closed while the call was under way") as caught:
        asyncio.run(close_meanwhile())
    assert caught.value.applied == "UNKNOWN"


def test_cancelling_a_task_is_no_error_of_the_server(fake: FakeServer) -> None:
    fake.script["GetMatch"].append(silent)

    async def cancel() -> bool:
        async with AsyncClient(fake.address) as client:
            call = asyncio.create_task(client.seat("m", "c").get())
            await asyncio.to_thread(until_asked, fake, "GetMatch")
            call.cancel()
            await asyncio.wait([call], timeout=10)
            return call.cancelled()

    assert asyncio.run(cancel())
    assert len(fake.requests["GetMatch"]) == 1
