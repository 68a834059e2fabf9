"""An error's three forms say the same."""

import pytest
from google.protobuf import json_format
from google.rpc import error_details_pb2  # noqa: F401 - json_format finds the details' types in the default pool

from service.errors import ApiError, IllegalMove, Internal, InvalidRequest, Unavailable, VersionAhead
from service.status import retry_after_s, status_json, status_of

ERRORS = [
    InvalidRequest(("seats[1].display_name", "must be a string"), ("", "ß")),
    IllegalMove("A", "B-1", "no", "c"),
    VersionAhead(3),
    Internal("r"),
    Unavailable("SERVER_DRAINING", "bye"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.reason)
def test_the_json_is_what_protobuf_makes_of_the_message(error: ApiError) -> None:
    expected = json_format.MessageToDict(status_of(error), always_print_fields_with_no_presence=True)
    written = status_json(error)
    for detail in expected["details"]:
        for violation in detail.get("fieldViolations", ()):
            # Members of BadRequest that newer googleapis have and this service leaves empty.
            for name in [name for name, value in violation.items() if name not in ("field", "description") and not value]:
                del violation[name]
    assert written == expected


def test_a_retry_is_told_in_whole_seconds() -> None:
    error = Unavailable("SERVER_DRAINING", "bye")
    assert retry_after_s(error) == 1
    error.retry_after_ms = 1_200
    assert (retry_after_s(error), status_json(error)["details"][1]["retryDelay"]) == (2, "1.200s")
    assert retry_after_s(VersionAhead(1)) is None
