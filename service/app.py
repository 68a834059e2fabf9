"""The one place that wires: from settings to a worker that serves."""

import asyncio
import contextlib
import secrets
import socket
import ssl
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import structlog
import uvicorn

from engines.registry import games
from service.api.catalog_api import CatalogApi
from service.api.handing_out import HandingOut
from service.api.live_api import LiveApi
from service.api.match_api import MatchApi
from service.config import Settings, Tls
from service.contract import load_contract
from service.credentials import ApiKeys, Credentials, SigningKey
from service.dispatch import Dispatcher, handlers_of
from service.grpc_server import GrpcDoor
from service.http_server import HttpDoor, WholeAnswers
from service.matches.continuing import Continuing
from service.matches.history import History
from service.matches.library import Library
from service.matches.repository import Repository
from service.matches.sweeping import Sweeping
from service.matches.watching import Hub
from service.ops import Ops
from service.readiness import Readiness
from service.store import Durability, Store, StoreUnavailable, all_buckets
from service.telemetry.loop_lag import LoopLag
from service.telemetry.metrics import Metrics

if TYPE_CHECKING:
    from service.telemetry.tracing import Tracing

_log = structlog.get_logger("umpire.worker")

_GRACE_S = 5.0
_PATIENCE_IN_HEARTBEATS = 2


class Worker:
    """A worker: both doors, the ops port, and what stands behind them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._metrics, self._tracing = _telemetry(settings)
        self._store = Store(settings.redis_url, prefix=settings.key_prefix, observer=self._metrics, durability=Durability(settings.durability))
        self._metrics.store_waiting.read = lambda: self._store.waiting
        self._readiness = Readiness(self._store)
        self._metrics.ready.read = self._readiness.is_ready
        library = Library(games(), self._metrics)
        repository = Repository(self._store, library, self._metrics)
        self._continuing = Continuing(repository)
        self._history = History(repository)
        self._hub = Hub(repository, self._store.listening, self._metrics, heartbeat=settings.heartbeat)
        self._sweeping = Sweeping(self._store, self._continuing, all_buckets())
        self._metrics.open_windows.read = self._sweeping.windows.open
        self._metrics.oldest_overdue.read = lambda: self._sweeping.windows.oldest_overdue(self._store.now_ms())
        masters = self._store.masters
        self._metrics.redis_used_memory.read = lambda: {node: master.used for node, master in masters.known.items()}
        self._metrics.redis_max_memory.read = lambda: {node: master.limit for node, master in masters.known.items()}
        self._metrics.redis_disk_fails.read = lambda: {node: master.disk_fails for node, master in masters.known.items()}
        self._metrics.redis_replicas.read = lambda: {node: master.replicas for node, master in masters.known.items() if master.replicas is not None}
        self._loop_lag = LoopLag(self._metrics.loop_lag)
        patience = _PATIENCE_IN_HEARTBEATS * settings.heartbeat
        credentials = Credentials(settings.signing_keys or (SigningKey("ephemeral", secrets.token_bytes(32)),))
        handing_out = HandingOut(credentials, allow_seeds=settings.allow_seeds)
        contract = load_contract(games())
        apis: dict[str, Sequence[object]] = {
            "umpire.v1.CatalogService": [CatalogApi(library)],
            "umpire.v1.MatchService": [
                MatchApi(library, repository, self._continuing, self._history, handing_out),
                LiveApi(self._hub, repository, self._continuing, self._metrics, patience),
            ],
        }
        self._dispatcher = Dispatcher(handlers_of(contract.rpcs, apis), credentials, ApiKeys(settings.api_keys), self._metrics, patience, self._tracing)
        self._grpc = GrpcDoor(contract.rpcs, contract.pool, self._dispatcher)
        self._http = _server(HttpDoor(contract.rpcs, self._dispatcher, allowed_origins=settings.cors_origins), settings.tls)
        self._ops = _server(Ops(self._metrics, self._readiness.why_not))
        self._serving: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open everything and begin to serve. The store may be away: it is waited for while serving.

        Raises:
            OSError, RuntimeError: a port is taken.
        """
        settings = self._settings
        with contextlib.suppress(StoreUnavailable):
            await self._store.open()
        self._serve(self._ops, settings.ops_port + settings.index, share=False)
        self._grpc.listen(f"{settings.host}:{settings.grpc_port}", settings.tls)
        self._serve(self._http, settings.http_port, share=True)
        await self._grpc.start()
        while not (self._http.started and self._ops.started):  # noqa: ASYNC110 - uvicorn has no event to wait for
            await asyncio.sleep(0.005)
        self._sweeping.start()
        self._store.masters.start()
        self._loop_lag.start()
        self._hub.start()
        self._readiness.open()
        _log.info("serving", http_port=settings.http_port, grpc_port=settings.grpc_port, ops_port=settings.ops_port + settings.index)

    async def stop(self) -> None:
        """Not ready; end the streams; leave the ports; finish what was begun; close the store."""
        await self._readiness.close()
        self._grpc.not_serving()
        self._dispatcher.drain()  # what still comes over open connections is told to try again; what was begun goes on
        await self._hub.drain()
        self._http.should_exit = True
        await asyncio.gather(self._grpc.stop(_GRACE_S), *self._serving[1:], return_exceptions=True)  # the first is the ops port, which answers to the last
        await self._hub.close()
        self._loop_lag.stop()
        await self._sweeping.close()
        await self._continuing.close()
        self._history.close()
        await self._store.close()
        if self._tracing is not None:
            await self._tracing.close()
        self._ops.should_exit = True
        await asyncio.gather(*self._serving, return_exceptions=True)
        _log.info("stopped")

    def _serve(self, server: "_Server", port: int, *, share: bool) -> None:
        listener = socket.socket(socket.AF_INET6 if ":" in self._settings.host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if share:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((self._settings.host, port))
        self._serving.append(asyncio.create_task(server.serve(sockets=[listener])))


def _telemetry(settings: Settings) -> "tuple[Metrics, Tracing | None]":
    """Make the observer of everything. OpenTelemetry is imported only where it is wanted."""
    if not settings.otlp_endpoint:
        return Metrics(), None
    from service.telemetry.traced_metrics import TracedMetrics  # noqa: PLC0415 - an extra
    from service.telemetry.tracing import Tracing  # noqa: PLC0415 - an extra

    tracing = Tracing(settings.otlp_endpoint, settings.otlp_ratio, settings.index)
    return TracedMetrics(), tracing


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: the worker has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _server(app: Any, tls: Tls | None = None) -> _Server:
    files: dict[str, Any] = {}
    if tls is not None:
        files = {"ssl_certfile": tls.certificate, "ssl_keyfile": tls.key}
        if tls.client_authority is not None:
            files |= {"ssl_ca_certs": str(tls.client_authority), "ssl_cert_reqs": ssl.CERT_REQUIRED}
    config = uvicorn.Config(
        app,
        http=WholeAnswers,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(_GRACE_S),
        **files,
    )
    return _Server(config)
