"""Calls the HTTP door as an ASGI server would, with a dispatcher that only writes down what it is asked."""

import json
from collections.abc import Callable
from typing import Any

from service import messages
from service.contract import Contract, Rpc
from service.dispatch import Call
from service.errors import ApiError
from service.http_server import HttpDoor

ANSWERS: dict[str, messages.Message] = {
    "ListGames": messages.ListGamesResponse(games=()),
    "ListRules": messages.ListRulesResponse(rules=(messages.Rule(rule="R-1", text="ß", section="1", house=False),)),
    "ListEvents": messages.ListEventsResponse(updates=(), version=3, next_since_version=0),
    "RenewInvite": messages.RenewInviteResponse(seat=2, invite="i"),
    "DeleteMatch": messages.DeleteMatchResponse(),
    "ListLegalMoves": messages.ListLegalMovesResponse(version=3, decision=None, legal_moves=(), illegal_moves=()),
}


class Dispatcher:
    """Keeps the last call. ``refusal`` is raised after the request was read, if it is set."""

    def __init__(self) -> None:
        self.refusal: ApiError | None = None
        self.rpc: Rpc | None = None
        self.call: Call | None = None
        self.request: Any = None

    async def run(self, rpc: Rpc, call: Call, decode: Callable[[], Any], encode: Callable[[Any], bytes]) -> bytes:
        self.rpc, self.call = rpc, call
        self.request = decode()
        if self.refusal is not None:
            raise self.refusal
        return encode(ANSWERS[rpc.method])


class Answer:
    """An answer as it was sent: status, headers (all names are sent once but ``vary``), body."""

    def __init__(self, sent: list[dict[str, Any]]) -> None:
        start, *parts = sent
        self.status: int = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}
        assert len(self.headers) == len(start["headers"]), "a header is sent twice"
        self.body: bytes = b"".join(part["body"] for part in parts)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        return str(self.json["details"][0]["reason"])

    @property
    def fields(self) -> list[str]:
        return [violation["field"] for violation in self.json["details"][1]["fieldViolations"]]


class Caller:
    """A door with its dispatcher; calling it sends one request."""

    def __init__(self, contract: Contract, allowed_origins: tuple[str, ...] = ()) -> None:
        self.dispatcher = Dispatcher()
        self.door = HttpDoor(contract.rpcs, self.dispatcher, allowed_origins=allowed_origins)  # type: ignore[arg-type]

    async def __call__(self, method: str, target: str, *chunks: bytes, **headers: str) -> Answer:
        return Answer(await self.raw(method, target, *chunks, **headers))

    async def raw(self, method: str, target: str, *chunks: bytes, gone: bool = False, **headers: str) -> list[dict[str, Any]]:
        """Send a request, its body in chunks; with ``gone`` the client leaves after the last of them. Headers are named with underscores."""
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()],
        }
        events = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
        events.append({"type": "http.disconnect"} if gone else {"type": "http.request", "body": b"", "more_body": False})
        self.unread = events
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return events.pop(0)

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.door(scope, receive, send)
        return sent
