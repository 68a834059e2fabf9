"""`buf curl`: over gRPC it learns the contract from the server's reflection, over Connect from proto/."""

import json
from typing import Any

import pytest

from tests.clients.languages.conftest import ROOT, Run
from tests.serving import API_KEY, Serving

BY_REFLECTION = ["--protocol", "grpc", "--http2-prior-knowledge"]
BY_SCHEMA = ["--protocol", "connect", "--schema", str(ROOT / "proto")]


class Calling:
    """Calls rpcs by name."""

    def __init__(self, run: Run, base: str, options: list[str]) -> None:
        self._run, self._base, self._options = run, base, options

    def call(self, rpc: str, request: dict[str, Any], credential: str = "", *, fails: bool = False) -> dict[str, Any]:
        headers = ["-H", f"x-api-key: {API_KEY}"] + (["-H", f"authorization: Bearer {credential}"] if credential else [])
        said = self._run("buf", "curl", *self._options, *headers, "-d", json.dumps(request), f"{self._base}/umpire.v1.{rpc}", fails=fails)
        return json.loads(said)


@pytest.fixture(params=["grpc", "connect"])
def calling(request: pytest.FixtureRequest, run: Run, serving: Serving) -> Calling:
    return Calling(run, f"http://{serving.grpc}", BY_REFLECTION) if request.param == "grpc" else Calling(run, serving.http, BY_SCHEMA)


def test_it_makes_a_match_and_moves(calling: Calling) -> None:
    game = calling.call("CatalogService/ListGames", {})["games"][0]["game"]
    seats = [{"displayName": "Ann"}, {"displayName": "Ben"}]
    created = calling.call("MatchService/CreateMatch", {"game": game, "seats": seats, "options": {"goldnCrash": {"firstSeat": 2}}})
    match_id, credential = created["match"]["matchId"], created["seats"][1]["credential"]
    listed = calling.call("MatchService/ListLegalMoves", {"matchId": match_id}, credential)
    move = listed["legalMoves"][0]
    wanted = {"matchId": match_id, "decisionId": listed["decision"]["decisionId"], "move": move["move"], "requestId": "once"}
    applied = calling.call("MatchService/ApplyMove", wanted, credential)
    assert applied["appliedVersion"] == 2
    assert calling.call("MatchService/ApplyMove", wanted, credential)["appliedVersion"] == 2


def test_a_refusal_is_shown_with_its_details(calling: Calling) -> None:
    refused = calling.call("CatalogService/GetGame", {"game": "chess"}, fails=True)
    assert refused["code"] == "not_found"
    (detail,) = refused["details"]
    assert detail["type"] == "google.rpc.ErrorInfo"


def test_it_lists_the_services_by_reflection(run: Run, serving: Serving) -> None:
    listed = run("buf", "curl", *BY_REFLECTION, "--list-methods", f"http://{serving.grpc}").split()
    assert "umpire.v1.MatchService/ApplyMove" in listed
    assert "umpire.v1.CatalogService/ListGames" in listed


@pytest.mark.parametrize("service", ["", "umpire.v1.MatchService", "umpire.v1.CatalogService"])
def test_the_health_check_answers(run: Run, serving: Serving, service: str) -> None:
    url = f"http://{serving.grpc}/grpc.health.v1.Health/Check"
    assert json.loads(run("buf", "curl", *BY_REFLECTION, "-d", json.dumps({"service": service}), url)) == {"status": "SERVING"}
