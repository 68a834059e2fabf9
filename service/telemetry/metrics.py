"""Metrics, for Prometheus: one registry a worker. Labels hold ids of the catalog and codes only: never what a seat chose."""

from typing import NamedTuple

from prometheus_client import CollectorRegistry, Gauge, ProcessCollector, generate_latest

from service.contract import Rpc
from service.errors import ApiError
from service.messages import Cause
from service.telemetry.tally import Counts, Spreads

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


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
    """All metrics of a worker; also the observer of the use cases and of the store."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._doors = {"grpc": self._door("grpc"), "rest": self._door("http"), "connect": self._door("connect")}
        self._calls: dict[tuple[str, str], Observed] = {}
        self._refusals = Counts("umpire_refusals", "Calls refused, by reason.", ["reason"], self.registry)
        self._created = Counts("umpire_matches_created", "Matches created.", ["game", "mode"], self.registry)
        self._finished = Counts("umpire_matches_finished", "Matches that reached an outcome.", ["game", "mode", "reason"], self.registry)
        self._moves = Counts("umpire_moves", "Moves applied, by the kind of decision and the cause.", ["game", "kind", "cause"], self.registry)
        self._conflicts = Counts("umpire_commit_conflicts", "Commits that lost a race and began again.", ["game"], self.registry)
        self._store_seconds = Spreads("umpire_store_seconds", "Seconds a command of the store took.", ["command", "outcome"], self.registry, _SECONDS)
        self._watchers = Gauge("umpire_watchers", "Streams that watch a match.", registry=self.registry)
        self._too_slow = Counts("umpire_watchers_too_slow", "Streams cut off because their caller did not read.", [], self.registry).of()
        self.ready = Gauge("umpire_ready", "1 while this worker takes calls.", registry=self.registry)

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
        self._moves.of(game, kind, cause.value).value += 1

    def commit_conflicted(self, game: str) -> None:
        self._conflicts.of(game).value += 1

    def watchers_are(self, number: int) -> None:
        self._watchers.set(number)

    # ---- observer of streams

    def move_refused(self, reason: str) -> None:
        """Count a move that was refused on a stream: a call counts its own."""
        self._refusals.of(reason).value += 1

    def cut_off(self) -> None:
        """Count a stream whose caller did not read."""
        self._too_slow.value += 1

    # ---- observer of the store

    def observe(self, command: str, seconds: float, outcome: str) -> None:
        self._store_seconds.of(command, outcome).observe(seconds)

    def _door(self, prefix: str) -> _Door:
        labels = [f"{prefix}_type", f"{prefix}_service", f"{prefix}_method"]
        return _Door(
            Counts(f"{prefix}_server_started", "Calls begun.", labels, self.registry),
            Counts(f"{prefix}_server_handled", "Calls answered, by code.", [*labels, f"{prefix}_code"], self.registry),
            Spreads(f"{prefix}_server_handling_seconds", "Seconds from a call to its answer.", labels, self.registry, _SECONDS),
        )
