"""Creating and joining matches, for both clients."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, NoReturn, TypeVar

from google.protobuf.duration_pb2 import Duration

from umpire.v1.game_pb2 import Options
from umpire.v1.match_pb2 import Match
from umpire.v1.match_service_pb2 import ClaimSeatRequest, CreateMatchRequest, CreateMatchResponse, SeatRequest
from umpire_client._calling import Caller, new_request_id
from umpire_client._match import Asking
from umpire_client._rpcs import CLAIM_SEAT, CREATE_MATCH
from umpire_client._steps import Steps

S = TypeVar("S")
P = TypeVar("P")
C = TypeVar("C")
Ch = TypeVar("Ch")


def person(display_name: str = "", metadata: str = "") -> SeatRequest:
    """Describe a seat that somebody outside will play: a person, or a bot of yours."""
    return SeatRequest(display_name=display_name, metadata=metadata)


def house_bot(bot: str, display_name: str = "", metadata: str = "") -> SeatRequest:
    """Describe a seat that a bot of the server will play; ``get_game`` lists them."""
    return SeatRequest(house_bot=bot, display_name=display_name, metadata=metadata)


GameOptions = Options | Mapping[str, Mapping[str, Any]]
"""The options of a match: the message, or its fields by name, ``{"goldn_crash": {"first_seat": 1}}``; enum values by their full names."""


class Keys(dict[int, S]):
    """Something for each seat that has it; what is asked for in vain is answered with a sentence."""

    def __init__(self, held: Mapping[int, S], why_not: Mapping[int, str]) -> None:
        super().__init__(held)
        self._why_not = why_not

    def __missing__(self, seat: int) -> NoReturn:
        raise KeyError(self._why_not.get(seat, f"the match has no seat {seat!r}; seats are numbered from 1"))


@dataclass(frozen=True, slots=True)
class CreatedMatch(Generic[S, P, C]):
    """A new match and the keys to it.

    ``match`` is as the public may see it; ``seats`` has a handle by number for each person's seat, ``invites`` an invite instead if these were asked for.
    """

    match: Match
    seats: Mapping[int, S]
    invites: Mapping[int, str]
    spectator: P
    creator: C

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self.match.match_id


def create_match(
    caller: Caller,
    game: str,
    seats: Iterable[SeatRequest],
    *,
    options: GameOptions | None,
    card_set: str,
    invite: bool,
    seed: str,
    hot_seat: bool,
    ttl: timedelta | None,
    move_timeout: float | timedelta | None,
    without_proof: bool,
    request_id: str | None,
) -> Steps[CreateMatchResponse]:
    """Create a match."""
    seats = list(seats)
    for number, seat in enumerate(seats, 1):
        if not isinstance(seat, SeatRequest):
            raise TypeError(f"seat {number} is of type {type(seat).__name__}: use person() or house_bot()")
    request = CreateMatchRequest(
        game=game,
        options=options,
        card_set=card_set,
        seats=seats,
        invite=invite,
        seed=seed,
        hot_seat=hot_seat,
        without_proof=without_proof,
        request_id=request_id or new_request_id(),
    )
    if ttl is not None:
        request.ttl.CopyFrom(_duration(ttl))
    if move_timeout is not None:
        request.move_timeout.CopyFrom(_duration(move_timeout))
    return (yield from caller.call(CREATE_MATCH, request))


def created_match(
    caller: Caller,
    channel: Ch,
    answer: CreateMatchResponse,
    seat: Callable[[Ch, Asking], S],
    spectator: Callable[[Ch, Asking], P],
    creator: Callable[[Ch, Asking], C],
) -> CreatedMatch[S, P, C]:
    """Make the handles of a client for what was created."""
    match_id = answer.match.match_id
    opened = {access.seat: seat(channel, Asking(caller, match_id, access.credential, access.seat)) for access in answer.seats if access.credential}
    invites = {access.seat: access.invite for access in answer.seats if access.invite}
    of_bots = {one.seat: f"seat {one.seat} is played by a house bot" for one in answer.match.seats if one.house_bot}
    return CreatedMatch(
        match=answer.match,
        seats=Keys(opened, of_bots | {number: f"seat {number} has an invite: use invites and claim_seat" for number in invites}),
        invites=Keys(invites, of_bots | {number: f"seat {number} has no invite: use seats" for number in opened}),
        spectator=spectator(channel, Asking(caller, match_id, answer.spectator_credential)),
        creator=creator(channel, Asking(caller, match_id, answer.creator_credential)),
    )


def claim_seat(caller: Caller, match_id: str, invite: str, display_name: str, client_seed: str, request_id: str | None) -> Steps[Asking]:
    """Turn an invite into a credential."""
    request = ClaimSeatRequest(
        match_id=match_id, invite=invite.strip(), display_name=display_name, client_seed=client_seed, request_id=request_id or new_request_id()
    )
    answer = yield from caller.call(CLAIM_SEAT, request)
    return Asking(caller, match_id, answer.credential, answer.seat)


def _duration(length: float | timedelta) -> Duration:
    duration = Duration()
    duration.FromTimedelta(length if isinstance(length, timedelta) else timedelta(seconds=length))
    return duration
