"""The asynchronous client: the same as ``client.py``, whose docstrings it shares, with await. A test compares their signatures."""

from collections.abc import AsyncIterator, Iterable
from datetime import timedelta
from types import TracebackType
from typing import Self

from umpire.v1.catalog_pb2 import Game, GameSummary, Rule
from umpire.v1.match_pb2 import Match, Outcome, Update
from umpire.v1.match_service_pb2 import ApplyMoveResponse, GetProofResponse, ListLegalMovesResponse, SeatRequest, WatchMatchResponse
from umpire_client import _creation
from umpire_client._calling import RetryPolicy
from umpire_client._catalog import CardNames
from umpire_client._channels import AsyncChannel, Tls
from umpire_client._creation import CreatedMatch, GameOptions
from umpire_client._handles import Connected, Handle, SeatHandle
from umpire_client._match import Asking, Choice
from umpire_client._playing import playing
from umpire_client._watching import Watching
from umpire_client.bot import Bot
from umpire_client.client import Client, Creator, Seat, Spectator


class AsyncSpectator(Handle[AsyncChannel]):
    """A look at a match with a credential that has no seat."""

    async def get(self, *, omit_view: bool = False, at_version: int | None = None) -> Match:
        return await self._channel.run(self._asking.get(omit_view=omit_view, at_version=at_version))

    async def events(self, since_version: int = 0) -> AsyncIterator[Update]:
        while True:
            page, since_version = await self._channel.run(self._asking.page_of_events(since_version))
            for update in page:
                yield update
            if not since_version:
                return

    async def watch(self, since_version: int | None = None, *, with_view: bool = False) -> AsyncIterator[WatchMatchResponse]:
        watching = Watching(self._asking, since_version, with_view=with_view)
        try:
            while (seen := await self._channel.run(watching.next())) is not None:
                yield seen
        finally:
            watching.close()


class AsyncCreator(AsyncSpectator):
    """A match in the hand of who created it."""

    async def renew_invite(self, seat: int) -> str:
        return await self._channel.run(self._asking.renew_invite(seat))

    async def proof(self) -> GetProofResponse:
        return await self._channel.run(self._asking.proof())

    async def delete(self) -> None:
        return await self._channel.run(self._asking.delete())


class AsyncSeat(SeatHandle[AsyncChannel], AsyncSpectator):
    """A seat of a match: what it may do, and see."""

    async def legal_moves(self, *, include_illegal: bool = False) -> ListLegalMovesResponse:
        return await self._channel.run(self._asking.legal_moves(include_illegal=include_illegal))

    async def apply(
        self, move: Choice, *, decision_id: int, request_id: str | None = None, omit_view: bool = False, omit_legal_moves: bool = False
    ) -> ApplyMoveResponse:
        return await self._channel.run(self._asking.apply(move, decision_id, request_id, omit_view=omit_view, omit_legal_moves=omit_legal_moves))

    async def wait(self, timeout: float | None = None) -> ListLegalMovesResponse:
        return await self._channel.run(self._asking.wait(timeout))

    async def resign(self) -> Match:
        return await self._channel.run(self._asking.resign())

    async def proof(self) -> GetProofResponse:
        return await self._channel.run(self._asking.proof())

    async def play(self, bot: Bot) -> Outcome:
        return await self._channel.run(playing(bot, self._asking))


class AsyncClient(Connected[AsyncChannel]):
    """A connection to an Umpire server's gRPC port, ``host:port``; for one event loop.

    ``api_key`` is needed to create matches where the server says so; ``tls`` is True, False, or grpc.ChannelCredentials; ``retry``: how long calls are tried.
    """

    def __init__(self, address: str, *, api_key: str | None = None, tls: Tls = False, retry: RetryPolicy | None = None) -> None:
        super().__init__(AsyncChannel(address, tls), api_key, retry)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        await self._channel.close()

    async def list_games(self) -> list[GameSummary]:
        return await self._channel.run(self._catalog.list_games())

    async def get_game(self, game: str) -> Game:
        return await self._channel.run(self._catalog.get_game(game))

    async def list_rules(self, game: str) -> list[Rule]:
        return await self._channel.run(self._catalog.list_rules(game))

    async def cards(self, game: str, card_set: str = "", digest: str = "") -> CardNames:
        return await self._channel.run(self._catalog.cards(game, card_set, digest))

    async def create_match(
        self,
        game: str,
        seats: Iterable[SeatRequest],
        *,
        options: GameOptions | None = None,
        card_set: str = "",
        invite: bool = False,
        seed: str = "",
        hot_seat: bool = False,
        ttl: timedelta | None = None,
        move_timeout: float | timedelta | None = None,
        without_proof: bool = False,
        request_id: str | None = None,
    ) -> CreatedMatch[AsyncSeat, AsyncSpectator, AsyncCreator]:
        steps = _creation.create_match(
            self._caller,
            game,
            seats,
            options=options,
            card_set=card_set,
            invite=invite,
            seed=seed,
            hot_seat=hot_seat,
            ttl=ttl,
            move_timeout=move_timeout,
            without_proof=without_proof,
            request_id=request_id,
        )
        return _creation.created_match(self._caller, self._channel, await self._channel.run(steps), AsyncSeat, AsyncSpectator, AsyncCreator)

    async def claim_seat(self, match_id: str, invite: str, *, display_name: str = "", client_seed: str = "", request_id: str | None = None) -> AsyncSeat:
        return AsyncSeat(self._channel, await self._channel.run(_creation.claim_seat(self._caller, match_id, invite, display_name, client_seed, request_id)))

    def seat(self, match_id: str, credential: str, number: int = 0) -> AsyncSeat:
        return AsyncSeat(self._channel, Asking(self._caller, match_id, credential, number))

    def spectator(self, match_id: str, credential: str) -> AsyncSpectator:
        return AsyncSpectator(self._channel, Asking(self._caller, match_id, credential))

    def creator(self, match_id: str, credential: str) -> AsyncCreator:
        return AsyncCreator(self._channel, Asking(self._caller, match_id, credential))


for _mine, _theirs in ((AsyncSpectator, Spectator), (AsyncCreator, Creator), (AsyncSeat, Seat), (AsyncClient, Client)):
    for _name, _method in vars(_mine).items():
        if callable(_method) and not _method.__doc__:
            _method.__doc__ = getattr(getattr(_theirs, _name, None), "__doc__", None)
