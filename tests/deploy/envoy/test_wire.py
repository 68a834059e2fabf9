"""The wire cases, through Envoy with TLS: not one answer may differ."""

from tests.serving import Caller, RestCaller
from tests.wire.test_cases import situations, test_case  # noqa: F401 - collected here too, with this folder's callers
from tests.wire.test_reasons import (
    rest,  # noqa: F401
    test_a_body_that_is_too_large,  # noqa: F401
    test_a_method_that_a_path_does_not_take,  # noqa: F401
    test_a_path_that_there_is_not,  # noqa: F401
)


def test_the_cases_go_through_envoy(callers: dict[str, Caller]) -> None:
    rest_caller = callers["rest"]
    assert isinstance(rest_caller, RestCaller)
    assert rest_caller.client.get("/v1/games").extensions["network_stream"].get_extra_info("ssl_object").version() == "TLSv1.3"
