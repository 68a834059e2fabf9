"""Metrics, for Prometheus: one registry a worker. Labels hold ids of the catalog and codes only: never what a seat chose."""

from functools import lru_cache
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from service.contract import Rpc
from service.errors import ApiError
from service.messages import Cause

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class _Door(NamedTuple):
    """The three metrics of a door, by the names that the gRPC ecosystem uses."""

    started: Counter
    handled: Counter
    seconds: Histogram


class Observed:
    """One call of an rpc through one door, being observed. Kept for all calls of its kind."""

    def __init__(self, door: _Door, refusals: Counter, rpc: Rpc) -> None:
        self._service = rpc.service
        self._method = rpc.method
        self._handled = door.handled
        self._refusals = refusals
        self._ok = door.handled.labels("unary", rpc.service, rpc.method, "OK")
        self._seconds = door.seconds.labels("unary", rpc.service, rpc.method)
        self.begun = door.started.labels("unary", rpc.service, rpc.method)

    def finished(self, error: ApiError | None, seconds: float) -> None:
        """Count the call as done."""
        self._seconds.observe(seconds)
        if error is None:
            self._ok.inc()
        else:
            self._handled.labels("unary", self._service, self._method, error.code.name).inc()
            self._refusals.labels(error.reason).inc()


class Metrics:
    """All metrics of a worker; also the observer of the use cases and of the store."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._doors = {"grpc": self._door("grpc"), "rest": self._door("http"), "connect": self._door("connect")}
        self._calls: dict[tuple[str, str], Observed] = {}
        self._refusals = Counter("umpire_refusals", "Calls refused, by reason.", ["reason"], registry=self.registry)
        self._created = Counter("umpire_matches_created", "Matches created.", ["game", "mode"], registry=self.registry)
        self._finished = Counter("umpire_matches_finished", "Matches that reached an outcome.", ["game", "mode", "reason"], registry=self.registry)
        self._moves = Counter("umpire_moves", "Moves applied, by the kind of decision and the cause.", ["game", "kind", "cause"], registry=self.registry)
        self._conflicts = Counter("umpire_commit_conflicts", "Commits that lost a race and began again.", ["game"], registry=self.registry)
        self._store_seconds = Histogram(
            "umpire_store_seconds", "Seconds a command of the store took.", ["command", "outcome"], registry=self.registry, buckets=_SECONDS
        )
        # Looking up a child costs more than counting in it.
        self._count_move = lru_cache(maxsize=1_024)(self._moves.labels)
        self._time_store = lru_cache(maxsize=256)(self._store_seconds.labels)
        self.ready = Gauge("umpire_ready", "1 while this worker takes calls.", registry=self.registry)

    def started(self, rpc: Rpc, transport: str) -> Observed:
        """Count a call as begun."""
        observed = self._calls.get((transport, rpc.path))
        if observed is None:
            observed = self._calls[transport, rpc.path] = Observed(self._doors[transport], self._refusals, rpc)
        observed.begun.inc()
        return observed

    def exposition(self) -> bytes:
        """Write all metrics in Prometheus' text format."""
        return generate_latest(self.registry)

    # ---- observer of the use cases

    def match_created(self, game: str, mode: str) -> None:
        self._created.labels(game, mode).inc()

    def match_finished(self, game: str, mode: str, reason: str) -> None:
        self._finished.labels(game, mode, reason).inc()

    def move_applied(self, game: str, kind: str, cause: Cause) -> None:
        self._count_move(game, kind, cause.value).inc()

    def commit_conflicted(self, game: str) -> None:
        self._conflicts.labels(game).inc()

    # ---- observer of the store

    def observe(self, command: str, seconds: float, outcome: str) -> None:
        self._time_store(command, outcome).observe(seconds)

    def _door(self, prefix: str) -> _Door:
        labels = [f"{prefix}_type", f"{prefix}_service", f"{prefix}_method"]
        return _Door(
            Counter(f"{prefix}_server_started", "Calls begun.", labels, registry=self.registry),
            Counter(f"{prefix}_server_handled", "Calls answered, by code.", [*labels, f"{prefix}_code"], registry=self.registry),
            Histogram(f"{prefix}_server_handling_seconds", "Seconds from a call to its answer.", labels, registry=self.registry, buckets=_SECONDS),
        )
