"""The calls that are measured, each with a way to drive it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from loadtests.bench import matches
from loadtests.bench.driver import Driven, drive
from loadtests.bench.http1 import Http1Connection
from loadtests.bench.http2 import GrpcCall, Http2Connection
from loadtests.bench.play import PlayConnection, TellConnection, told_turns, turns
from loadtests.bench.processes import Echo, Umpire

Drive = Callable[[], Driven]

_ECHOED = GrpcCall("x" * 200, b"x" * 120)
_SERVICE = "/umpire.v1.MatchService"
_CALLS_A_CHANNEL = 4
"""So many calls share a gRPC connection, as those of a client with several matches do."""


class Calls:
    """Prepares drives of about ``calls`` calls against one worker and the echo."""

    def __init__(self, umpire: Umpire, echo: Echo, calls: int) -> None:
        self._umpire, self._echo, self._calls = umpire, echo, calls
        self._http = f"http://127.0.0.1:{umpire.http_port}"
        self.moves = matches.write_down(self._http)
        self._mid_play = matches.advance(self._http, self.moves[: len(self.moves) // 2])
        self._asked = self.moves[len(self.moves) // 2].seat

    def echo(self, method: str, in_flight: int) -> Drive:
        """Prepare calls of the baseline: "Echo" or "Commit"."""
        return self._by_grpc(self._echo.port, f"/bench.Echo/{method}", in_flight, self._lines(_ECHOED, in_flight))

    def tell(self, in_flight: int) -> Drive:
        """Prepare the same traffic of an echo: what comes on a stream goes out on two."""
        lines = [told_turns(_ECHOED, len(self.moves)) for _ in range(self._matches(in_flight))]
        return partial(drive, lambda: TellConnection(self._echo.port), max(in_flight // _CALLS_A_CHANNEL, 1), in_flight, lines)

    def apply_by_grpc(self, in_flight: int, *, lean: bool) -> Drive:
        """Prepare whole matches, in lockstep each."""
        lines = [matches.apply_by_grpc(matches.Fresh(self._http), self.moves, lean=lean) for _ in range(self._matches(in_flight))]
        return self._by_grpc(self._umpire.grpc_port, f"{_SERVICE}/ApplyMove", in_flight, lines)

    def play(self, in_flight: int) -> Drive:
        """Prepare whole matches, each seat's moves on a stream of its own: each move also reaches the other seat."""
        lines = [turns(matches.Fresh(self._http), self.moves) for _ in range(self._matches(in_flight))]
        return partial(drive, lambda: PlayConnection(self._umpire.grpc_port), max(in_flight // _CALLS_A_CHANNEL, 1), in_flight, lines)

    def apply_by_http(self, in_flight: int, *, lean: bool) -> Drive:
        """Prepare whole matches, in lockstep each."""
        lines = [matches.apply_by_http(matches.Fresh(self._http), self.moves, lean=lean) for _ in range(self._matches(in_flight))]
        return self._by_http(in_flight, lines)

    def read_by_grpc(self, method: str, in_flight: int) -> Drive:
        """Prepare readings of a match in mid-play by the seat that is asked."""
        lines = self._lines(matches.read_by_grpc(self._mid_play, self._asked), in_flight)
        return self._by_grpc(self._umpire.grpc_port, f"{_SERVICE}/{method}", in_flight, lines)

    def read_by_http(self, path: str, in_flight: int) -> Drive:
        """Prepare the same for REST."""
        call = matches.http_call("GET", f"/v1/matches/{self._mid_play.match_id}{path}", self._mid_play.credentials[self._asked])
        return self._by_http(in_flight, self._lines(call, in_flight))

    def create_by_grpc(self, in_flight: int) -> Drive:
        """Prepare creations, each with its deal."""
        return self._by_grpc(self._umpire.grpc_port, f"{_SERVICE}/CreateMatch", in_flight, self._lines(matches.create_by_grpc(), in_flight))

    def create_by_http(self, in_flight: int) -> Drive:
        """Prepare the same for REST."""
        return self._by_http(in_flight, self._lines(matches.create_by_http(), in_flight))

    def _lines(self, call: Any, in_flight: int) -> list[list[Any]]:
        return [[call] * max(self._calls // in_flight, 1)] * in_flight

    def _matches(self, in_flight: int) -> int:
        return max(in_flight * round(self._calls / len(self.moves) / in_flight), in_flight)

    @staticmethod
    def _by_grpc(port: int, path: str, in_flight: int, lines: list[list[Any]]) -> Drive:
        return partial(drive, lambda: Http2Connection(port, path), max(in_flight // _CALLS_A_CHANNEL, 1), in_flight, lines)

    def _by_http(self, in_flight: int, lines: list[list[Any]]) -> Drive:
        return partial(drive, lambda: Http1Connection(self._umpire.http_port), in_flight, in_flight, lines)
