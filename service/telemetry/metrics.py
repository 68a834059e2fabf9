"""Metrics, for Prometheus: one registry a worker. Labels hold ids of the catalog and codes only: never what a seat chose."""

from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Info, ProcessCollector, generate_latest

from service.contract import Rpc
from service.errors import ApiError
from service.messages import Cause
from service.telemetry.declared import DECLARED, DOORS
from service.telemetry.tally import Counts, Level, Levels, Spread, Spreads


class _Door(NamedTuple):
    """The three metrics of a door, by the names that the gRPC ecosystem uses."""

    started: Counts
    handled: Counts
    seconds: Spreads


class Observed:
    """One call of an rpc through one door, being observed. Kept for all calls of its kind."""

    def __init__(self, door: _Door, refusals: Counts, rpc: Rpc) -> None:
        self._kind, self._service, self._method = rpc.kind, rpc.service, rpc.method
        self._handled = door.handled
        self._refusals = refusals
        self._ok = door.handled.of(rpc.kind, rpc.service, rpc.method, "OK")
        self._seconds = door.seconds.of(rpc.kind, rpc.service, rpc.method)
        self.begun = door.started.of(rpc.kind, rpc.service, rpc.method)

    def finished(self, error: ApiError | None, seconds: float) -> None:
        """Count the call as done."""
        self._seconds.observe(seconds)
        if error is None:
            self._ok.value += 1
        else:
            self._handled.of(self._kind, self._service, self._method, error.code.name).value += 1
            self._refusals.of(error.reason).value += 1

    def left(self, seconds: float) -> None:
        """Count the call as one whose caller went away."""
        self._seconds.observe(seconds)
        self._handled.of(self._kind, self._service, self._method, "CANCELLED").value += 1


class Metrics:
    """All metrics of a worker; also the observer of the use cases, of the engines and of the store."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._doors = {transport: self._door(prefix) for transport, prefix in DOORS.items()}
        self._calls: dict[tuple[str, str], Observed] = {}
        self._refusals = self._counts("umpire_refusals_total")
        self._created = self._counts("umpire_matches_created_total")
        self._finished = self._counts("umpire_matches_finished_total")
        self._moves = self._counts("umpire_moves_total")
        self._decision_seconds = self._spreads("umpire_decision_seconds")
        self._missed = self._counts("umpire_deadlines_missed_total")
        self.open_windows = self._level("umpire_open_windows")
        self.oldest_overdue = self._level("umpire_oldest_overdue_seconds")
        self._engine_seconds = self._spreads("umpire_engine_seconds")
        self._engine_parts: dict[tuple[str, str], Spread] = {}
        self._commits = self._counts("umpire_commits_total")
        self._conflicts = self._counts("umpire_commit_conflicts_total")
        self._store_seconds = self._spreads("umpire_store_seconds")
        self.store_waiting = self._level("umpire_store_waiting")
        self._lost = self._counts("umpire_store_connections_lost_total").of()
        self.redis_used_memory = self._levels("umpire_redis_used_memory_bytes")
        self.redis_max_memory = self._levels("umpire_redis_max_memory_bytes")
        self.redis_disk_fails = self._levels("umpire_redis_disk_fails")
        self.redis_replicas = self._levels("umpire_redis_replicas")
        self._watchers = self._level("umpire_watchers")
        self._streams = self._counts("umpire_streams_total")
        self._updates = self._counts("umpire_updates_sent_total").of()
        self._watch_lag = self._spreads("umpire_watch_lag_seconds").of()
        self._too_slow = self._counts("umpire_watchers_too_slow_total").of()
        self.ready = self._level("umpire_ready")
        Info("umpire_build", DECLARED["umpire_build_info"].meaning, registry=self.registry).info({"version": release()})
        self.loop_lag = self._spreads("umpire_loop_lag_seconds").of()

    def started(self, rpc: Rpc, transport: str) -> Observed:
        """Count a call as begun."""
        observed = self._calls.get((transport, rpc.path))
        if observed is None:
            observed = self._calls[transport, rpc.path] = Observed(self._doors[transport], self._refusals, rpc)
        observed.begun.value += 1
        return observed

    def exposition(self) -> bytes:
        """Write all metrics in Prometheus' text format."""
        return generate_latest(self.registry)

    # ---- observer of the use cases

    def match_created(self, game: str, mode: str) -> None:
        self._created.of(game, mode).value += 1

    def match_finished(self, game: str, mode: str, reason: str) -> None:
        self._finished.of(game, mode, reason).value += 1

    def move_applied(self, game: str, kind: str, cause: Cause) -> None:
        self._moves.of(game, kind, cause._value_).value += 1  # what ``value`` reads, in a fifth of the time

    def decision_answered(self, game: str, kind: str, seconds: float) -> None:
        self._decision_seconds.of(game, kind).observe(seconds)

    def deadline_missed(self, game: str, kind: str) -> None:
        self._missed.of(game, kind).value += 1

    def commit_ended(self, game: str, outcome: str) -> None:
        self._commits.of(game, outcome).value += 1

    def commit_conflicted(self, game: str) -> None:
        self._conflicts.of(game).value += 1

    def watchers_are(self, number: int) -> None:
        self._watchers.set(number)

    # ---- observer of the engines

    def engine_took(self, game: str, step: str, seconds: float, kind: str = "") -> None:  # noqa: ARG002 - the kind is for traces
        part = self._engine_parts.get((game, step))
        if part is None:
            part = self._engine_parts[game, step] = self._engine_seconds.of(game, step)
        part.observe(seconds)

    # ---- observer of streams

    def move_refused(self, reason: str) -> None:
        """Count a move that was refused on a stream: a call counts its own."""
        self._refusals.of(reason).value += 1

    def cut_off(self) -> None:
        """Count a stream whose caller did not read."""
        self._too_slow.value += 1

    def stream_ended(self, transport: str, end: str) -> None:
        """Count a stream that has ended."""
        self._streams.of(transport, end).value += 1

    def update_sent(self) -> None:
        """Count a step that was sent over a stream."""
        self._updates.value += 1

    def update_lagged(self, seconds: float) -> None:
        """Count how long a step took to get to a stream."""
        self._watch_lag.observe(max(0.0, seconds))  # two clocks may differ by a little

    # ---- observer of the store

    def observe(self, command: str, seconds: float, outcome: str) -> None:
        self._store_seconds.of(command, outcome).observe(seconds)

    def connection_lost(self) -> None:
        self._lost.value += 1

    # ---- making them

    def _door(self, prefix: str) -> _Door:
        return _Door(
            self._counts(f"{prefix}_server_started_total"), self._counts(f"{prefix}_server_handled_total"), self._spreads(f"{prefix}_server_handling_seconds")
        )

    def _counts(self, name: str) -> Counts:
        declared = DECLARED[name]
        return Counts(name.removesuffix("_total"), declared.meaning, declared.labels, self.registry)

    def _spreads(self, name: str) -> Spreads:
        declared = DECLARED[name]
        return Spreads(name, declared.meaning, declared.labels, self.registry, declared.bounds)

    def _level(self, name: str) -> Level:
        return Level(name, DECLARED[name].meaning, self.registry)

    def _levels(self, name: str) -> Levels:
        (label,) = DECLARED[name].labels
        return Levels(name, DECLARED[name].meaning, label, self.registry)


def release() -> str:
    """Return the version of the package that runs."""
    try:
        return version("umpire")
    except PackageNotFoundError:
        return "unknown"
