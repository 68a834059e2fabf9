"""The ops port: /healthz, /readyz and /metrics of one worker."""

from collections.abc import Awaitable, Callable
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST

from service.telemetry.metrics import Metrics

Check = Callable[[], Awaitable[str]]
"""Says why the worker cannot take calls now; "" if it can."""


class Ops:
    """A raw ASGI app."""

    def __init__(self, metrics: Metrics, readiness: Check) -> None:
        self._metrics = metrics
        self._readiness = readiness

    async def __call__(self, scope: dict[str, Any], _receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        match scope["path"]:
            case "/healthz":
                await _answer(send, 200, b"ok\n")
            case "/readyz":
                problem = await self._readiness()
                await _answer(send, 503 if problem else 200, f"{problem or 'ready'}\n".encode())
            case "/metrics":
                await _answer(send, 200, self._metrics.exposition(), CONTENT_TYPE_LATEST)
            case _:
                await _answer(send, 404, b"only /healthz, /readyz and /metrics are here\n")


async def _answer(send: Any, status: int, body: bytes, content_type: str = "text/plain; charset=utf-8") -> None:
    headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
