import asyncio
import copy
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.clients.python.fake_server import FakeServer
from tests.clients.python.relay import Relay
from tests.serving import API_KEY, Serving
from umpire_client import AsyncClient, Client, CreatedMatch, RetryPolicy

SOON = RetryPolicy(deadline=20, first_delay=0.01, longest_delay=0.05)

Connect = Callable[..., Any]


class Blocking:
    """An asynchronous client, or a handle of it, with the face of the synchronous one: so that each test runs over both."""

    def __init__(self, it: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.it = it
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return self._shown(getattr(self.it, name))

    def _shown(self, found: Any) -> Any:
        if inspect.iscoroutine(found):
            return self._shown(self._loop.run_until_complete(found))
        if inspect.isasyncgen(found):
            return self._loop.run_until_complete(_all(found))
        if isinstance(found, CreatedMatch):
            seats = copy.copy(found.seats)
            seats.update({number: Blocking(seat, self._loop) for number, seat in found.seats.items()})
            return CreatedMatch(found.match, seats, found.invites, Blocking(found.spectator, self._loop), Blocking(found.creator, self._loop))
        if inspect.ismethod(found):
            return lambda *given, **named: self._shown(found(*given, **named))
        return Blocking(found, self._loop) if type(found).__module__ == "umpire_client.aio" else found


async def _all(found: Any) -> list[Any]:
    return [one async for one in found]


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Makes clients, of the one kind and of the other."""
    loop = asyncio.new_event_loop()
    made: list[Any] = []

    def make(address: str, **more: Any) -> Any:
        kind = Client if request.param == "sync" else AsyncClient
        client = kind(address, **({"retry": SOON} | more))
        made.append(client if request.param == "sync" else Blocking(client, loop))
        return made[-1]

    yield make
    for client in made:
        client.close()
    loop.close()


@pytest.fixture
def client(connect: Connect, serving: Serving) -> Any:
    """A client of a live service."""
    return connect(serving.grpc, api_key=API_KEY)


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    server = FakeServer()
    yield server
    server.stop()


@pytest.fixture
def relay(serving: Serving) -> Iterator[Relay]:
    made = Relay(serving.grpc_port)
    yield made
    made.stop()
