"""Creating a match, and the seats of one that is created with invites."""

import hashlib
import secrets
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from engines.kit.contract import Mode
from engines.kit.options import OptionsError
from engines.kit.structs import Options
from service.errors import AlreadyExists, InvalidRequest
from service.matches.library import HostedGame, Library, encode
from service.matches.match import Match
from service.matches.record import FORMAT, SeatRecord, Snapshot, nothing_dealt
from service.matches.repository import Repository
from service.messages import Controller, SeatRequest, SeedSource

DEFAULT_TTL_MS = 7 * 24 * 3600 * 1000
_NONCE_BITS = 63  # MessagePack's integers have 64


class NewMatch(NamedTuple):
    """What a creator asks for, its shape checked. ``seed`` is the caller's own, or empty; ``match_id`` is fixed by the request_id, or new."""

    match_id: str
    game: str
    card_set: str
    options: Options | None
    seats: Sequence[SeatRequest]
    invite: bool
    hot_seat: bool
    ttl_ms: int
    seed: bytes
    request_id: str
    move_timeout_ms: int = 0
    without_proof: bool = False


async def create_match(repository: Repository, library: Library, wanted: NewMatch) -> Match:
    """Create a match; deal if all seats are taken. A repeated request (by its ``request_id``) finds the match that the first one made.

    Raises:
        NotFound: GAME_NOT_FOUND, CARD_SET_NOT_FOUND.
        InvalidRequest: seats or options that the game cannot take.
        AlreadyExists: REQUEST_ID_REUSED.
    """
    match = lay_out(library, wanted, repository.now(wanted.match_id))
    body = match.record.create_request
    if not wanted.invite:
        match.deal(match.record.created)
    if await repository.create(match):
        return match
    known = await repository.read(wanted.match_id)
    if not wanted.request_id or known.record.create_request != body:
        raise AlreadyExists("REQUEST_ID_REUSED", "this request_id was used for another match", {"request_id": wanted.request_id})
    await repository.settle(wanted.match_id)
    return known


def lay_out(library: Library, wanted: NewMatch, now: int) -> Match:
    """Make a match that is neither dealt nor stored.

    Raises:
        NotFound, InvalidRequest: as ``create_match``.
    """
    hosted = library.find(wanted.game)
    game = hosted.game
    cards = hosted.card_set(wanted.card_set)
    mode = game.mode_for(len(wanted.seats))
    if mode is None:
        bounds = sorted((mode.min_seats, mode.max_seats) for mode in game.modes)
        counts = " or ".join(f"{least}" if least == most else f"{least} to {most}" for least, most in bounds)
        raise InvalidRequest(("seats", f"{game.title} takes {counts} seats"))
    try:
        options = game.fill_in_options(cards, _given(hosted, wanted.options))
    except OptionsError as error:
        raise InvalidRequest(*((f"options.{game.id}.{field}", problem) for field, problem in error.problems)) from error
    record = Snapshot(
        format=FORMAT,
        match_id=wanted.match_id,
        game=game.id,
        mode=mode.id,
        ruleset=game.ruleset,
        card_set=cards.id,
        card_set_digest=cards.digest,
        seats=_seats(hosted, mode, wanted),
        seed=wanted.seed or secrets.token_bytes(32),
        seed_source=SeedSource.CALLER if wanted.seed else SeedSource.SERVER,
        created=now,
        updated=now,
        ttl=wanted.ttl_ms,
        create_request=_body(wanted, options, cards.digest),
        hot_seat=wanted.hot_seat,
        options=msgspec.Raw(encode(options)),
        move_timeout=wanted.move_timeout_ms,
        without_proof=wanted.without_proof,
        nonce=secrets.randbits(_NONCE_BITS),
        **nothing_dealt(),
    )
    return Match(record, hosted, hosted.engine(mode.id, cards))


def _given(hosted: HostedGame, options: Options | None) -> dict[str, object]:
    if options is None:
        return {}
    if not isinstance(options, hosted.game.options):
        raise InvalidRequest(("options", f"are of another game than {hosted.game.id}"))
    return msgspec.structs.asdict(options)


def _seats(hosted: HostedGame, mode: Mode, wanted: NewMatch) -> list[SeatRecord]:
    problems = [
        (f"seats[{index}].house_bot", f"{hosted.game.title} has no house bot {seat.house_bot!r}, only {', '.join(hosted.game.bots)}")
        for index, seat in enumerate(wanted.seats)
        if seat.house_bot and seat.house_bot not in hosted.game.bots
    ]
    if problems:
        raise InvalidRequest(*problems)
    seats = [
        SeatRecord(
            controller=Controller.HOUSE_BOT if seat.house_bot else Controller.PERSON,
            house_bot=seat.house_bot,
            display_name=seat.display_name,
            metadata=seat.metadata,
            claimed=bool(seat.house_bot) or not wanted.invite,
        )
        for seat in wanted.seats
    ]
    automata = [SeatRecord(controller=Controller.AUTOMATON, house_bot="", display_name="", metadata="", claimed=True) for _ in mode.automata]
    seats += automata
    if wanted.invite and all(seat.claimed for seat in seats):
        raise InvalidRequest(("invite", "there is no person's seat to invite anybody to"))
    return seats


def _body(wanted: NewMatch, options: Options, card_set_digest: str) -> bytes:
    """Digest what was asked for, as it was understood: a repeated request must ask for the same."""
    seats = [msgspec.structs.astuple(seat) for seat in wanted.seats]
    asked: tuple[object, ...] = (wanted.game, card_set_digest, options, seats, wanted.invite, wanted.hot_seat, wanted.ttl_ms, wanted.seed)
    if wanted.move_timeout_ms or wanted.without_proof:  # beside what earlier releases knew: their requests keep their digests
        asked += (wanted.move_timeout_ms, wanted.without_proof)
    return digest_of(encode(asked))


def digest_of(data: bytes) -> bytes:
    """Shorten a request's canonical bytes to 16 bytes for comparison with a repeated one."""
    return hashlib.blake2b(data, digest_size=16).digest()
