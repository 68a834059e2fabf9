"""A second opinion about our JSON: Envoy's own transcoder, from the same descriptors, before the gRPC port, answers what the HTTP port answers.

The transcoder is in this test only. What it prints otherwise than proto3 JSON wants, is said here.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.rpc import error_details_pb2, status_pb2

from engines.registry import games
from tests.deploy.envoy.conftest import Start
from tests.deploy.envoy.gateway import UNLIMITED, Gateway
from tests.matchmaking import Played, at_random, create
from tests.serving import RestCaller, Serving

DESCRIPTORS = Path(__file__).resolve().parents[3] / "service" / "contract.binpb"
GAME = "goldn_crash"


def descriptors() -> str:
    """The contract's descriptors, and those of what stands in the details of an error."""
    files = FileDescriptorSet.FromString(DESCRIPTORS.read_bytes())
    there = {file.name for file in files.file}
    for module in (any_pb2, duration_pb2, status_pb2, error_details_pb2):
        if module.DESCRIPTOR.name not in there:
            files.file.add().ParseFromString(module.DESCRIPTOR.serialized_pb)
    return base64.b64encode(files.SerializeToString()).decode()


def with_transcoder(text: str) -> str:
    configuration = yaml.safe_load(text)
    manager = configuration["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    transcoder = {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder",
        "proto_descriptor_bin": descriptors(),
        "max_response_body_size": 1 << 20,
        "services": ["umpire.v1.CatalogService", "umpire.v1.MatchService"],
        "print_options": {"always_print_primitive_fields": True},
        "convert_grpc_status": True,
    }
    manager["http_filters"].insert(-1, {"name": "envoy.filters.http.grpc_json_transcoder", "typed_config": transcoder})
    return json.dumps(configuration)


@pytest.fixture(scope="module")
def transcoding(start_gateway: Start, serving: Serving) -> Gateway:
    return start_gateway([serving], *UNLIMITED, changed=with_transcoder)


@pytest.fixture(scope="module")
def ours(serving: Serving) -> Iterator[RestCaller]:
    made = RestCaller(serving)
    yield made
    made.close()


@pytest.fixture(scope="module")
def theirs(transcoding: Gateway) -> Iterator[RestCaller]:
    made = Uncached(transcoding.address)
    yield made
    made.close()


class Uncached(RestCaller):
    """The transcoder has no cache-control to check."""

    def send(self, verb: str, path: str, body: bytes | None = None, query: Any = None, headers: dict[str, str] | None = None) -> Any:
        response = self.client.request(verb, path, content=body, params=query, headers=headers)
        return response.status_code, json.loads(response.content or b"null")


def asked(caller: RestCaller, *call: Any) -> tuple[int, Any]:
    answer = caller.call(*call)
    return answer if isinstance(answer, tuple) else (answer.status, json.loads(answer.raw))


@pytest.fixture(scope="module", params=list(games()))
def played(request: pytest.FixtureRequest, ours: RestCaller) -> Played:
    """A match of each game after a move, with a name that is no ASCII."""
    match = create(ours, game=request.param, seats=[{"display_name": "Ann “Ä” \u2603"}, {}], seed="11" * 32)
    match.play(match.legal()["legalMoves"][0]["moveId"])
    return match


@pytest.fixture(scope="module")
def finished(ours: RestCaller) -> Played:
    match = create(ours)
    match.play_out(at_random(3))
    return match


CATALOG = [
    ("ListGames", {}),
    ("GetGame", {"game": GAME}),
    ("GetGame", {"game": "monster_mash_up"}),
    ("ListRules", {"game": GAME}),
    ("GetCardSet", {"game": GAME, "card_set": "arena"}),
]


@pytest.mark.parametrize(("method", "request_"), CATALOG)
def test_the_catalog(method: str, request_: dict[str, Any], ours: RestCaller, theirs: RestCaller) -> None:
    assert asked(theirs, method, request_) == asked(ours, method, request_)


@pytest.mark.parametrize("method", ["GetMatch", "ListEvents", "ListLegalMoves"])
def test_a_match_in_play(method: str, ours: RestCaller, theirs: RestCaller, played: Played) -> None:
    for seat in played.credentials.values():
        call = (method, {"match_id": played.match_id, **({"include_illegal": True} if method == "ListLegalMoves" else {})}, seat)
        assert asked(theirs, *call) == asked(ours, *call)


@pytest.mark.parametrize("method", ["GetMatch", "ListEvents", "GetProof"])
def test_a_match_that_is_over(method: str, ours: RestCaller, theirs: RestCaller, finished: Played) -> None:
    call = (method, {"match_id": finished.match_id}, finished.credentials[1])
    status, body = asked(ours, *call)
    assert status == 200
    assert asked(theirs, *call) == (200, body)


def test_a_creation_and_a_move(ours: RestCaller, theirs: RestCaller) -> None:
    creation = ("CreateMatch", {"game": GAME, "seats": [{}, {}], "request_id": "the-same", "ttl": "3600s", "options": {GAME: {"round_limit": 20}}})
    made = create(ours)
    match_id, decision = made.match_id, made.decision
    move = ("ApplyMove", {"match_id": match_id, "decision_id": decision["decisionId"], "move_id": "draw", "request_id": "again"}, made.asked)
    assert asked(theirs, *move) == asked(ours, *move)
    status, body = asked(ours, *creation)
    assert status == 200
    assert asked(theirs, *creation) == (200, body)


def test_refusals(ours: RestCaller, theirs: RestCaller) -> None:
    played = create(ours)
    decision = played.decision
    assert decision is not None
    calls: list[tuple[Any, ...]] = [
        ("GetGame", {"game": "chess"}),
        ("GetMatch", {"match_id": played.match_id}, ""),
        ("GetMatch", {"match_id": played.match_id}, "forged"),
        ("ApplyMove", {"match_id": played.match_id, "decision_id": 99, "move_id": "draw"}, played.asked),
        ("ApplyMove", {"match_id": played.match_id, "decision_id": decision["decisionId"], "move_id": "play_card(card=GOLD_4,column=4)"}, played.asked),
        ("ListEvents", {"match_id": played.match_id, "page_size": 501, "since_version": -1}, played.asked),
    ]
    for call in calls:
        status, body = asked(theirs, *call)
        for detail in body["details"]:
            for violation in detail.get("fieldViolations", ()):
                violation.pop("reason", None)  # empty: our errors leave out what is empty
        assert (status, body) == asked(ours, *call), call
