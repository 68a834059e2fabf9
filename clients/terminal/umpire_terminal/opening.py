"""How one comes to a seat: by creating a match, by an invite, or by resuming."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from umpire.v1.catalog_pb2 import Game
from umpire_client import Client, GameNotFound, house_bot, person
from umpire_terminal.memory import Memory, Remembered
from umpire_terminal.options import BadChoice, read_options

_LONGEST_SEED = 32


@dataclass(frozen=True)
class Wanted:
    """A match as the person wants it. ``seats`` is 0 for the fewest of the ``mode``, which is "" for the first of the catalog that fits."""

    game: str
    seat: int = 1
    seats: int = 0
    bots: Sequence[str] = ()
    invite: bool = False
    options: Sequence[str] = ()
    card_set: str = ""
    seed: str = ""
    name: str = ""
    mode: str = ""


def create(client: Client, wanted: Wanted, known: Remembered, memory: Memory) -> Remembered:
    """Create a match and take the person's seat. ``known`` says which server; nothing is lost if the program ends right after.

    Raises:
        BadChoice: the game has no such thing.
        UmpireError: the server refuses.
    """
    game = _find_game(client, wanted.game)
    plan = plan_seats(game, wanted)
    options = read_options(game.summary.game, wanted.options)
    requests = [house_bot(bot) if bot else person(wanted.name if number == wanted.seat else "") for number, bot in enumerate(plan, 1)]
    created = client.create_match(game.summary.game, seats=requests, options=options, card_set=wanted.card_set, invite=wanted.invite, seed=wanted.seed)
    match_id = created.match.match_id
    if not wanted.invite:
        seat = created.seats[wanted.seat]
        remembered = replace(known, match_id=match_id, seat=wanted.seat, credential=seat.credential)
    else:
        others = {str(number): invite for number, invite in created.invites.items() if number != wanted.seat}
        seat = client.claim_seat(match_id, created.invites[wanted.seat], display_name=wanted.name, client_seed=_own_chance())
        remembered = replace(known, match_id=match_id, seat=wanted.seat, credential=seat.credential, invites=others)
    memory.keep(remembered)
    return remembered


def join(client: Client, match_id: str, invite: str, name: str, known: Remembered, memory: Memory) -> Remembered:
    """Take the seat of an invite.

    Raises:
        UmpireError: the server refuses.
    """
    seat = client.claim_seat(match_id, invite, display_name=name, client_seed=_own_chance())
    remembered = replace(known, match_id=match_id, seat=seat.number, credential=seat.credential)
    memory.keep(remembered)
    return remembered


def plan_seats(game: Game, wanted: Wanted) -> list[str]:
    """Say for each seat which house bot plays it; "" for a person.

    The named bots come to the other seats in their order. Who sits on the rest is the strongest bot, which the catalog lists last, or with ``invite`` a person.

    Raises:
        BadChoice: the game has no such mode, none has so many seats, or it has no such bot.
    """
    title, bots = game.summary.title, list(game.summary.house_bots)
    fewest = max(wanted.seats, wanted.seat, 1 + len(wanted.bots), 2 if wanted.invite else 1)
    modes = [mode for mode in game.summary.modes if wanted.mode.upper() in {"", mode.mode}]
    if not modes:
        raise BadChoice(f"{title} has no mode {wanted.mode!r}; it has {', '.join(mode.mode.lower() for mode in game.summary.modes)}")
    possible = [seats for mode in modes for seats in range(mode.min_seats, mode.max_seats + 1)]
    fitting = [seats for seats in possible if seats >= fewest and wanted.seats in {0, seats}]
    if not fitting:
        named = f" in the mode {wanted.mode.lower()}" if wanted.mode else ""
        raise BadChoice(f"{title} has {_seats(sorted(set(possible)))}{named}: --seat, --seats, --bot and --invite do not fit it")
    seats = fitting[0]
    if wanted.seat < 1:
        raise BadChoice("seats are numbered from 1")
    for bot in wanted.bots:
        if bot not in bots:
            raise BadChoice(f"{title} has no house bot {bot!r}; it has {', '.join(bots) or 'none'}")
    if not bots and not wanted.invite and seats > 1:
        raise BadChoice(f"{title} has no house bots: add --invite, and play with other people")
    rest = "" if wanted.invite else (bots or [""])[-1]
    given = iter(wanted.bots)
    return ["" if number == wanted.seat else next(given, rest) for number in range(1, seats + 1)]


def _find_game(client: Client, game: str) -> Game:
    games = [] if game else client.list_games()
    if len(games) == 1:
        game = games[0].game
    try:
        if game:
            return client.get_game(game)
        raise BadChoice(f"which game? {', '.join(one.game for one in games)}")
    except GameNotFound:
        known = ", ".join(one.game for one in client.list_games())
        raise BadChoice(f"there is no game {game!r} on this server; it has {known}") from None


def _own_chance() -> str:
    """Make this seat's part of the seed: with it the server could not have chosen the deal."""
    return secrets.token_hex(_LONGEST_SEED // 2)


def _seats(numbers: Sequence[int]) -> str:
    return ("1 seat" if numbers[0] == 1 else f"{numbers[0]} seats") if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} seats"
