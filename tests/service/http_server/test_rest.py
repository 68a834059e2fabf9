"""REST: what a request may look like, and what an answer looks like."""

import gzip
import re

import pytest
from msgspec import UNSET

from service import messages
from service.api.context import Call
from service.errors import IllegalMove, Unauthenticated, Unavailable
from tests.service.http_server.calling import Caller

EVENTS = "/v1/matches/m/events"
RENEW = "/v1/matches/m:renewInvite"
MOVES = "/v1/matches/m/moves"


async def test_path_and_query_make_the_request(http: Caller) -> None:
    answer = await http("GET", f"{EVENTS}?seat=0&sinceVersion=2&page_size=5")
    assert http.dispatcher.request == messages.ListEventsRequest(match_id="m", seat=0, since_version=2, page_size=5)
    assert answer.json == {"updates": [], "version": 3, "nextSinceVersion": 0}


async def test_path_and_body_make_the_request(http: Caller) -> None:
    answer = await http("POST", RENEW, b'{"se', b'at": 2}', content_type="application/json; charset=utf-8")
    assert http.dispatcher.request == messages.RenewInviteRequest(match_id="m", seat=2)
    assert (answer.status, answer.json) == (200, {"seat": 2, "invite": "i"})


async def test_an_answer_has_its_headers(http: Caller) -> None:
    answer = await http("GET", "/v1/games/g/rules", x_request_id="my-own")
    assert answer.headers == {
        "content-type": "application/json",
        "content-length": str(len(answer.body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": "my-own",
    }
    assert "ß".encode() in answer.body


async def test_head_is_get_without_the_body(http: Caller) -> None:
    whole, head = await http("GET", "/v1/games/g/rules"), await http("HEAD", "/v1/games/g/rules")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", whole.headers["content-length"])


@pytest.mark.parametrize("given", ["", "with space", "x" * 65, "tab\t", "ü", "new\nline"])
async def test_a_request_id_that_cannot_be_used_is_replaced(http: Caller, given: str) -> None:
    answer = await http("GET", "/v1/games", x_request_id=given)
    assert re.fullmatch("[0-9a-f]{12}-[0-9a-f]+", answer.headers["x-request-id"])
    assert http.dispatcher.call is not None
    assert http.dispatcher.call.request_id == answer.headers["x-request-id"]


async def test_credentials_come_in_headers(http: Caller) -> None:
    await http("GET", "/v1/games", authorization="bearer c.d", x_api_key="k", x_request_id="r")
    assert http.dispatcher.call == Call("c.d", "k", "r", "rest")
    await http("GET", "/v1/games", x_request_id="r")
    assert http.dispatcher.call == Call("", "", "r", "rest")


@pytest.mark.parametrize("authorization", ["Basic YTpi", "c.d", "Bearer2 x"])
async def test_another_scheme_is_no_credential(http: Caller, authorization: str) -> None:
    answer = await http("GET", "/v1/games", authorization=authorization)
    assert (answer.status, answer.reason, answer.headers["www-authenticate"]) == (401, "CREDENTIAL_INVALID", "Bearer")


@pytest.mark.parametrize("query", ["access_token=x", "authorization=Bearer%20x", "x-api-key=k", "credential=c"])
async def test_no_credential_is_taken_from_a_url(http: Caller, query: str) -> None:
    answer = await http("GET", f"{EVENTS}?{query}")
    assert (answer.status, answer.fields) == (400, [query.partition("=")[0]])


async def test_an_invite_is_not_taken_from_a_url_either(http: Caller) -> None:
    answer = await http("POST", "/v1/matches/m:claim?invite=secret", b"{}")
    assert (answer.status, answer.fields) == (400, ["invite"])
    assert b"secret" not in answer.body


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("seat=1&seat=1", ["seat"]),
        ("pageSize=1&page_size=1", ["page_size"]),
        ("seat=x&pageSize=&colour=red&matchId=n", ["colour", "match_id", "seat", "page_size"]),
        ("seat", [""]),
        ("seat=1&&pageSize=1", [""]),
        ("seat=%zz", [""]),
        ("seat=%ff", [""]),
        ("colour=%zz", [""]),
    ],
)
async def test_a_query_is_strict(http: Caller, query: str, fields: list[str]) -> None:
    answer = await http("GET", f"{EVENTS}?{query}")
    assert (answer.status, answer.reason, answer.fields) == (400, "INVALID_REQUEST", fields)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
async def test_a_truth_in_a_query_is_true_or_false(http: Caller, text: str, value: bool) -> None:
    await http("GET", f"/v1/matches/m/legal-moves?includeIllegal={text}")
    assert http.dispatcher.request == messages.ListLegalMovesRequest(match_id="m", seat=UNSET, include_illegal=value)


@pytest.mark.parametrize("text", ["1", "True", "yes", "", "null"])
async def test_a_truth_in_a_query_is_nothing_else(http: Caller, text: str) -> None:
    assert (await http("GET", f"/v1/matches/m/legal-moves?includeIllegal={text}")).fields == ["include_illegal"]


@pytest.mark.parametrize("name", ["matchId", "match_id"])
async def test_a_field_of_the_path_stands_there_only(http: Caller, name: str) -> None:
    answer = await http("POST", RENEW, f'{{"{name}": "m", "seat": 1}}'.encode())
    assert (answer.status, answer.fields) == (400, ["match_id"])


@pytest.mark.parametrize("content_type", ["text/plain", "application/proto", "application/xml", "multipart/form-data; boundary=x", "application/jsonx"])
async def test_a_body_is_json(http: Caller, content_type: str) -> None:
    answer = await http("POST", RENEW, b'{"seat": 1}', content_type=content_type)
    assert (answer.status, answer.reason, answer.fields) == (400, "INVALID_REQUEST", ["content-type"])


@pytest.mark.parametrize("path", [RENEW, "/umpire.v1.MatchService/RenewInvite"])
@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "gzip, br"])
async def test_a_compressed_body_is_refused_by_the_name_of_its_header(http: Caller, path: str, encoding: str) -> None:
    answer = await http("POST", path, gzip.compress(b'{"seat": 1}'), content_type="application/json", content_encoding=encoding)
    assert (answer.status, "content-encoding" in answer.json["message"]) == (400, True)
    assert http.dispatcher.request is None


async def test_a_body_that_says_that_it_is_not_compressed_is_taken(http: Caller) -> None:
    assert (await http("POST", RENEW, b'{"seat": 1}', content_type="application/json", content_encoding="Identity")).status == 200


async def test_a_body_may_leave_its_type_unsaid(http: Caller) -> None:
    assert (await http("POST", RENEW, b'{"seat": 1}')).status == 200


async def test_no_body_is_an_empty_one(http: Caller) -> None:
    assert (await http("POST", RENEW)).fields == ["seat"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/games"), ("DELETE", "/v1/matches/m")])
async def test_where_none_is_expected_a_body_is_refused(http: Caller, method: str, path: str) -> None:
    assert (await http(method, path, b"")).status == 200
    assert (await http(method, path, b"{}")).reason == "INVALID_REQUEST"


async def test_a_body_over_the_limit_is_read_no_further(http: Caller) -> None:
    chunk = b" " * 30_000
    for headers in ({}, {"content_length": "150000"}):
        answer = await http("POST", RENEW, *[chunk] * 5, **headers)
        assert (answer.status, answer.reason, answer.headers["connection"]) == (413, "TOO_LARGE", "close")
        assert answer.json["details"][0]["metadata"] == {"limit": "65536"}
        assert len(http.unread) >= 3
    assert http.dispatcher.rpc is None


async def test_a_body_at_the_limit_is_read(http: Caller) -> None:
    body = b'{"seat": 1}'
    assert (await http("POST", RENEW, body, b" " * (65_536 - len(body)))).status == 200
    assert (await http("POST", RENEW, body, b" " * (65_537 - len(body)))).status == 413


async def test_who_leaves_amid_a_request_is_not_answered(http: Caller) -> None:
    assert await http.raw("POST", RENEW, b'{"seat"', gone=True) == []
    assert http.dispatcher.rpc is None


async def test_all_that_is_wrong_is_told_in_one_answer(http: Caller) -> None:
    answer = await http("POST", MOVES, b'{"decisionId": "x", "moveId": 1, "colour": 1, "seat": 1.5}')
    assert answer.json["code"] == 3
    assert set(answer.fields) == {"decision_id", "move_id", "colour", "seat"}
    assert all(field in answer.json["message"] for field in answer.fields)


async def test_an_error_is_google_rpc_status(http: Caller) -> None:
    http.dispatcher.refusal = IllegalMove("TOO_LONG", "PLAY-2", "the column is too long", "column")
    answer = await http("GET", "/v1/games")
    assert (answer.status, answer.headers["content-type"], answer.headers["cache-control"]) == (400, "application/json", "no-store")
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "ILLEGAL_MOVE",
        "domain": "umpire",
        "metadata": {"code": "TOO_LONG", "rule": "PLAY-2", "field": "column"},
    }
    assert answer.json == {"code": 9, "message": "the column is too long", "details": [info]}


async def test_an_error_that_passes_says_when_to_retry(http: Caller) -> None:
    http.dispatcher.refusal = Unavailable("STORE_UNAVAILABLE", "the store does not answer", "UNKNOWN")
    answer = await http("GET", "/v1/games")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert answer.json["details"][1] == {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}


async def test_a_missing_credential_is_asked_for(http: Caller) -> None:
    http.dispatcher.refusal = Unauthenticated("CREDENTIAL_MISSING", "a credential is needed")
    answer = await http("GET", "/v1/games")
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    ("method", "target", "status", "reason"),
    [
        ("GET", "/v2/games", 404, "ROUTE_NOT_FOUND"),
        ("GET", "/v1/games/", 404, "ROUTE_NOT_FOUND"),
        ("PATCH", "/v1/games", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/matches/%zz", 400, "INVALID_REQUEST"),
        ("OPTIONS", "/v1/games", 405, "METHOD_NOT_ALLOWED"),
        ("OPTIONS", "/v2/games", 404, "ROUTE_NOT_FOUND"),
    ],
)
async def test_a_wrong_turn_is_told_in_the_same_shape(http: Caller, method: str, target: str, status: int, reason: str) -> None:
    answer = await http(method, target)
    assert (answer.status, answer.reason) == (status, reason)
    assert answer.headers.get("allow") == ("GET" if status == 405 else None)


async def test_without_allowed_origins_nothing_is_said_to_other_pages(http: Caller) -> None:
    preflight = await http("OPTIONS", MOVES, origin="https://table.example", access_control_request_method="POST")
    answer = await http("GET", "/v1/games", origin="https://table.example")
    assert not [name for name in (*preflight.headers, *answer.headers) if name.startswith("access-control")]


async def test_an_allowed_page_may_call(http_with_origin: Caller) -> None:
    preflight = await http_with_origin("OPTIONS", MOVES, origin="https://table.example", access_control_request_method="POST")
    assert (preflight.status, preflight.body) == (204, b"")
    assert preflight.headers["access-control-allow-origin"] == "https://table.example"
    assert preflight.headers["access-control-allow-methods"] == "POST"
    assert {"authorization", "content-type", "x-api-key"} <= set(preflight.headers["access-control-allow-headers"].split(", "))
    answer = await http_with_origin("GET", "/v1/games", origin="https://table.example")
    assert (answer.headers["access-control-allow-origin"], answer.headers["vary"]) == ("https://table.example", "origin")
    assert {"x-request-id", "retry-after"} <= set(answer.headers["access-control-expose-headers"].split(", "))
    http_with_origin.dispatcher.refusal = IllegalMove("A", "B", "c")
    assert "access-control-allow-origin" in (await http_with_origin("GET", "/v1/games", origin="https://table.example")).headers


async def test_another_page_may_not(http_with_origin: Caller) -> None:
    for origin in ("https://other.example", "null", "https://table.example.evil"):
        preflight = await http_with_origin("OPTIONS", MOVES, origin=origin, access_control_request_method="POST")
        answer = await http_with_origin("GET", "/v1/games", origin=origin)
        assert not [name for name in (*preflight.headers, *answer.headers) if name.startswith("access-control")]
        assert answer.headers["vary"] == "origin"


async def test_the_servers_own_life_is_acknowledged(http: Caller) -> None:
    events, sent = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}], []

    async def receive() -> dict[str, str]:
        return events.pop(0)

    async def send(message: dict[str, str]) -> None:
        sent.append(message["type"])

    await http.door({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_the_context_of_a_trace_comes_in_headers(http: Caller) -> None:
    await http("GET", "/v1/games", x_request_id="r", traceparent="p", tracestate="s")
    assert http.dispatcher.call == Call("", "", "r", "rest", "p", "s")
