"""Connect's unary calls, from the same table."""

import base64
import json

import pytest
from google.rpc import error_details_pb2

from service import messages
from service.api.context import Call
from service.contract import Contract
from service.errors import DecisionClosed, TooLarge, Unavailable
from tests.service.http_server.calling import Caller

RENEW = "/umpire.v1.MatchService/RenewInvite"


async def test_a_json_call(http: Caller) -> None:
    headers = {
        "content_type": "application/json",
        "connect_protocol_version": "1",
        "connect_timeout_ms": "500",
        "authorization": "Bearer c",
        "x_request_id": "r",
    }
    answer = await http("POST", RENEW, b'{"matchId": "m", "seat": 2}', **headers)
    assert http.dispatcher.request == messages.RenewInviteRequest(match_id="m", seat=2)
    assert http.dispatcher.call == Call("c", "", "r", "connect")
    assert (answer.status, answer.headers["content-type"], answer.json) == (200, "application/json", {"seat": 2, "invite": "i"})


async def test_a_protobuf_call(http: Caller, contract: Contract) -> None:
    request = messages.RenewInviteRequest(match_id="m", seat=2)
    answer = await http("POST", RENEW, contract.rpcs[RENEW].request.to_bytes(request), content_type="application/proto")
    assert http.dispatcher.request == request
    assert (answer.status, answer.headers["content-type"]) == (200, "application/proto")
    assert contract.rpcs[RENEW].response.from_bytes(answer.body) == messages.RenewInviteResponse(seat=2, invite="i")


async def test_an_error_carries_its_details_packed(http: Caller) -> None:
    http.dispatcher.refusal = DecisionClosed(31)
    answer = await http("POST", RENEW, b'{"matchId": "m", "seat": 2}', content_type="application/json")
    assert (answer.status, answer.headers["content-type"]) == (409, "application/json")
    assert (answer.json["code"], answer.json["message"]) == ("aborted", http.dispatcher.refusal.message)
    (detail,) = answer.json["details"]
    assert (detail["type"], "=" in detail["value"]) == ("google.rpc.ErrorInfo", False)
    info = error_details_pb2.ErrorInfo.FromString(base64.b64decode(detail["value"] + "=="))
    assert (info.reason, info.domain, dict(info.metadata)) == ("DECISION_CLOSED", "umpire", {"decision_id": "31"})


async def test_a_malformed_request_names_its_fields(http: Caller) -> None:
    for body, content_type in ((b"{}", "application/json"), (b"", "application/proto")):
        answer = await http("POST", RENEW, body, content_type=content_type)
        assert (answer.status, answer.json["code"]) == (400, "invalid_argument")
        bad = error_details_pb2.BadRequest.FromString(base64.b64decode(answer.json["details"][1]["value"] + "=="))
        assert [violation.field for violation in bad.field_violations] == ["seat"]


@pytest.mark.parametrize(
    ("refusal", "status", "code"), [(TooLarge(9), 429, "resource_exhausted"), (Unavailable("SERVER_DRAINING", "gone"), 503, "unavailable")]
)
async def test_the_status_is_connects_own(http: Caller, refusal: Exception, status: int, code: str) -> None:
    http.dispatcher.refusal = refusal  # type: ignore[assignment]
    answer = await http("POST", RENEW, b'{"seat": 2}', content_type="application/json")
    assert (answer.status, answer.json["code"]) == (status, code)


@pytest.mark.parametrize("content_type", ["", "application/grpc", "application/connect+json", "text/plain"])
async def test_another_type_of_body_is_refused(http: Caller, content_type: str) -> None:
    answer = await http("POST", RENEW, b"{}", content_type=content_type)
    assert (answer.status, answer.json["code"]) == (400, "invalid_argument")


async def test_get_is_for_nothing(http: Caller) -> None:
    answer = await http("GET", "/umpire.v1.CatalogService/ListGames?connect=v1&encoding=json&message=%7B%7D")
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


async def test_unknown_methods_are_not_found(http: Caller) -> None:
    assert (await http("POST", "/umpire.v1.MatchService/Cheat", b"{}", content_type="application/json")).status == 404
    assert json.loads((await http("POST", "/umpire.v1.Nothing/ListGames", b"{}")).body)["code"] == 5
