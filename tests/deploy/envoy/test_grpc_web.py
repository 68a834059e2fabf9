"""gRPC-Web, with frames made by hand: five bytes (0 a message, 128 the trailers; length) before each part."""

import base64
import ssl
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.deploy.envoy.gateway import Gateway
from tests.matchmaking import create
from tests.serving import GrpcCaller, to_dict

_TRAILERS = 0x80


@pytest.fixture
def caller(gateway: Gateway) -> Iterator[GrpcCaller]:
    made = GrpcCaller(gateway.address)
    yield made
    made.close()


def frame(data: bytes) -> bytes:
    return b"\0" + len(data).to_bytes(4, "big") + data


def frames(chunks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Take a body apart: kind and content of each frame, as soon as it is whole."""
    held = b""
    for chunk in chunks:
        held += chunk
        while len(held) >= 5 and len(held) >= 5 + int.from_bytes(held[1:5], "big"):
            end = 5 + int.from_bytes(held[1:5], "big")
            yield held[0], held[5:end]
            held = held[end:]
    assert held == b""


def trailers(data: bytes) -> dict[str, str]:
    return dict(line.split(":", 1) for line in data.decode().strip().split("\r\n"))


class Web:
    """Calls as grpc-web does."""

    def __init__(self, caller: GrpcCaller, content_type: str) -> None:
        self.caller = caller
        self.content_type = content_type
        self.client = httpx.Client(verify=ssl.create_default_context(cafile=str(caller.authority)), timeout=20)

    def headers(self, credential: str) -> dict[str, str]:
        return {"content-type": self.content_type, "accept": self.content_type, "x-grpc-web": "1", "authorization": f"Bearer {credential}"}

    def request(self, method: str, **wanted: Any) -> tuple[str, bytes]:
        body = frame(self.caller.message(method, "request")(**wanted).SerializeToString())
        url = f"{self.caller.serving.http}{self.caller.rpc(method).path}"
        return url, base64.b64encode(body) if "text" in self.content_type else body


@pytest.fixture(params=["application/grpc-web+proto", "application/grpc-web-text+proto"])
def web(request: pytest.FixtureRequest, caller: GrpcCaller) -> Iterator[Web]:
    made = Web(caller, request.param)
    yield made
    made.client.close()


def test_a_call_answers_a_message_and_trailers(web: Web) -> None:
    match = create(web.caller)
    url, body = web.request("GetMatch", match_id=match.match_id)
    answer = web.client.post(url, content=body, headers=web.headers(match.spectator))
    assert (answer.status_code, answer.headers["content-type"]) == (200, web.content_type)
    text = answer.content  # as text, each part that comes is padded for itself
    whole = b"".join(base64.b64decode(text[at : at + 4]) for at in range(0, len(text), 4)) if "text" in web.content_type else text
    (kind, message), (last, end) = frames(iter([whole]))
    assert (kind, last, trailers(end)["grpc-status"]) == (0, _TRAILERS, "0")
    assert (
        to_dict(web.caller.message("GetMatch", "response").FromString(message))
        == web.caller.call("GetMatch", {"match_id": match.match_id}, match.spectator).body
    )


def test_a_refusal_is_in_the_trailers(web: Web) -> None:
    url, body = web.request("GetMatch", match_id="nowhere")
    answer = web.client.post(url, content=body, headers=web.headers("x"))
    assert answer.status_code == 200
    assert answer.headers["grpc-status"] == "16"
    assert answer.headers["grpc-status-details-bin"]


def test_a_stream_comes_message_by_message(caller: GrpcCaller) -> None:
    web, match = Web(caller, "application/grpc-web+proto"), create(caller)
    before = match.version
    url, body = web.request("WatchMatch", match_id=match.match_id, since_version=before)
    read = caller.message("WatchMatch", "response")
    with web.client.stream("POST", url, content=body, headers=web.headers(match.spectator)) as answer:
        coming = frames(answer.iter_raw())
        assert read.FromString(next(coming)[1]).version == before
        match.play("draw")
        while (seen := read.FromString(next(coming)[1])).version == before:
            pass
        assert seen.update.version == before + 1
        caller.call("DeleteMatch", {"match_id": match.match_id}, match.creator)
        *_, (kind, end) = coming
        assert (kind, trailers(end)["grpc-status"]) == (_TRAILERS, "5")
    web.client.close()
