"""How far the request_id of a CreateMatch reaches: within an API key's name and the first signing key; without API keys, to everybody."""

from collections.abc import Callable, Iterator

import pytest

from service.private_redis import PrivateRedis
from tests.serving import RestCaller, Serving

FIRST, SECOND = "k1:" + "1a" * 32, "k2:" + "2b" * 32
REQUEST = {"game": "goldn_crash", "seats": [{}, {}], "requestId": "the-same"}
Start = Callable[..., Serving]


@pytest.fixture
def start(redis_server: PrivateRedis, key_prefix: str) -> Iterator[Start]:
    """Starts workers beside each other, with keys."""
    started: list[Serving] = []

    def start(api_keys: str, signing_keys: str = FIRST) -> Serving:
        insecure = "0" if api_keys else "1"
        started.append(Serving(redis_server.url, key_prefix=key_prefix, api_keys=api_keys, signing_keys=signing_keys, insecure=insecure))
        return started[-1].start()

    yield start
    for one in started:
        one.stop()


def made(worker: Serving, api_key: str) -> tuple[str, str]:
    """Create, and return the match's id and a credential."""
    caller = RestCaller(worker)
    answer = caller.call("CreateMatch", REQUEST, api_key=api_key)
    caller.close()
    assert answer.ok, answer
    return answer.body["match"]["matchId"], answer.body["seats"][0]["credential"]


def test_under_an_api_key_of_another_name_it_makes_another_match(start: Start) -> None:
    worker = start("site:first,site-2:second")
    once, under_another = made(worker, "first"), made(worker, "second")
    assert made(worker, "first") == once
    assert under_another[0] != once[0]
    of_the_same_name = start("site:changed")
    assert made(of_the_same_name, "changed") == once


def test_after_the_first_signing_key_was_changed_it_makes_another_match(start: Start) -> None:
    once = made(start("site:first", f"{FIRST},{SECOND}"), "first")
    assert made(start("site:first", f"{SECOND},{FIRST}"), "first")[0] != once[0]


def test_without_api_keys_whoever_repeats_it_is_answered_the_same_credentials(start: Start) -> None:
    worker = start("")
    assert made(worker, "") == made(worker, "")
