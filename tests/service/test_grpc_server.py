"""What the gRPC door allows one connection, and what its health checking does for each."""

import contextlib
import signal
import socket
from collections.abc import Iterator

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from service.private_redis import PrivateRedis
from tests.serving import Serving

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 0, 1, 4, 3, 4
END_STREAM, END_HEADERS = 1, 4
WATCH_HEALTH = b"".join(
    (
        b"\x83\x86",  # POST, http
        b"\x44\x1c/grpc.health.v1.Health/Watch",
        b"\x41\x01x",  # the authority
        b"\x5f\x10application/grpc",
        b"\x40\x02te\x08trailers",
    )
)


def test_a_connection_is_told_how_many_calls_it_may_have_under_way(serving: Serving) -> None:
    with socket.create_connection(("127.0.0.1", serving.grpc_port), timeout=10) as connection, connection.makefile("rb") as answers:
        connection.sendall(PREFACE + bytes((0, 0, 0, SETTINGS, 0, 0, 0, 0, 0)))
        head = answers.read(9)
        payload = answers.read(int.from_bytes(head[:3], "big"))
    assert head[3] == SETTINGS
    told = {int.from_bytes(payload[at : at + 2], "big"): int.from_bytes(payload[at + 2 : at + 6], "big") for at in range(0, len(payload), 6)}
    assert told[MAX_CONCURRENT_STREAMS] == 1_000


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


@contextlib.contextmanager
def a_health_watcher_that_makes_no_room(port: int) -> Iterator[None]:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection, connection.makefile("rb") as answers:
        no_window = INITIAL_WINDOW_SIZE.to_bytes(2, "big") + bytes(4)
        call = frame(HEADERS, END_HEADERS, 1, WATCH_HEALTH) + frame(DATA, END_STREAM, 1, bytes(5))
        connection.sendall(PREFACE + frame(SETTINGS, 0, 0, no_window) + call)
        while (head := answers.read(9))[3] != HEADERS:  # with them the answer has begun
            answers.read(int.from_bytes(head[:3], "big"))
        yield


def test_a_health_watcher_that_does_not_read_holds_up_no_other(serving: Serving) -> None:
    with a_health_watcher_that_makes_no_room(serving.grpc_port), grpc.insecure_channel(serving.grpc) as channel:
        watched = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=20)
        assert next(watched).status == health_pb2.HealthCheckResponse.SERVING
        watched.cancel()


def test_nor_does_it_keep_a_worker_from_stopping_and_the_others_hear_of_that(redis_server: PrivateRedis) -> None:
    running = Serving(redis_server.url).start()
    try:
        with a_health_watcher_that_makes_no_room(running.grpc_port), grpc.insecure_channel(running.grpc) as channel:
            watched = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service="umpire.v1.MatchService"), timeout=40)
            assert next(watched).status == health_pb2.HealthCheckResponse.SERVING
            running.processes[0].send_signal(signal.SIGTERM)
            assert next(watched).status == health_pb2.HealthCheckResponse.NOT_SERVING
            assert running.processes[0].wait(20) == 0
    finally:
        running.stop()
