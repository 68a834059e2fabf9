"""What CreateMatch hands out: a match id, credentials, invites."""

from collections.abc import Mapping

from service import messages
from service.api import shape
from service.credentials import Credential, Credentials, Role
from service.errors import Unauthenticated
from service.matches.create import DEFAULT_TTL_MS, NewMatch
from service.matches.match import Match
from service.messages import Controller
from service.store import derive_match_id, new_match_id

_SEED_DIGITS = 64
_MOST_SEATS = 16


class HandingOut:
    """Makes ids, credentials and invites; ``allow_seeds`` lets a creator name the seed."""

    def __init__(self, credentials: Credentials, *, allow_seeds: bool) -> None:
        self._credentials = credentials
        self._allow_seeds = allow_seeds

    def new_match(self, api_key_name: str, request: messages.CreateMatchRequest) -> NewMatch:
        """Check the shape of a creation and fix the new match's id: by the request_id within the API key, or at random.

        Raises:
            InvalidRequest: naming every bad field.
        """
        shape.refuse(shape.unless(len(request.seats) <= _MOST_SEATS, "seats", f"are at most {_MOST_SEATS}"))
        shape.refuse(
            shape.required("game", request.game),
            shape.required("seats", request.seats),
            shape.identifier("request_id", request.request_id),
            shape.ttl("ttl", request.ttl),
            shape.move_timeout("move_timeout", request.move_timeout),
            shape.unless(not (request.invite and request.hot_seat), "hot_seat", "cannot be had together with invite"),
            self._seed_problem(request.seed),
            *(shape.name(f"seats[{index}].display_name", seat.display_name) for index, seat in enumerate(request.seats)),
            *(shape.note(f"seats[{index}].metadata", seat.metadata) for index, seat in enumerate(request.seats)),
        )
        scope = f"{api_key_name}\0{request.request_id}"
        return NewMatch(
            match_id=derive_match_id(self._credentials.derive("match id", scope)) if request.request_id else new_match_id(),
            game=request.game,
            card_set=request.card_set,
            options=request.options,
            seats=request.seats,
            invite=request.invite,
            hot_seat=request.hot_seat,
            ttl_ms=DEFAULT_TTL_MS if request.ttl is None else int(request.ttl),
            seed=bytes.fromhex(request.seed),
            request_id=request.request_id,
            move_timeout_ms=int(request.move_timeout or 0),
            without_proof=request.without_proof,
        )

    def creator_credential(self, match: Match) -> str:
        """Make the creator's credential."""
        return self._credentials.issue(match.record.match_id, match.record.origin, Role.CREATOR, {})

    def spectator_credential(self, match: Match) -> str:
        """Make a spectator's credential."""
        return self._credentials.issue(match.record.match_id, match.record.origin, Role.SPECTATOR, {})

    def claimed_credential(self, match: Match, seat: int) -> str:
        """Make the credential of a seat that was claimed with an invite of its present generation."""
        return self._seat_credential(match, {seat: match.record.seats[seat - 1].generation})

    def invite(self, match: Match, seat: int, generation: int) -> str:
        """Make an invite."""
        return self._credentials.issue(match.record.match_id, match.record.origin, Role.INVITE, {seat: generation})

    def read_invite(self, token: str) -> Credential:
        """Read an invite.

        Raises:
            Unauthenticated: CREDENTIAL_MISSING, CREDENTIAL_INVALID (also for a credential that is no invite).
        """
        invite = self._credentials.read(token)
        if invite.role is not Role.INVITE:
            raise Unauthenticated("CREDENTIAL_INVALID", "this is no invite")
        return invite

    def seats(self, match: Match, *, invite: bool) -> tuple[messages.SeatAccess, ...]:
        """List what opens each person's seat.

        Always of the first generation, also when a creation is repeated: what a renewed invite has revoked stays revoked.
        """
        persons = [number for number, seat in enumerate(match.record.seats, 1) if seat.controller is Controller.PERSON]
        record = match.record
        if invite:
            return tuple(messages.SeatAccess(seat=seat, credential="", invite=self.invite(match, seat, 0)) for seat in persons)
        return tuple(
            messages.SeatAccess(seat=seat, credential=self._seat_credential(match, dict.fromkeys(persons if record.hot_seat else [seat], 0)), invite="")
            for seat in persons
        )

    def _seat_credential(self, match: Match, generations: Mapping[int, int]) -> str:
        return self._credentials.issue(match.record.match_id, match.record.origin, Role.SEAT, generations)

    def _seed_problem(self, seed: str) -> shape.Problem | None:
        if not seed:
            return None
        good = len(seed) == _SEED_DIGITS and all(digit in "0123456789abcdefABCDEF" for digit in seed)
        return shape.first(
            [
                shape.unless(self._allow_seeds, "seed", "is not allowed by this server"),
                shape.unless(good, "seed", f"must be {_SEED_DIGITS} hexadecimal digits"),
            ]
        )
