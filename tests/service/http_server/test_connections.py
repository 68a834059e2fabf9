"""What clients may do with a connection, byte by byte, against a running worker."""

import contextlib
import json
import select
import socket
import time

import pytest

from tests.serving import API_KEY, Serving

CREATE = json.dumps({"game": "goldn_crash", "seats": [{}, {}]}).encode()


def request(method: str, path: str, body: bytes = b"", *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"x-api-key: {API_KEY}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def read_answers(connection: socket.socket, number: int) -> list[tuple[int, bytes]]:
    """Read so many answers: status and body."""
    data, answers = b"", []
    while len(answers) < number:
        head, end, rest = data.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n") if end else []  # a head that is cut anywhere says nothing yet
        length = next((int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length")), 0)
        if end and len(rest) >= length:
            answers.append((int(head.split(b" ")[1]), rest[:length]))
            data = rest[length:]
            continue
        more = connection.recv(1 << 16)
        assert more, f"closed after {answers} and {data!r}"
        data += more
    assert not data
    return answers


@pytest.fixture
def connection(serving: Serving) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", serving.http_port), timeout=20)
    made.settimeout(20)
    return made


def test_requests_sent_at_once_are_answered_in_order(connection: socket.socket) -> None:
    paths = ["/v1/games", "/v1/nothing", "/v1/games/goldn_crash", "/v1/games/chess"] * 10
    connection.sendall(b"".join(request("GET", path) for path in paths))
    assert [status for status, _ in read_answers(connection, len(paths))] == [200, 404, 200, 404] * 10


@pytest.mark.parametrize(("method", "path", "body"), [("GET", "/v1/games", b""), ("POST", "/v1/matches", CREATE)])
def test_who_will_not_ask_again_is_still_answered(connection: socket.socket, method: str, path: str, body: bytes) -> None:
    connection.sendall(request(method, path, body))
    connection.shutdown(socket.SHUT_WR)
    [(status, _)] = read_answers(connection, 1)
    assert status == 200
    assert connection.recv(1) == b"", "and then the connection is closed"


def test_who_goes_away_in_mid_request_is_not_waited_for(connection: socket.socket) -> None:
    connection.sendall(request("POST", "/v1/matches", CREATE)[:-5])
    connection.shutdown(socket.SHUT_WR)
    assert connection.recv(1) == b""


@pytest.mark.parametrize("offer", ["Upgrade: h2c", "upgrade:h2c", "UPGRADE: H2C"])
def test_an_offer_to_speak_http2_is_declined_and_the_request_answered(connection: socket.socket, offer: str) -> None:
    offers = "Connection: Upgrade, HTTP2-Settings", offer, "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA"
    connection.sendall(request("POST", "/v1/matches", CREATE, *offers) + request("GET", "/v1/games"))
    (status, body), (second, _) = read_answers(connection, 2)
    assert (status, second) == (200, 200)
    assert json.loads(body)["match"]["game"] == "goldn_crash"


def test_a_body_that_speaks_of_upgrades_is_left_alone(connection: socket.socket) -> None:
    note = "\r\nUpgrade: h2c\r\n"
    body = json.dumps({"game": "goldn_crash", "seats": [{"metadata": note}, {}]}).encode()
    connection.sendall(request("POST", "/v1/matches", body))
    [(status, answer)] = read_answers(connection, 1)
    assert status == 200
    assert json.loads(answer)["match"]["seats"][0]["metadata"] == note


def test_a_reader_that_takes_its_time_gets_every_answer_whole(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    number = 30
    connection.sendall(request("GET", "/v1/games/goldn_crash/rules") * number)
    time.sleep(0.5)
    answers = read_answers(connection, number)
    assert {status for status, _ in answers} == {200}
    assert len({body for _, body in answers}) == 1


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"GET /v1/games HTTP/1.1\r\nx: ", b"x" * 1000),
        (b"GET /v1/games HTTP/1.1\r\n", b"x: y\r\n" * 100),
        (b"GET /", b"x" * 1000),
        (b"POST /v1/matches HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"x: y\r\n" * 100),
    ],
    ids=["value", "headers", "path", "trailers"],
)
def test_a_request_of_headers_without_end_is_cut_off(connection: socket.socket, begin: bytes, more: bytes) -> None:
    connection.sendall(begin)
    with pytest.raises(ConnectionError):
        for _ in range(50):
            connection.sendall(more * 50)
            time.sleep(0.01)
        assert connection.recv(1 << 16) == b"", "it was taken whole"
        raise ConnectionResetError


def test_the_pieces_of_a_body_may_be_small(connection: socket.socket) -> None:
    pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in CREATE + b" " * 60_000)
    connection.sendall(request("POST", "/v1/matches", b"", "Transfer-Encoding: chunked").replace(b"Content-Length: 0\r\n", b"") + pieces + b"0\r\n\r\n")
    [(status, _)] = read_answers(connection, 1)
    assert status == 200


def test_who_does_not_take_the_answers_is_not_kept(serving: Serving) -> None:
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", serving.http_port))
        connection.sendall(request("GET", "/v1/games/monster_mash_up/card-sets/house") * 1_000)  # more than the kernel holds
        ending = select.poll()
        ending.register(connection, 0)
        assert ending.poll(60_000), "it is still there after a minute"


def test_who_says_nothing_is_not_kept(connection: socket.socket) -> None:
    begun = time.monotonic()
    assert connection.recv(1) == b""
    assert time.monotonic() - begun > 2


def test_a_request_that_does_not_come_is_not_waited_for(serving: Serving) -> None:
    parts = b"GET /v1/ga", b"\r\n", request("POST", "/v1/matches", CREATE)[:-5]
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", serving.http_port), timeout=45)) for _ in parts]
        for connection, part in zip(connections, parts, strict=True):
            connection.sendall(part)
        for connection in connections:
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(1) == b""
