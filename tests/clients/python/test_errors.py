"""Errors are classes: one for each reason of the contract, and for what is not in it the class of the status code."""

import pickle
import re
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.clients.python.conftest import Connect
from tests.clients.python.fake_server import FakeServer, refused
from umpire.v1.error_reason_pb2 import ErrorReason
from umpire_client import RetryPolicy, errors
from umpire_client._status import error_of
from umpire_client.errors import (
    Aborted,
    FailedPrecondition,
    IllegalMove,
    InternalError,
    InvalidRequest,
    MatchAbandoned,
    MatchFinished,
    MatchNotFound,
    NotFound,
    ResourceExhausted,
    UmpireError,
    Unavailable,
)

CONTRACT = (Path(__file__).parents[3] / "proto" / "umpire" / "v1" / "error_reason.proto").read_text()
HTTP_ONLY = {"ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED"}
REASONS = {name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys() if not name.endswith("_UNSPECIFIED")}  # noqa: SIM118  no dict


def code_in_the_contract(reason: str) -> grpc.StatusCode:
    """What the comment above a reason says."""
    before = CONTRACT[: CONTRACT.index(f"ERROR_REASON_{reason} =")]
    return grpc.StatusCode[re.findall(r"\b[Cc]ode ([A-Z_]+)", before)[-1]]


def test_every_reason_that_grpc_can_carry_has_a_class_and_no_class_has_another() -> None:
    assert UmpireError.by_reason.keys() == REASONS - HTTP_ONLY


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_the_class_of_a_reason_is_below_the_class_of_its_code(connect: Connect, fake: FakeServer, reason: str) -> None:
    code = code_in_the_contract(reason)
    fake.script["GetGame"].append(refused(code, reason))
    with pytest.raises(UmpireError.by_reason.get(reason, UmpireError)) as caught:
        connect(fake.address, retry=RetryPolicy(deadline=1, first_delay=5)).get_game("chess")
    assert isinstance(caught.value, UmpireError.by_code.get(code, UmpireError))
    assert (caught.value.code, caught.value.reason, caught.value.message) == (code, reason, "no")


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    drawn: dict[str, str] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ([│├└─ ]*)([A-Z]\w+Error|[A-Z]\w+)\s*(.*)", line)
        if found is not None:
            depth = len(found[1]) // 4
            above = [*above[:depth], found[2]]
            drawn[found[2]] = above[depth - 1] if depth else "Exception"
            kind = getattr(errors, found[2])
            words = re.findall(r"\b[A-Z][A-Z_]+\b", found[3].partition(";")[0])
            said = [code.name for code, one in UmpireError.by_code.items() if one is kind] + [
                name for name, one in UmpireError.by_reason.items() if one is kind
            ]
            assert words == said, found[2]
    classes = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, Exception) and one is not MatchAbandoned]
    assert drawn == {one.__name__: one.__base__.__name__ for one in classes}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.NOT_FOUND, NotFound),
        (grpc.StatusCode.FAILED_PRECONDITION, FailedPrecondition),
        (grpc.StatusCode.ABORTED, Aborted),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, ResourceExhausted),
        (grpc.StatusCode.INTERNAL, InternalError),
        (grpc.StatusCode.UNKNOWN, UmpireError),
    ],
)
def test_a_reason_that_is_not_known_has_the_class_of_its_code(connect: Connect, fake: FakeServer, code: grpc.StatusCode, kind: type[UmpireError]) -> None:
    fake.script["GetGame"].append(refused(code, "INVENTED_LATER", retry_ms=1_500, hint="x"))
    with pytest.raises(UmpireError) as caught:
        connect(fake.address).get_game("chess")
    assert type(caught.value) is kind
    assert (caught.value.reason, caught.value.metadata, caught.value.retry_after) == ("INVENTED_LATER", {"hint": "x"}, 1.5)


def test_a_reason_of_another_domain_is_not_ours(connect: Connect, fake: FakeServer) -> None:
    fake.script["GetGame"].append(refused(grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND", domain="proxy.example"))
    with pytest.raises(NotFound) as caught:
        connect(fake.address).get_game("chess")
    assert type(caught.value) is NotFound
    assert caught.value.reason == ""


def test_an_error_says_its_reason_and_its_sentence(client: Any) -> None:
    with pytest.raises(errors.GameNotFound) as caught:
        client.get_game("chess")
    assert str(caught.value).startswith("GAME_NOT_FOUND: ")
    assert caught.value.metadata == {"game": "chess"}


def test_an_invalid_request_names_every_bad_field(client: Any) -> None:
    with pytest.raises(InvalidRequest) as caught:
        client.create_match("", [])
    assert [violation.field for violation in caught.value.field_violations] == ["game", "seats"]
    assert all(violation.description for violation in caught.value.field_violations)


def test_errors_can_be_pickled() -> None:
    error = IllegalMove(grpc.StatusCode.FAILED_PRECONDITION, "no", "ILLEGAL_MOVE", {"code": "X", "rule": "R-1"}, (), 2.0)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.rule, again.retry_after) == (IllegalMove, "ILLEGAL_MOVE: no", "R-1", 2.0)


def test_an_error_that_is_caught_by_its_family_is_the_precise_one() -> None:
    assert issubclass(MatchNotFound, NotFound)
    assert issubclass(MatchFinished, FailedPrecondition)
    assert not issubclass(NotFound, Unavailable)


class Reset(Exception):
    """How gRPC tells that a stream was reset."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self._said = said

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.INTERNAL

    def details(self) -> str:
        return self._said

    def trailing_metadata(self) -> None:
        return None


def test_a_stream_that_a_proxy_has_reset_is_a_break_and_no_fault_of_the_server() -> None:
    error = error_of(Reset("Stream removed (RST_STREAM (Received RST_STREAM with error code 2))"))
    assert isinstance(error, Unavailable)
    assert (error.applied, error.code) == ("UNKNOWN", grpc.StatusCode.INTERNAL)
    assert isinstance(error_of(Reset("something broke")), InternalError)
