"""A gRPC server that hands each call on to a real one, so that a test can come between: fail a call, lose its answer, or answer as a newer release would."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import grpc

Handing = Callable[[str, bytes, Callable[[], bytes], Any], bytes]
"""What comes between: the rpc's path, the request, a call of the real server, the server's context; returns the answer or aborts."""


class Relay(grpc.GenericRpcHandler):
    """Listens on a free port of this machine. ``calls`` are all that came: path and request."""

    def __init__(self, target: str, between: Handing) -> None:
        self.calls: list[tuple[str, bytes]] = []
        self._between = between
        self._channel = grpc.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
        self._server = grpc.server(ThreadPoolExecutor(8))
        self._server.add_generic_rpc_handlers((self,))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.stop(None).wait()
        self._channel.close()

    def service(self, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        metadata = tuple((key, value) for key, value in handler_call_details.invocation_metadata if key in {"authorization", "x-api-key"})

        def handle(request: bytes, context: Any) -> bytes:
            self.calls.append((path, request))

            def ask() -> bytes:
                try:
                    return self._channel.unary_unary(path)(request, metadata=metadata, timeout=20)
                except grpc.RpcError as error:
                    context.set_trailing_metadata(tuple(pair for pair in error.trailing_metadata() if pair[0] == "grpc-status-details-bin"))
                    context.abort(error.code(), error.details())

            return self._between(path, request, ask, context)

        return grpc.unary_unary_rpc_method_handler(handle)

    def count(self, method: str) -> int:
        """How often an rpc was called, by its method's name."""
        return sum(path.endswith(f"/{method}") for path, _ in self.calls)


def loses_answers(every: int, code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE) -> Handing:
    """Fails each so-many-th call: in turn before it is handed on and after, so that it was applied and nobody was told."""
    counted = [0]

    def between(_path: str, _request: bytes, ask: Callable[[], bytes], context: Any) -> bytes:
        counted[0] += 1
        if counted[0] % every:
            return ask()
        if (counted[0] // every) % 2:
            ask()
        context.abort(code, "lost")
        raise AssertionError("abort returned")

    return between
