"""TLS to workers, with certificates on both sides: Envoy gets through, and nobody else does."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest

from service.private_redis import PrivateRedis
from tests.deploy.envoy.conftest import Start
from tests.deploy.envoy.gateway import AUTHORITY, CERTIFICATES, TLS, UNLIMITED
from tests.deploy.envoy.test_configuration import MUTUAL
from tests.matchmaking import at_random, create
from tests.serving import CALLERS, Caller, Serving

PROXY, STRANGER = "proxy", "stranger"


@pytest.fixture(scope="module")
def guarded(redis_server: PrivateRedis) -> Iterator[Serving]:
    """A worker that wants certificates."""
    files = {"tls_cert": str(CERTIFICATES / "worker.crt"), "tls_key": str(CERTIFICATES / "worker.key"), "tls_client_ca": str(AUTHORITY)}
    running = Serving(redis_server.url, **files).start()
    yield running
    running.stop()


def over_http(worker: Serving, who: str) -> int:
    trusted = ssl.create_default_context(cafile=str(AUTHORITY))
    if who:
        trusted.load_cert_chain(CERTIFICATES / f"{who}.crt", CERTIFICATES / f"{who}.key")
    return httpx.get(f"https://127.0.0.1:{worker.http_port}/v1/games", verify=trusted).status_code


def over_grpc(worker: Serving, who: str) -> bytes:
    pair = [(CERTIFICATES / f"{who}.{kind}").read_bytes() for kind in ("key", "crt")] if who else [None, None]
    credentials = grpc.ssl_channel_credentials(AUTHORITY.read_bytes(), *pair)
    with grpc.secure_channel(worker.grpc, credentials, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        return channel.unary_unary("/umpire.v1.CatalogService/ListGames")(b"", timeout=10)


@pytest.mark.parametrize("kind", CALLERS.values(), ids=CALLERS)
def test_a_match_is_played_through(kind: type[Caller], start_gateway: Start, guarded: Serving) -> None:
    caller = kind(start_gateway([guarded], *TLS, *UNLIMITED, *MUTUAL).address)
    assert create(caller).play_out(at_random(1))["reason"]
    caller.close()


def test_a_worker_takes_who_has_a_certificate_of_the_authority(guarded: Serving) -> None:
    assert over_http(guarded, PROXY) == 200
    assert over_grpc(guarded, PROXY)


@pytest.mark.parametrize("who", ["", STRANGER])
def test_a_worker_refuses_who_has_none_or_one_of_its_own_making(who: str, guarded: Serving) -> None:
    with pytest.raises(httpx.TransportError):
        over_http(guarded, who)
    with pytest.raises(grpc.RpcError) as refused:
        over_grpc(guarded, who)
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE


def test_a_worker_takes_no_plain_text(guarded: Serving) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{guarded.http_port}/v1/games")


def test_envoy_talks_to_no_worker_under_another_name(start_gateway: Start, guarded: Serving, tmp_path: Path) -> None:
    other = [*MUTUAL[:-1], "somebody-else"]
    caller = CALLERS["rest"](start_gateway([guarded], *TLS, *UNLIMITED, *other).address)
    assert caller.call("ListGames").reason == "WORKER_UNAVAILABLE"
    caller.close()
