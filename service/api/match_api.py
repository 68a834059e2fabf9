"""MatchService: creating and refereeing matches."""

from msgspec import UNSET, UnsetType

from service import messages
from service.api import shape
from service.api.context import Context, Needs, needs
from service.api.handing_out import HandingOut
from service.errors import VersionAhead
from service.matches import access, create, leaving, moves, present, seats
from service.matches.continuing import Continuing
from service.matches.history import History
from service.matches.library import Library
from service.matches.match import Match
from service.matches.repository import Repository

_DEFAULT_PAGE = 100


class MatchApi:
    """Handlers of ``umpire.v1.MatchService``."""

    def __init__(self, library: Library, repository: Repository, continuing: Continuing, history: History, handing_out: HandingOut) -> None:
        self._library = library
        self._repository = repository
        self._continuing = continuing
        self._history = history
        self._handing_out = handing_out

    @needs(Needs.API_KEY)
    async def create_match(self, context: Context, request: messages.CreateMatchRequest) -> messages.CreateMatchResponse:
        wanted = self._handing_out.new_match(context.api_key_name, request)
        match = await create.create_match(self._repository, self._library, wanted)
        self._seen(context, match)
        return messages.CreateMatchResponse(
            match=present.present_match(match, access.PUBLIC),
            creator_credential=self._handing_out.creator_credential(match),
            spectator_credential=self._handing_out.spectator_credential(match),
            seats=self._handing_out.seats(match, invite=request.invite),
        )

    @needs(Needs.NOTHING)
    async def claim_seat(self, context: Context, request: messages.ClaimSeatRequest) -> messages.ClaimSeatResponse:
        invite = self._handing_out.read_invite(request.invite)
        access.require_match(invite, request.match_id)
        context.match_id = request.match_id
        shape.refuse(
            shape.name("display_name", request.display_name),
            shape.identifier("client_seed", request.client_seed),
            shape.identifier("request_id", request.request_id),
        )
        match, seat = await seats.claim_seat(self._repository, invite, request.display_name, request.client_seed, request.request_id)
        self._seen(context, match)
        return messages.ClaimSeatResponse(seat=seat, credential=self._handing_out.claimed_credential(match, seat), match=present.present_match(match, seat))

    @needs(Needs.CREATOR)
    async def renew_invite(self, context: Context, request: messages.RenewInviteRequest) -> messages.RenewInviteResponse:
        access.require_creator(context.credential, request.match_id)
        match, generation = await seats.renew_invite(self._repository, context.credential, request.match_id, request.seat)
        self._seen(context, match)
        return messages.RenewInviteResponse(seat=request.seat, invite=self._handing_out.invite(match, request.seat, generation))

    @needs(Needs.CREDENTIAL)
    async def get_match(self, context: Context, request: messages.GetMatchRequest) -> messages.GetMatchResponse:
        access.require_match(context.credential, request.match_id)
        version = request.at_version
        if version is not UNSET:
            shape.refuse(shape.not_negative("at_version", version))
        match, viewer = await self._look(context, request.match_id, request.seat)
        if version is not UNSET:
            match = await self._history.at_version(match, version)
        return messages.GetMatchResponse(match=present.present_match(match, viewer, with_view=not request.omit_view))

    @needs(Needs.CREDENTIAL)
    async def list_legal_moves(self, context: Context, request: messages.ListLegalMovesRequest) -> messages.ListLegalMovesResponse:
        access.require_match(context.credential, request.match_id)
        seat = access.acting_seat(context.credential, request.seat)
        match = await self._repository.read(request.match_id)
        access.require_valid(match, context.credential, seat)
        self._seen(context, match)
        legal, illegal = present.present_all_moves(match, seat) if request.include_illegal else (present.present_legal_moves(match, seat), ())
        return messages.ListLegalMovesResponse(
            version=match.record.version, decision=present.present_own_decision(match, seat), legal_moves=legal, illegal_moves=illegal
        )

    @needs(Needs.CREDENTIAL)
    async def apply_move(self, context: Context, request: messages.ApplyMoveRequest) -> messages.ApplyMoveResponse:
        access.require_match(context.credential, request.match_id)
        seat = access.acting_seat(context.credential, request.seat)
        wanted = moves.Wanted(request.match_id, seat, request.decision_id, shape.given_move(request), request.request_id)
        verdict = await moves.apply_move(self._repository, context.credential, wanted)
        match = verdict.match
        self._seen(context, match)
        return messages.ApplyMoveResponse(
            applied_version=verdict.applied_version,
            version=match.record.version,
            updates=present.present_updates(verdict.updates, seat),
            status=match.record.status,
            view=None if request.omit_view else match.view(seat),
            decision=present.present_own_decision(match, seat),
            legal_moves=() if request.omit_legal_moves else present.present_legal_moves(match, seat),
            outcome=present.present_outcome(match),
        )

    @needs(Needs.CREDENTIAL)
    async def list_events(self, context: Context, request: messages.ListEventsRequest) -> messages.ListEventsResponse:
        access.require_match(context.credential, request.match_id)
        since = request.since_version
        shape.refuse(shape.not_negative("since_version", since), shape.page_size("page_size", request.page_size))
        match, viewer = await self._look(context, request.match_id, request.seat)
        version = match.record.version
        if since > version:
            raise VersionAhead(version)
        entries = await self._repository.entries(match, since, request.page_size or _DEFAULT_PAGE)
        last = since + len(entries)
        return messages.ListEventsResponse(updates=present.present_updates(entries, viewer), version=version, next_since_version=last if last < version else 0)

    @needs(Needs.CREDENTIAL)
    async def resign_seat(self, context: Context, request: messages.ResignSeatRequest) -> messages.ResignSeatResponse:
        access.require_match(context.credential, request.match_id)
        seat = access.acting_seat(context.credential, request.seat)
        match = await leaving.resign_seat(self._repository, context.credential, request.match_id, seat)
        self._seen(context, match)
        return messages.ResignSeatResponse(match=present.present_match(match, seat))

    @needs(Needs.CREDENTIAL)
    async def get_proof(self, context: Context, request: messages.GetProofRequest) -> messages.GetProofResponse:
        access.require_match(context.credential, request.match_id)
        access.require_part_in(context.credential)
        match = await self._repository.read(request.match_id)
        access.require_valid(match, context.credential)
        self._seen(context, match)
        return await self._history.proof(match)

    @needs(Needs.CREATOR)
    async def delete_match(self, context: Context, request: messages.DeleteMatchRequest) -> messages.DeleteMatchResponse:
        access.require_creator(context.credential, request.match_id)
        access.require_valid(await self._repository.read(request.match_id), context.credential)
        await self._repository.delete(request.match_id)
        return messages.DeleteMatchResponse()

    async def _look(self, context: Context, match_id: str, seat: int | UnsetType) -> tuple[Match, int]:
        access.require_match(context.credential, match_id)
        viewer = access.viewing_seat(context.credential, seat)
        match = await self._repository.read(match_id)
        access.require_valid(match, context.credential, viewer)
        self._seen(context, match)
        return match, viewer

    def _seen(self, context: Context, match: Match) -> None:
        context.match_id = match.record.match_id
        context.game = match.record.game
        self._continuing.look_at(match)
