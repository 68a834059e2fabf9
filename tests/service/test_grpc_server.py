"""What the gRPC door allows one connection."""

import socket

from tests.serving import Serving

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, MAX_CONCURRENT_STREAMS = 4, 3


def test_a_connection_is_told_how_many_calls_it_may_have_under_way(serving: Serving) -> None:
    with socket.create_connection(("127.0.0.1", serving.grpc_port), timeout=10) as connection, connection.makefile("rb") as answers:
        connection.sendall(PREFACE + bytes((0, 0, 0, SETTINGS, 0, 0, 0, 0, 0)))
        head = answers.read(9)
        payload = answers.read(int.from_bytes(head[:3], "big"))
    assert head[3] == SETTINGS
    told = {int.from_bytes(payload[at : at + 2], "big"): int.from_bytes(payload[at + 2 : at + 6], "big") for at in range(0, len(payload), 6)}
    assert told[MAX_CONCURRENT_STREAMS] == 1_000
