"""Who may do what: from a credential and a match to a seat or a viewer."""

from msgspec import UNSET, UnsetType

from service.credentials import Credential, Role
from service.errors import Forbidden, InvalidRequest, Unauthenticated
from service.matches.match import Match

PUBLIC = 0
"""The viewer who is no seat."""


def require_match(credential: Credential, match_id: str) -> None:
    """Check that a credential is for this match.

    Raises:
        Forbidden: WRONG_MATCH.
    """
    if credential.match_id != match_id:
        raise Forbidden("WRONG_MATCH", "this credential is for another match")


def require_creator(credential: Credential, match_id: str) -> None:
    """Check that a credential is this match's creator's.

    Raises:
        Forbidden: WRONG_MATCH, CREATOR_ONLY.
    """
    require_match(credential, match_id)
    if credential.role is not Role.CREATOR:
        raise Forbidden("CREATOR_ONLY", "only the match's creator may do this")


def require_part_in(credential: Credential) -> None:
    """Check that a credential is a seat's or the creator's.

    Raises:
        Forbidden: SPECTATOR_CANNOT_MOVE.
    """
    if credential.role not in {Role.SEAT, Role.CREATOR}:
        raise Forbidden("SPECTATOR_CANNOT_MOVE", "this is for the seats and the creator of the match")


def acting_seat(credential: Credential, named: int | UnsetType) -> int:
    """Return the seat that a call acts for: the credential's only one, or the one that the request names.

    Raises:
        Forbidden: SPECTATOR_CANNOT_MOVE, or WRONG_SEAT if it is not the credential's.
        InvalidRequest: none is named where the credential has several.
    """
    if credential.role is not Role.SEAT:
        raise Forbidden("SPECTATOR_CANNOT_MOVE", "this credential has no seat")
    if named is UNSET and len(credential.seats) == 1:
        return next(iter(credential.seats))
    if named is UNSET:
        raise InvalidRequest(("seat", "is required with a credential for several seats"))
    return _own_seat(credential, named)


def viewing_seat(credential: Credential, named: int | UnsetType) -> int:
    """Return the viewer that a call looks as: a seat of the credential's, or PUBLIC.

    Raises:
        Forbidden: WRONG_SEAT.
    """
    if named is UNSET:
        return acting_seat(credential, UNSET) if credential.role is Role.SEAT else PUBLIC
    return PUBLIC if named == PUBLIC else _own_seat(credential, named)


def require_valid(match: Match, credential: Credential, seat: int = PUBLIC) -> None:
    """Check that a credential still opens what it was given out for: this match and none made again under its id, and the seat that it acts or looks as
    (for the public view: any seat, if it holds seats), not given anew since by a renewed invite.

    Raises:
        Unauthenticated: CREDENTIAL_INVALID.
    """
    record = match.record
    held = credential.seats if seat == PUBLIC else {seat: credential.seats[seat]}
    is_held = not held or any(record.seats[number - 1].generation == generation for number, generation in held.items())
    if record.origin != credential.origin or not is_held:
        raise Unauthenticated("CREDENTIAL_INVALID", "this credential is not valid (any more)")


def _own_seat(credential: Credential, named: int) -> int:
    if named not in credential.seats:
        raise Forbidden("WRONG_SEAT", f"this credential does not hold seat {named}", {"seat": str(named)})
    return named
