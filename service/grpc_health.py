"""gRPC's health checking. The library's own holds a lock while it writes: a watcher that does not read would hold up all others, and the stop of the worker."""

import asyncio
from collections.abc import Iterable
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

_SERVING, _NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


class Health(health_pb2_grpc.HealthServicer):  # type: ignore[misc]  # it comes without types
    """Says of each service, and of "" for all of them, whether it is served; to those who watch, whenever that changes."""

    def __init__(self, services: Iterable[str]) -> None:
        self._status = dict.fromkeys(("", *services), _NOT_SERVING)
        self._changed = asyncio.Event()

    def tell(self, *, is_serving: bool) -> None:
        """Say it from now on, of all services. It waits for nobody."""
        self._status = dict.fromkeys(self._status, _SERVING if is_serving else _NOT_SERVING)
        self._changed.set()
        self._changed = asyncio.Event()

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802 - the contract's name
        status = self._status.get(request.service)
        if status is None:
            await context.abort(grpc.StatusCode.NOT_FOUND)
        return health_pb2.HealthCheckResponse(status=status)

    async def Watch(self, request: Any, context: Any) -> None:  # noqa: N802
        told = None
        while True:
            changed = self._changed
            status = self._status.get(request.service, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
            if status != told:
                try:
                    await context.write(health_pb2.HealthCheckResponse(status=status))
                except grpc.aio.BaseError:  # it has left
                    return
                told = status
            await changed.wait()
