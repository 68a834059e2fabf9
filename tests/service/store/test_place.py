"""Addresses: where the matches are kept, who may see what of it, and how it is reached."""

from typing import Any

import pytest
from redis.asyncio.connection import Connection, SSLConnection

from service.config import ConfigError
from service.redis_address import read_address
from service.redis_place import Address, Kind, read_place
from service.store._node import Limits, Node
from service.store._sentinel import following

LIMITS = Limits(1.5, 0.4)


@pytest.mark.parametrize(("url", "kind", "addresses", "service"), [
    ("redis+cluster://a:7000,b:7001", Kind.CLUSTER, ["a:7000", "b:7001"], ""),
    ("redis+cluster://u:p@a", Kind.CLUSTER, ["a:6379"], ""),
    ("rediss+cluster://[::1]:7000,10.0.0.1/", Kind.CLUSTER, ["[::1]:7000", "10.0.0.1:6379"], ""),
    ("redis+sentinel://a,b:1/matches", Kind.SENTINEL, ["a:26379", "b:1"], "matches"),
    ("rediss+sentinel://:p@a/matches/2", Kind.SENTINEL, ["a:26379"], "matches"),
    ("redis://a:1/2", Kind.ONE, [], ""),
    ("unix:///run/redis.sock", Kind.ONE, [], ""),
])  # fmt: skip
def test_an_address_says_which_servers_there_are(url: str, kind: Kind, addresses: list[str], service: str) -> None:
    place = read_place(url)
    assert (place.kind, [str(address) for address in place.addresses], place.service) == (kind, addresses, service)
    assert place.options.get("connection_class") is (SSLConnection if url.startswith("rediss") else place.options.get("connection_class"))


def test_a_password_goes_to_the_servers_and_another_to_the_sentinels() -> None:
    place = read_place("redis+sentinel://user:p%40ss%2Fword@a/matches/3?sentinel_password=q%3Dr")
    assert (place.options["username"], place.options["password"], place.options["db"]) == ("user", "p@ss/word", 3)
    assert place.sentinel_options == {"password": "q=r"}


@pytest.mark.parametrize("url", [
    "redis+cluster://", "redis+cluster://a,", "redis+cluster://a/1", "redis+cluster://a?db=1", "redis+cluster://a:port", "redis+cluster://a?sentinel_password=x",
    "redis+sentinel://a", "redis+sentinel://a/", "redis+sentinel:///matches", "redis+other://a", "unix+cluster:///a", "http://a", "a:6379",
    "redis+cluster://:a-sec/ret@a", "redis+sentinel://:a-sec#ret@a/matches", "redis+cluster://a?decode_responses=true",
])  # fmt: skip
def test_what_is_no_address_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_address(url)
    assert "UMPIRE_REDIS_URL" in str(refused.value)
    assert "a-sec" not in str(refused.value)


@pytest.mark.parametrize(("url", "shown", "is_local", "is_encrypted"), [
    ("redis+cluster://u:secret@127.0.0.1:7000,[::1]:7001", "redis+cluster://127.0.0.1:7000,[::1]:7001", True, False),
    ("rediss+cluster://:secret@127.0.0.1,redis.internal", "rediss+cluster://127.0.0.1:6379,redis.internal:6379", False, True),
    ("redis+sentinel://:secret@a/matches/1?sentinel_password=secret", "redis+sentinel://a:26379/matches/1", False, False),
])  # fmt: skip
def test_what_is_shown_of_an_address_has_no_password(url: str, shown: str, is_local: bool, is_encrypted: bool) -> None:
    address = read_address(url)
    assert address[1:] == (shown, is_local, is_encrypted, True, address.kind)


@pytest.mark.parametrize(("scheme", "expected"), [("redis", Connection), ("rediss", SSLConnection)])
async def test_with_tls_all_connections_have_it(scheme: str, expected: type) -> None:
    cluster = read_place(f"{scheme}+cluster://:secret@a")
    sentinel = read_place(f"{scheme}+sentinel://:secret@a/matches")
    made: list[Any] = [
        Node({**cluster.options, **Address("10.0.0.1", 7000)._asdict()}, LIMITS).make_connection(),
        Node(following(sentinel, LIMITS), LIMITS).make_connection(),
    ]
    assert [isinstance(connection, SSLConnection) for connection in made] == [expected is SSLConnection] * 2
    assert (made[0].host, made[0].port, made[0].password) == ("10.0.0.1", 7000, "secret")
