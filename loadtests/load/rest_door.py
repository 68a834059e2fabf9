"""The REST door: JSON over HTTP/1.1, and server-sent events."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from geventhttpclient.response import HTTPParseError
from google.rpc import code_pb2

from loadtests.load.doors import GameLine, NewMatch
from loadtests.load.seen import Asked, Created, Page, Refused, Ruling, Step, Told, ending_of
from loadtests.load.target import Target

_OK = 200
_MAY_PASS = {502, 503, 504}
_PAGE = 500


class RestDoor:
    """Calls over HTTP connections that are kept open."""

    name = "rest"

    def __init__(self, target: Target) -> None:
        self._target = target
        self._calls = target.session()
        self._streams = target.session(streams=True)

    def list_games(self) -> Sequence[GameLine]:
        games = self._call("GET", "/v1/games")["games"]
        return [
            GameLine(one["game"], tuple((mode["mode"], mode["minSeats"], mode["maxSeats"]) for mode in one["modes"]), tuple(one["houseBots"])) for one in games
        ]

    def create(self, wanted: NewMatch, request_id: str) -> Created:
        seats = [{"houseBot": bot} if bot else {} for bot in wanted.seats]
        answer = self._call("POST", "/v1/matches", {"game": wanted.game, "seats": seats, "requestId": request_id, "ttl": f"{wanted.ttl_s}s"})
        match = answer["match"]
        credentials = {seat["seat"]: seat["credential"] for seat in answer["seats"]}
        return Created(match["matchId"], match["mode"], credentials, answer["spectatorCredential"], answer["creatorCredential"])

    def legal_moves(self, match_id: str, credential: str, *, illegal: bool = False) -> Asked:
        query = "?include_illegal=true" if illegal else ""
        answer = self._call("GET", f"/v1/matches/{match_id}/legal-moves{query}", None, credential)
        return _asked(answer, [(move["moveId"], move["violation"]["code"]) for move in answer.get("illegalMoves", ())])

    def apply(self, match_id: str, credential: str, decision_id: int, move_id: str, request_id: str) -> Ruling:
        body = {"decisionId": decision_id, "moveId": move_id, "requestId": request_id}
        answer = self._call("POST", f"/v1/matches/{match_id}/moves", body, credential)
        ending = ending_of(answer["status"], (answer.get("outcome") or {}).get("reason", ""))
        return Ruling(answer["appliedVersion"], tuple(map(_step, answer["updates"])), _asked(answer), ending)

    def read(self, match_id: str, credential: str) -> tuple[int, str]:
        match = self._call("GET", f"/v1/matches/{match_id}", None, credential)["match"]
        return match["version"], ending_of(match["status"], (match.get("outcome") or {}).get("reason", ""))

    def events(self, match_id: str, credential: str, since: int) -> Page:
        answer = self._call("GET", f"/v1/matches/{match_id}/events?since_version={since}&page_size={_PAGE}", None, credential)
        return Page(tuple(map(_step, answer["updates"])), answer["version"], answer.get("nextSinceVersion", 0))

    def watch(self, match_id: str, credential: str, since: int) -> "EventStream":
        try:
            path = f"/v1/matches/{match_id}/events:watch?since_version={since}"
            response = self._streams.request("GET", path, headers=self._target.headers(credential))
            if response.status_code != _OK:
                raise _refusal(response.read(), response.status_code)
        except (OSError, HTTPParseError) as error:
            raise _broken(error) from None
        return EventStream(response)

    def close(self) -> None:
        self._calls.close()
        self._streams.close()

    def _call(self, verb: str, path: str, body: dict[str, Any] | None = None, credential: str = "") -> dict[str, Any]:
        headers = self._target.headers(credential)
        data = b""
        if body is not None:
            data = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        try:
            response = self._calls.request(verb, path, data, headers)
            content = response.read()
        except (OSError, HTTPParseError) as error:
            raise _broken(error) from None
        if response.status_code != _OK:
            raise _refusal(content, response.status_code)
        answer: dict[str, Any] = json.loads(content)
        return answer


class EventStream:
    """Server-sent events that are being read."""

    def __init__(self, response: Any) -> None:
        self._response = response

    def __iter__(self) -> Iterator[Told]:
        version = 0
        try:
            while event := self._response.readline(b"\n\n"):
                fields = dict(line.split(": ", 1) for line in event.decode().strip().split("\n"))
                if fields.get("event") == "error":
                    raise _refusal(fields["data"].encode())
                message = json.loads(fields["data"]) if "data" in fields else {}
                version = message.get("version", version)
                update = message.get("update")
                yield Told(version, _step(update) if update else None, _ending_with(message))
        except (OSError, HTTPParseError, AttributeError) as error:  # AttributeError: cancelled while it was read
            raise _broken(error) from None

    def cancel(self) -> None:
        self._response.release()


def _ending_with(message: dict[str, Any]) -> str:
    if message.get("outcome"):
        return str(message["outcome"]["reason"])
    events = (message.get("update") or {}).get("events", ())
    return "ABANDONED" if any("abandoned" in (event.get("match") or {}) for event in events) else ""


def _refusal(content: bytes, status_code: int = _OK) -> Refused:
    try:
        status = json.loads(content)
        code = code_pb2.Code.Name(status["code"])
    except (ValueError, KeyError, TypeError):  # something that stands in between has answered
        code = "UNAVAILABLE" if status_code in _MAY_PASS else "UNKNOWN"
        return Refused(f"HTTP_{status_code}", code, content[:200].decode(errors="replace"))
    info = next((detail for detail in status.get("details", ()) if detail["@type"].endswith("ErrorInfo")), {})
    return Refused(info.get("reason", code), code, status.get("message", ""), info.get("metadata", {}).get("code", ""))


def _broken(error: Exception) -> Refused:
    return Refused("CONNECTION_LOST", "UNAVAILABLE", f"{type(error).__name__}: {error}")


def _asked(answer: dict[str, Any], illegal: Sequence[tuple[str, str]] = ()) -> Asked:
    decision = answer.get("decision") or {}
    return Asked(answer["version"], decision.get("decisionId", 0), tuple(move["moveId"] for move in answer.get("legalMoves", ())), tuple(illegal))


def _step(update: dict[str, Any]) -> Step:
    return Step(
        update["version"],
        update["cause"],
        update.get("seat", 0),
        tuple((one["decisionId"], one["seat"]) for one in update["decisionsOpened"]),
        tuple((one["decisionId"], one["seat"]) for one in update["decisionsClosed"]),
        update,
    )
