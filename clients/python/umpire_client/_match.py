"""What the handles of both clients ask about one match."""

import time

from umpire.v1.game_pb2 import Move
from umpire.v1.match_pb2 import MATCH_STATUS_ABANDONED, MATCH_STATUS_FINISHED, LegalMove, Match, Update
from umpire.v1.match_service_pb2 import (
    ApplyMoveRequest,
    ApplyMoveResponse,
    DeleteMatchRequest,
    GetMatchRequest,
    ListEventsRequest,
    ListLegalMovesRequest,
    ListLegalMovesResponse,
    RenewInviteRequest,
)
from umpire_client._calling import Caller, check_secret, new_request_id
from umpire_client._rpcs import APPLY_MOVE, DELETE_MATCH, GET_MATCH, LIST_EVENTS, LIST_LEGAL_MOVES, RENEW_INVITE
from umpire_client._steps import Pause, Steps

Choice = LegalMove | Move | str
"""A move as a caller may name it: one of the legal moves, a typed move, or a move_id."""

OVER = frozenset({MATCH_STATUS_FINISHED, MATCH_STATUS_ABANDONED})
_FIRST_LOOK, _SELDOMEST_LOOK = 0.05, 1.0


def shown(thing: object) -> str:
    """Name what is no move: itself if it is short, else its type."""
    return repr(thing) if thing is None or isinstance(thing, int | float) else type(thing).__name__


class Asking:
    """Asks with one credential about its match. ``seat`` is 0 while it is not known which one the credential opens, and for credentials without a seat."""

    def __init__(self, caller: Caller, match_id: str, credential: str, seat: int = 0) -> None:
        self._caller = caller
        self.match_id = match_id
        self.credential = check_secret(credential, "credential")
        self.seat = seat

    @property
    def _named(self) -> int | None:
        return self.seat or None

    def get(self, *, omit_view: bool) -> Steps[Match]:
        request = GetMatchRequest(match_id=self.match_id, seat=self._named, omit_view=omit_view)
        match = (yield from self._caller.call(GET_MATCH, request, self.credential)).match
        self.seat = self.seat or match.viewer
        return match

    def legal_moves(self, *, include_illegal: bool = False) -> Steps[ListLegalMovesResponse]:
        request = ListLegalMovesRequest(match_id=self.match_id, seat=self._named, include_illegal=include_illegal)
        answer = yield from self._caller.call(LIST_LEGAL_MOVES, request, self.credential)
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
        match move:
            case Move():
                request.move.CopyFrom(move)
            case LegalMove():
                request.move_id = move.move_id
            case str():
                request.move_id = move
            case _:
                raise TypeError(f"apply() takes a legal move, a move id or a Move, not {shown(move)}")
        return (yield from self._caller.call(APPLY_MOVE, request, self.credential))

    def page_of_events(self, since_version: int) -> Steps[tuple[list[Update], int]]:
        """Return a page of the history and where the next one begins, 0 if there is none."""
        request = ListEventsRequest(match_id=self.match_id, seat=self._named, since_version=since_version, page_size=500)
        answer = yield from self._caller.call(LIST_EVENTS, request, self.credential)
        return list(answer.updates), answer.next_since_version

    def wait(self, timeout: float | None = None) -> Steps[ListLegalMovesResponse]:
        """Return once this seat is asked or the match is over; looks at growing intervals.

        Raises:
            TimeoutError: neither came within ``timeout`` seconds.
        """
        ends = None if timeout is None else time.monotonic() + timeout
        pause = _FIRST_LOOK
        while True:
            answer = yield from self.legal_moves()
            if answer.HasField("decision"):
                return answer
            while True:
                match = yield from self.get(omit_view=True)
                if match.status in OVER:
                    return (yield from self.legal_moves())
                if any(decision.seat == self.seat for decision in match.decisions):
                    break
                if ends is not None and time.monotonic() + pause > ends:
                    raise TimeoutError(f"seat {self.seat} of match {self.match_id} was not asked within {timeout} s")
                yield Pause(pause)
                pause = min(pause * 1.5, _SELDOMEST_LOOK)

    def renew_invite(self, seat: int) -> Steps[str]:
        answer = yield from self._caller.call(RENEW_INVITE, RenewInviteRequest(match_id=self.match_id, seat=seat), self.credential)
        return answer.invite

    def delete(self) -> Steps[None]:
        yield from self._caller.call(DELETE_MATCH, DeleteMatchRequest(match_id=self.match_id), self.credential)
