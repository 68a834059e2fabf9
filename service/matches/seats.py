"""Claiming a seat with an invite, and renewing an invite."""

from service.credentials import Credential
from service.errors import AlreadyExists, FailedPrecondition, InvalidRequest, Unauthenticated
from service.matches.access import require_valid
from service.matches.create import digest_of
from service.matches.library import encode
from service.matches.match import Match
from service.matches.repository import Repository
from service.messages import MatchStatus, SeedSource

_MOST_RENEWALS = 256
"""Nobody needs as many. A log is never trimmed, so what can go into it has an end."""


async def claim_seat(repository: Repository, invite: Credential, display_name: str, client_seed: str, request_id: str) -> tuple[Match, int]:
    """Take the seat that an invite is for; the last claim deals. Returns the match and the seat.

    Raises:
        NotFound: MATCH_NOT_FOUND.
        Unauthenticated: CREDENTIAL_INVALID: the invite was renewed since.
        AlreadyExists: SEAT_CLAIMED, unless by the same request; REQUEST_ID_REUSED if that asked for something else.
    """
    (seat, generation), *_ = invite.seats.items()
    # An id has no spaces: what follows the first one is the body.
    claim_request = f"{request_id} {digest_of(encode([display_name, client_seed])).hex()}" if request_id else ""

    def claim(match: Match) -> int:
        record = match.record.seats[seat - 1]
        if match.record.origin != invite.origin or record.generation != generation:
            raise Unauthenticated("CREDENTIAL_INVALID", "this invite is not valid any more")
        if record.claimed:
            if request_id and record.claim_request == claim_request:
                return seat
            if request_id and record.claim_request.startswith(f"{request_id} "):
                raise AlreadyExists("REQUEST_ID_REUSED", "this request_id was used for another claim", {"request_id": request_id})
            raise AlreadyExists("SEAT_CLAIMED", f"seat {seat} is taken", {"seat": str(seat)})
        record.claimed = True
        record.claim_request = claim_request
        record.display_name = display_name or record.display_name
        match.touch()
        if not match.dealt:
            record.client_seed = client_seed
            if client_seed and match.record.seed_source is SeedSource.SERVER:
                match.record.seed_source = SeedSource.SERVER_AND_SEATS
            if all(other.claimed for other in match.record.seats):
                match.deal(repository.now(match.record.match_id))
        return seat

    return await repository.change(invite.match_id, claim)


async def renew_invite(repository: Repository, creator: Credential, match_id: str, seat: int) -> tuple[Match, int]:
    """Revoke what was given out for a person's seat: a step of the match, if somebody has the seat and the match is being played.

    Returns the match and the seat's new generation, for a new invite.

    Raises:
        NotFound: MATCH_NOT_FOUND.
        Unauthenticated: CREDENTIAL_INVALID.
        InvalidRequest: it is no person's seat, or was given anew too often.
        FailedPrecondition: MATCH_FINISHED: what the seat knew stays closed, and nobody could be told any more that its holder is another.
    """

    def renew(match: Match) -> int:
        require_valid(match, creator)
        seats = match.record.seats
        if not match.is_persons(seat):
            raise InvalidRequest(("seat", "is no person's seat of this match"))
        record = seats[seat - 1]
        if record.generation >= _MOST_RENEWALS:
            raise InvalidRequest(("seat", f"was given anew {_MOST_RENEWALS} times, and is not any more"))
        if record.claimed and match.record.status.is_over and match.record.without_proof:
            raise FailedPrecondition("MATCH_FINISHED", "the match is over, and what its seats knew stays closed")
        if record.claimed and match.record.status is MatchStatus.ACTIVE:
            match.take_over(seat, repository.now(match_id))
        record.generation += 1
        record.claimed = False
        record.claim_request = ""
        # A later holder of the seat must not be able to fetch the answer to an earlier one's request.
        record.last_request = None
        if match.record.status is MatchStatus.WAITING:
            record.client_seed = ""
            if match.record.seed_source is SeedSource.SERVER_AND_SEATS and not any(other.client_seed for other in seats):
                match.record.seed_source = SeedSource.SERVER
        match.touch()
        return record.generation

    return await repository.change(match_id, renew)
