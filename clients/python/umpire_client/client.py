"""The synchronous client. ``aio.py`` has the same with await."""

import threading
from collections.abc import Iterable, Iterator
from datetime import timedelta
from types import TracebackType
from typing import Self

from umpire.v1.catalog_pb2 import Game, GameSummary, Rule
from umpire.v1.match_pb2 import Match, Outcome, Update
from umpire.v1.match_service_pb2 import ApplyMoveResponse, GetProofResponse, ListLegalMovesResponse, SeatRequest, WatchMatchResponse
from umpire_client import _creation
from umpire_client._calling import RetryPolicy
from umpire_client._catalog import CardNames
from umpire_client._channels import Channel, Tls
from umpire_client._creation import CreatedMatch, GameOptions
from umpire_client._handles import Connected, Handle, SeatHandle
from umpire_client._match import Asking, Choice
from umpire_client._playing import playing
from umpire_client._watching import Watching
from umpire_client.bot import Bot


class Spectator(Handle[Channel]):
    """A look at a match with a credential that has no seat."""

    def get(self, *, omit_view: bool = False, at_version: int | None = None) -> Match:
        """Return the match as this credential may see it: now, or, once it is over, as it was at an earlier version.

        Raises:
            MatchNotFinished: ``at_version`` was given, and the match is still being played.
            VersionAhead: there is no such version.
        """
        return self._channel.run(self._asking.get(omit_view=omit_view, at_version=at_version))

    def events(self, since_version: int = 0) -> Iterator[Update]:
        """Go through the steps after a version up to now, oldest first.

        Raises:
            VersionAhead: there is no such version yet.
        """
        while True:
            page, since_version = self._channel.run(self._asking.page_of_events(since_version))
            yield from page
            if not since_version:
                return

    def watch(self, since_version: int | None = None, *, with_view: bool = False) -> Iterator[WatchMatchResponse]:
        """Go through what happens as it happens, to the end of the match.

        First comes the match as it is now (``match`` is set), then each step (``update`` is set); with ``since_version`` the steps after that version, and no
        match. Each step comes once, in order, also when connections break or workers go away meanwhile. ``with_view``: what comes newest has the view after it;
        the last step has the outcome. Where the server knows no streams it is asked again and again.

        Raises:
            MatchNotFound: it was deleted, or, as MatchExpired, has outlived its time.
            Unavailable: the stream broke, and none could be had for as long as calls are tried.
        """
        watching = Watching(self._asking, since_version, with_view=with_view)
        try:
            while (seen := self._channel.run(watching.next())) is not None:
                yield seen
        finally:
            watching.close()


class Creator(Spectator):
    """A match in the hand of who created it."""

    def renew_invite(self, seat: int) -> str:
        """Make a new invite for a person's seat; the older one, and the seat's credential, are worth nothing from now on."""
        return self._channel.run(self._asking.renew_invite(seat))

    def proof(self) -> GetProofResponse:
        """Return all that is needed to replay a match that is over, and to check its chance. It opens everything that was hidden.

        Raises:
            MatchNotFinished: it is still being played.
            ProofWithheld: it was created with ``without_proof``.
        """
        return self._channel.run(self._asking.proof())

    def delete(self) -> None:
        """Delete the match with its history, for good.

        Raises:
            MatchNotFound: it is gone already.
        """
        return self._channel.run(self._asking.delete())


class Seat(SeatHandle[Channel], Spectator):
    """A seat of a match: what it may do, and see."""

    def legal_moves(self, *, include_illegal: bool = False) -> ListLegalMovesResponse:
        """Return the open decision and its legal moves, both empty if this seat is not asked; if wanted also the other moves, each with the rule against it."""
        return self._channel.run(self._asking.legal_moves(include_illegal=include_illegal))

    def apply(
        self, move: Choice, *, decision_id: int, request_id: str | None = None, omit_view: bool = False, omit_legal_moves: bool = False
    ) -> ApplyMoveResponse:
        """Answer a decision; returns what happened, the view after it, and this seat's next decision with its legal moves.

        It is repeated where that is needed, and never plays twice.

        Raises:
            IllegalMove: a rule forbids it; nothing has changed.
            DecisionClosed, NoOpenDecision, MatchFinished: the match has gone on; nothing has changed.
            Unavailable: nobody answered in time. If its ``applied`` is UNKNOWN, the same call with its ``request_id`` settles it.
        """
        return self._channel.run(self._asking.apply(move, decision_id, request_id, omit_view=omit_view, omit_legal_moves=omit_legal_moves))

    def wait(self, timeout: float | None = None) -> ListLegalMovesResponse:
        """Return once this seat is asked, or, without a decision, once the match is over.

        Raises:
            TimeoutError: neither came within ``timeout`` seconds.
        """
        return self._channel.run(self._asking.wait(timeout))

    def resign(self) -> Match:
        """Leave the match for good; returns the match after it. Having left already is no error.

        Raises:
            MatchFinished: it is over.
            MatchNotStarted: nothing is dealt yet.
        """
        return self._channel.run(self._asking.resign())

    def proof(self) -> GetProofResponse:
        """Return all that is needed to replay a match that is over, and to check its chance: the same as ``Creator.proof``."""
        return self._channel.run(self._asking.proof())

    def play(self, bot: Bot) -> Outcome:
        """Let a bot play this seat to the end: the same as ``bot.play(seat)``."""
        return self._channel.run(playing(bot, self._asking))


class Client(Connected[Channel]):
    """A connection to an Umpire server's gRPC port, ``host:port``; may be shared by threads.

    ``api_key`` is needed to create matches where the server says so; ``tls`` is True, False, or grpc.ChannelCredentials; ``retry``: how long calls are tried.
    """

    def __init__(self, address: str, *, api_key: str | None = None, tls: Tls = False, retry: RetryPolicy | None = None) -> None:
        super().__init__(Channel(address, tls), api_key, retry)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is KeyboardInterrupt:
            # Ctrl-C in the moment in which a stream is opened leaves gRPC with a call that nobody listens to, and its close waits for that one for ever.
            threading.Thread(target=self.close, daemon=True).start()
        else:
            self.close()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def list_games(self) -> list[GameSummary]:
        """List the games."""
        return self._channel.run(self._catalog.list_games())

    def get_game(self, game: str) -> Game:
        """Return a game with its options, card sets, house bots and kinds of decisions."""
        return self._channel.run(self._catalog.get_game(game))

    def list_rules(self, game: str) -> list[Rule]:
        """List the rules of a game, each in a sentence; violations name them."""
        return self._channel.run(self._catalog.list_rules(game))

    def cards(self, game: str, card_set: str = "", digest: str = "") -> CardNames:
        """Return the cards of a card set, by default the game's first; asks the server once only, as long as the ``digest``, if given, is the same."""
        return self._channel.run(self._catalog.cards(game, card_set, digest))

    def create_match(
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
    ) -> CreatedMatch[Seat, Spectator, Creator]:
        """Create a match; returns the keys to it.

        ``seats`` are made by ``person`` and ``house_bot``; ``options`` may be ``{"goldn_crash": {"first_seat": 1}}``. With ``invite`` persons' seats get
        invites instead of credentials, and the deal waits until all are claimed. ``move_timeout``, in seconds: how long a person's seat has for each decision
        before the game's default move is made for it. ``without_proof``: what was hidden is never opened, also not after the end. With the same ``request_id``
        the answer is the same match.
        """
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
        return _creation.created_match(self._caller, self._channel, self._channel.run(steps), Seat, Spectator, Creator)

    def claim_seat(self, match_id: str, invite: str, *, display_name: str = "", client_seed: str = "", request_id: str | None = None) -> Seat:
        """Turn an invite into a seat; keep its ``credential`` to come back.

        ``client_seed`` is this seat's own share in the chance of the match, if the deal has not happened yet.

        Raises:
            SeatClaimed: the invite was used before.
        """
        return Seat(self._channel, self._channel.run(_creation.claim_seat(self._caller, match_id, invite, display_name, client_seed, request_id)))

    def seat(self, match_id: str, credential: str, number: int = 0) -> Seat:
        """Return a handle of a seat; calls nobody. ``number`` is needed only for a credential that opens several seats."""
        return Seat(self._channel, Asking(self._caller, match_id, credential, number))

    def spectator(self, match_id: str, credential: str) -> Spectator:
        """Return a handle that sees what is public; calls nobody."""
        return Spectator(self._channel, Asking(self._caller, match_id, credential))

    def creator(self, match_id: str, credential: str) -> Creator:
        """Return a handle that may delete the match and renew invites; calls nobody."""
        return Creator(self._channel, Asking(self._caller, match_id, credential))
