"""The gRPC door."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import grpc
from google.protobuf import duration_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2

from loadtests.load.doors import GameLine, NewMatch
from loadtests.load.seen import Asked, Created, Page, Refused, Ruling, Step, Told, ending_of
from loadtests.load.target import Target
from umpire.v1 import catalog_service_pb2 as catalog
from umpire.v1 import match_pb2
from umpire.v1 import match_service_pb2 as service

_ANSWER_S = 20.0
_MATCHES, _CATALOG = "umpire.v1.MatchService", "umpire.v1.CatalogService"
_PAGE = 500


class GrpcDoor:
    """Calls over one gRPC connection."""

    name = "grpc"

    def __init__(self, target: Target) -> None:
        self._target = target
        self._channel = target.channel()
        self._made: dict[str, Callable[..., Any]] = {}

    def list_games(self) -> Sequence[GameLine]:
        answer = self._call(_CATALOG, "ListGames", catalog.ListGamesRequest(), catalog.ListGamesResponse)
        return [GameLine(one.game, tuple((mode.mode, mode.min_seats, mode.max_seats) for mode in one.modes), tuple(one.house_bots)) for one in answer.games]

    def create(self, wanted: NewMatch, request_id: str) -> Created:
        request = service.CreateMatchRequest(
            game=wanted.game,
            seats=[service.SeatRequest(house_bot=bot) for bot in wanted.seats],
            request_id=request_id,
            ttl=duration_pb2.Duration(seconds=wanted.ttl_s),
        )
        answer = self._call(_MATCHES, "CreateMatch", request, service.CreateMatchResponse)
        seats = {seat.seat: seat.credential for seat in answer.seats}
        return Created(answer.match.match_id, answer.match.mode, seats, answer.spectator_credential, answer.creator_credential)

    def legal_moves(self, match_id: str, credential: str, *, illegal: bool = False) -> Asked:
        request = service.ListLegalMovesRequest(match_id=match_id, include_illegal=illegal)
        answer = self._call(_MATCHES, "ListLegalMoves", request, service.ListLegalMovesResponse, credential)
        return asked_of(answer, [(move.move_id, move.violation.code) for move in answer.illegal_moves])

    def apply(self, match_id: str, credential: str, decision_id: int, move_id: str, request_id: str) -> Ruling:
        request = service.ApplyMoveRequest(match_id=match_id, decision_id=decision_id, move_id=move_id, request_id=request_id)
        answer = self._call(_MATCHES, "ApplyMove", request, service.ApplyMoveResponse, credential)
        ending = ending_of(match_pb2.MatchStatus.Name(answer.status), answer.outcome.reason)
        return Ruling(answer.applied_version, tuple(map(step_of, answer.updates)), asked_of(answer), ending)

    def read(self, match_id: str, credential: str) -> tuple[int, str]:
        answer = self._call(_MATCHES, "GetMatch", service.GetMatchRequest(match_id=match_id), service.GetMatchResponse, credential).match
        return answer.version, ending_of(match_pb2.MatchStatus.Name(answer.status), answer.outcome.reason)

    def events(self, match_id: str, credential: str, since: int) -> Page:
        request = service.ListEventsRequest(match_id=match_id, since_version=since, page_size=_PAGE)
        answer = self._call(_MATCHES, "ListEvents", request, service.ListEventsResponse, credential)
        return Page(tuple(map(step_of, answer.updates)), answer.version, answer.next_since_version)

    def watch(self, match_id: str, credential: str, since: int) -> "GrpcWatch":
        request = service.WatchMatchRequest(match_id=match_id, since_version=since)
        make = self._channel.unary_stream(f"/{_MATCHES}/WatchMatch", service.WatchMatchRequest.SerializeToString, service.WatchMatchResponse.FromString)
        return GrpcWatch(make(request, metadata=self._metadata(credential)))

    def play(self, credential: str, requests: Iterator[service.PlayMatchRequest]) -> Any:
        """Open a PlayMatch; its messages and its end are the caller's to read."""
        make = self._channel.stream_stream(f"/{_MATCHES}/PlayMatch", service.PlayMatchRequest.SerializeToString, service.PlayMatchResponse.FromString)
        return make(requests, metadata=self._metadata(credential))

    def close(self) -> None:
        self._channel.close()

    def _metadata(self, credential: str) -> tuple[tuple[str, str], ...]:
        return tuple(self._target.headers(credential).items())

    def _call(self, name: str, method: str, request: Any, response: Any, credential: str = "") -> Any:
        run = self._made.get(method)
        if run is None:
            run = self._made[method] = self._channel.unary_unary(f"/{name}/{method}", type(request).SerializeToString, response.FromString)
        with refusals():
            return run(request, metadata=self._metadata(credential), timeout=_ANSWER_S)


class GrpcWatch:
    """A WatchMatch that is open."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def __iter__(self) -> Iterator[Told]:
        with refusals():
            for message in self._call:
                step = step_of(message.update) if message.HasField("update") else None
                yield Told(message.version, step, _ending_with(message))

    def cancel(self) -> None:
        self._call.cancel()


def _ending_with(message: service.WatchMatchResponse) -> str:
    if message.HasField("outcome"):
        return message.outcome.reason
    return "ABANDONED" if any(event.match.HasField("abandoned") for event in message.update.events) else ""


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Turn gRPC's errors into refusals."""
    try:
        yield
    except grpc.RpcError as error:
        raise refusal_of(error) from None


def refusal_of(error: Any) -> Refused:
    """Read the status of a call that failed."""
    code, detail = error.code().name, error.details() or ""
    info = error_details_pb2.ErrorInfo()
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for part in status_pb2.Status.FromString(value).details:
                if part.Unpack(info):
                    break
    if code == "INTERNAL" and not info.reason:  # this is how gRPC tells that a stream was reset, as by a proxy that has lost the worker
        return Refused("CONNECTION_LOST", "UNAVAILABLE", detail)
    return Refused(info.reason or code, code, detail, info.metadata.get("code", ""))


def refusal_in(verdict: service.PlayVerdict) -> Refused:
    """Read the refusal of a move on a stream, which goes on."""
    refusal = verdict.refusal
    return Refused(refusal.reason, code_pb2.Code.Name(refusal.code), refusal.message, refusal.violation.code)


def asked_of(answer: Any, illegal: Sequence[tuple[str, str]] = ()) -> Asked:
    """Read what a seat is asked from whatever message says it."""
    return Asked(answer.version, answer.decision.decision_id, tuple(move.move_id for move in answer.legal_moves), tuple(illegal))


def step_of(update: match_pb2.Update) -> Step:
    """Read a step."""
    return Step(
        update.version,
        match_pb2.Cause.Name(update.cause),
        update.seat,
        tuple((one.decision_id, one.seat) for one in update.decisions_opened),
        tuple((one.decision_id, one.seat) for one in update.decisions_closed),
        update,
    )
