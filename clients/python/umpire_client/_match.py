"""What the handles of both clients ask about one match."""

import time

from umpire.v1.game_pb2 import Move
from umpire.v1.match_pb2 import LegalMove, Match, Update
from umpire.v1.match_service_pb2 import (
    ApplyMoveRequest,
    ApplyMoveResponse,
    DeleteMatchRequest,
    GetMatchRequest,
    GetProofRequest,
    GetProofResponse,
    ListEventsRequest,
    ListLegalMovesRequest,
    ListLegalMovesResponse,
    PlayMove,
    PlayOpen,
    RenewInviteRequest,
    ResignSeatRequest,
    WatchMatchRequest,
)
from umpire_client._calling import Caller, check_secret, new_request_id
from umpire_client._rpcs import (
    APPLY_MOVE,
    DELETE_MATCH,
    GET_MATCH,
    GET_PROOF,
    LIST_EVENTS,
    LIST_LEGAL_MOVES,
    PLAY_MATCH,
    RENEW_INVITE,
    RESIGN_SEAT,
    WATCH_MATCH,
)
from umpire_client._steps import Steps, Stream
from umpire_client._watching import Watching

Choice = LegalMove | Move | str
"""A move as a caller may name it: one of the legal moves, a typed move, or a move_id."""


def shown(thing: object) -> str:
    """Name what is no move: itself if it is short, else its type."""
    return repr(thing) if thing is None or isinstance(thing, int | float) else type(thing).__name__


class Asking:
    """Asks with one credential about its match. ``seat`` is 0 while it is not known which one the credential opens, and for credentials without a seat."""

    def __init__(self, caller: Caller, match_id: str, credential: str, seat: int = 0) -> None:
        self.caller = caller
        self.match_id = match_id
        self.credential = check_secret(credential, "credential")
        self.seat = seat

    @property
    def _named(self) -> int | None:
        return self.seat or None

    def get(self, *, omit_view: bool, at_version: int | None = None) -> Steps[Match]:
        request = GetMatchRequest(match_id=self.match_id, seat=self._named, omit_view=omit_view, at_version=at_version)
        match = (yield from self.caller.call(GET_MATCH, request, self.credential)).match
        self.seat = self.seat or match.viewer
        return match

    def legal_moves(self, *, include_illegal: bool = False) -> Steps[ListLegalMovesResponse]:
        request = ListLegalMovesRequest(match_id=self.match_id, seat=self._named, include_illegal=include_illegal)
        answer = yield from self.caller.call(LIST_LEGAL_MOVES, request, self.credential)
        self.seat = self.seat or answer.decision.seat
        return answer

    def apply(self, move: Choice, decision_id: int, request_id: str | None, *, omit_view: bool, omit_legal_moves: bool) -> Steps[ApplyMoveResponse]:
        request = ApplyMoveRequest(
            match_id=self.match_id,
            seat=self._named,
            decision_id=decision_id,
            request_id=request_id or new_request_id(),
            omit_view=omit_view,
            omit_legal_moves=omit_legal_moves,
        )
        put_move(request, move)
        return (yield from self.caller.call(APPLY_MOVE, request, self.credential))

    def page_of_events(self, since_version: int) -> Steps[tuple[list[Update], int]]:
        """Return a page of the history and where the next one begins, 0 if there is none."""
        request = ListEventsRequest(match_id=self.match_id, seat=self._named, since_version=since_version, page_size=500)
        answer = yield from self.caller.call(LIST_EVENTS, request, self.credential)
        return list(answer.updates), answer.next_since_version

    def open_watch(self, since_version: int | None, *, with_view: bool, timeout: float | None) -> Steps[Stream]:
        """Open a stream of what happens; ``timeout`` in seconds."""
        request = WatchMatchRequest(match_id=self.match_id, seat=self._named, since_version=since_version, with_view=with_view)
        return (yield from self.caller.open(WATCH_MATCH, request, self.credential, timeout))

    def open_play(self) -> Steps[Stream]:
        """Open a stream to play over; what opens it at the other side is still to be sent."""
        return (yield from self.caller.open(PLAY_MATCH, None, self.credential))

    def play_open(self, since_version: int, *, omit_view: bool) -> PlayOpen:
        return PlayOpen(match_id=self.match_id, seat=self._named, since_version=since_version, omit_view=omit_view)

    def wait(self, timeout: float | None = None) -> Steps[ListLegalMovesResponse]:
        """Return once this seat is asked or the match is over.

        Raises:
            TimeoutError: neither came within ``timeout`` seconds.
        """
        ends = None if timeout is None else time.monotonic() + timeout
        while True:
            answer = yield from self.legal_moves()
            if answer.HasField("decision"):
                return answer
            if not self.seat:
                yield from self.get(omit_view=True)  # says which seat this is
            watching = Watching(self, answer.version, timeout=None if ends is None else ends - time.monotonic())
            try:
                while True:
                    seen = yield from watching.next()
                    if seen is None:
                        return (yield from self.legal_moves())
                    if any(opened.seat == self.seat for opened in seen.update.decisions_opened):
                        break
            finally:
                watching.close()

    def resign(self) -> Steps[Match]:
        answer = yield from self.caller.call(RESIGN_SEAT, ResignSeatRequest(match_id=self.match_id, seat=self._named), self.credential)
        return answer.match

    def proof(self) -> Steps[GetProofResponse]:
        return (yield from self.caller.call(GET_PROOF, GetProofRequest(match_id=self.match_id), self.credential))

    def renew_invite(self, seat: int) -> Steps[str]:
        answer = yield from self.caller.call(RENEW_INVITE, RenewInviteRequest(match_id=self.match_id, seat=seat), self.credential)
        return answer.invite

    def delete(self) -> Steps[None]:
        yield from self.caller.call(DELETE_MATCH, DeleteMatchRequest(match_id=self.match_id), self.credential)


def put_move(request: ApplyMoveRequest | PlayMove, move: Choice) -> None:
    """Name a move in a request."""
    match move:
        case Move():
            request.move.CopyFrom(move)
        case LegalMove():
            request.move_id = move.move_id
        case str():
            request.move_id = move
        case _:
            raise TypeError(f"apply() takes a legal move, a move id or a Move, not {shown(move)}")
