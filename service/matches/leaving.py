"""Leaving a match for good."""

from service.credentials import Credential
from service.matches.access import require_valid
from service.matches.automatic import play_on
from service.matches.match import Match
from service.matches.repository import Repository


async def resign_seat(repository: Repository, credential: Credential, match_id: str, seat: int) -> Match:
    """Let a seat leave; what then needs nobody outside follows at once. Who has left already has nothing to do.

    Raises:
        NotFound: MATCH_NOT_FOUND.
        Unauthenticated: CREDENTIAL_INVALID.
        FailedPrecondition: MATCH_NOT_STARTED, MATCH_FINISHED.
    """

    def act(match: Match) -> None:
        require_valid(match, credential, seat)
        if match.record.seats[seat - 1].left:
            return
        match.require_running()
        now = repository.now(match_id)
        match.leave(seat, now)
        play_on(match, now)

    match, _ = await repository.change(match_id, act)
    return match
