"""Claiming a seat with an invite, and renewing an invite."""

from service.credentials import Credential
from service.errors import AlreadyExists, InvalidRequest, Unauthenticated
from service.matches.match import Match
from service.matches.repository import Repository
from service.messages import Controller, MatchStatus, SeedSource


async def claim_seat(repository: Repository, invite: Credential, display_name: str, client_seed: str, request_id: str) -> tuple[Match, int]:
    """Take the seat that an invite is for; the last claim deals. Returns the match and the seat.

    Raises:
        NotFound: MATCH_NOT_FOUND.
        Unauthenticated: CREDENTIAL_INVALID: the invite was renewed since.
        AlreadyExists: SEAT_CLAIMED, unless by the same request.
    """
    (seat, generation), *_ = invite.seats.items()

    def claim(match: Match) -> int:
        record = match.record.seats[seat - 1]
        if record.generation != generation:
            raise Unauthenticated("CREDENTIAL_INVALID", "this invite is not valid any more")
        if record.claimed:
            if request_id and record.claim_request == request_id:
                return seat
            raise AlreadyExists("SEAT_CLAIMED", f"seat {seat} is taken", {"seat": str(seat)})
        record.claimed = True
        record.claim_request = request_id
        record.display_name = display_name or record.display_name
        match.touch()
        if not match.dealt:
            record.client_seed = client_seed
            if client_seed and match.record.seed_source is SeedSource.SERVER:
                match.record.seed_source = SeedSource.SERVER_AND_SEATS
            if all(other.claimed for other in match.record.seats):
                match.deal(repository.now())
        return seat

    return await repository.change(invite.match_id, claim)


async def renew_invite(repository: Repository, match_id: str, seat: int) -> int:
    """Revoke what was given out for a person's seat and return the new generation, for a new invite.

    Raises:
        NotFound: MATCH_NOT_FOUND.
        InvalidRequest: it is no person's seat.
    """

    def renew(match: Match) -> int:
        seats = match.record.seats
        if not 1 <= seat <= len(seats) or seats[seat - 1].controller is not Controller.PERSON:
            raise InvalidRequest(("seat", "is no person's seat of this match"))
        record = seats[seat - 1]
        record.generation += 1
        record.claimed = False
        record.claim_request = ""
        # A later holder of the seat must not be able to fetch the answer to an earlier one's request.
        record.last_request = None
        if match.record.status is MatchStatus.WAITING:
            record.client_seed = ""
        match.touch()
        return record.generation

    _, generation = await repository.change(match_id, renew)
    return generation
