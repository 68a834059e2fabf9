"""``umpire play``: what one types, what it does, and what is said where it cannot be done."""

import argparse
import os
import shlex
import socket
import sys
from collections.abc import Mapping, Sequence

from rich.text import Text

from umpire.v1.match_pb2 import MATCH_STATUS_ABANDONED, MATCH_STATUS_FINISHED, MATCH_STATUS_WAITING
from umpire_client import ApiKeyRequired, Client, CredentialInvalid, MatchNotFound, SeatClaimed, UmpireError, Unavailable, WrongMatch
from umpire_terminal.calling import this_program
from umpire_terminal.memory import Memory, NotRemembered, Remembered, state_folder
from umpire_terminal.opening import Wanted, create, join
from umpire_terminal.options import BadChoice
from umpire_terminal.screen import Ended, Screen
from umpire_terminal.sitting import Sitting
from umpire_terminal.voice import clean

_SERVER = "127.0.0.1:50051"
_PORT = 50051
_KNOCK = 3.0
_INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``umpire play`` takes to its parser."""
    parser.add_argument("game", nargs="?", default="", metavar="GAME", help="the id of the game; not needed if the server has only one")
    parser.add_argument("--mode", default="", metavar="NAME", help="a mode of the game, for example solo [default: its first]")
    parser.add_argument("--seat", type=int, metavar="N", help="the seat that is yours [default: 1]")
    parser.add_argument("--seats", type=int, default=0, metavar="N", help="how many seats the match has [default: as few as the mode can have]")
    parser.add_argument(
        "--bot", action="append", default=[], metavar="NAME", help="a house bot for the next other seat; can be repeated [default: the strongest]"
    )
    parser.add_argument("--invite", action="store_true", help="leave the other seats to people; the command that they type is printed")
    parser.add_argument(
        "--join", nargs="+", metavar=("MATCH", "INVITE"), help="take the seat that somebody invites you to; without INVITE you are asked for it"
    )
    parser.add_argument("--resume", nargs="?", const="", metavar="MATCH", help="go on with a match that you left; without MATCH with the last one")
    parser.add_argument("--name", default="", help="your name, as the others see it")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the game; can be repeated")
    parser.add_argument("--card-set", default="", metavar="ID", help="the card set [default: the game's first]")
    parser.add_argument("--seed", default="", metavar="HEX", help="the seed of the deal, 64 hexadecimal digits, where the server allows it")
    parser.add_argument("--server", metavar="HOST:PORT", help=f"the server [UMPIRE_SERVER, default: {_SERVER}]")
    parser.add_argument("--tls", action="store_true", help="speak TLS with the server")
    parser.add_argument("--api-key", metavar="KEY", help="the key for creating matches, better given as UMPIRE_API_KEY")
    parser.add_argument("--no-color", "--no-colour", action="store_true", dest="no_colour", help="no colours; NO_COLOR does the same")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``umpire play`` with its arguments; returns the exit status: 2 for what cannot be asked for, 1 for what a server refuses."""
    parser = argparse.ArgumentParser(prog="umpire play", description="Play a game in the terminal, against house bots or other people.")
    add_arguments(parser)
    return play(parser.parse_args(arguments), os.environ)


def play(given: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Come to a seat and play it."""
    memory, known = Memory(state_folder(environment)), None
    try:
        _check(given)
        known = memory.find(given.resume, given.seat or 0) if given.resume is not None else None
        server = _with_port(given.server or (known.server if known else environment.get("UMPIRE_SERVER") or _SERVER))
        new = known or Remembered(match_id="", seat=0, credential="", server=server, tls=given.tls)
        _knock(server)
        screen = Screen(colour=not given.no_colour)
        with _client(server, given.api_key or environment.get("UMPIRE_API_KEY"), tls=new.tls) as client:
            known = known or _take_seat(client, given, new, memory, screen)
            return _sit(client, known, memory, screen)
    except (BadChoice, NotRemembered) as problem:
        return _complain(str(problem), 2)
    except (Ended, KeyboardInterrupt) as left:
        if known:
            sys.stdout.write(f"\nYou have left the match; it goes on when you type:\n  {_resume(known, memory)}\n")
        return 0 if isinstance(left, Ended) else _INTERRUPTED
    except UmpireError as error:
        return _complain(_explain(error) + (f"; go on later with: {_resume(known, memory)}" if known and isinstance(error, Unavailable) else ""), 1)
    except OSError as error:
        return _complain(str(error), 1)


def _check(given: argparse.Namespace) -> None:
    if given.join is not None and (len(given.join) > 2 or given.resume is not None):
        raise BadChoice("--join takes a match and its invite, and does not go with --resume")


def _take_seat(client: Client, given: argparse.Namespace, new: Remembered, memory: Memory, screen: Screen) -> Remembered:
    if given.join is None:
        wanted = Wanted(given.game, given.seat or 1, given.seats, given.bot, given.invite, given.option, given.card_set, given.seed, given.name, given.mode)
        return create(client, wanted, new, memory)
    if len(given.join) == 1:
        screen.show("The invite:")
    return join(client, given.join[0], given.join[1] if len(given.join) == 2 else screen.ask(), given.name, new, memory)


def _sit(client: Client, known: Remembered, memory: Memory, screen: Screen) -> int:
    seat = client.seat(known.match_id, known.credential)
    try:
        match = seat.get()
    except (MatchNotFound, CredentialInvalid):
        memory.forget(known)
        raise
    if match.status == MATCH_STATUS_WAITING:
        for other in match.seats:
            if not other.claimed and str(other.seat) in known.invites:
                screen.show(Text(f"Seat {other.seat} is open. Somebody takes it by typing:"))
                screen.show_line(_joining(known, known.invites[str(other.seat)]))
        if known.server.startswith(("127.", "localhost")):
            screen.show(Text("(From another machine: with this machine's address after --server.)", "italic"))
        screen.show(Text("Waiting for people … (Ctrl-C leaves; the seats stay open)", "italic"))
    Sitting(seat, match, client.cards(match.game, match.card_set), client.list_rules(match.game), screen).play()
    if seat.get(omit_view=True).status in {MATCH_STATUS_FINISHED, MATCH_STATUS_ABANDONED}:
        memory.forget(known)
    return 0


def _client(server: str, api_key: str | None, *, tls: bool) -> Client:
    try:
        return Client(server, api_key=api_key, tls=tls)
    except ValueError as wrong:
        raise BadChoice(str(wrong)) from None


def _with_port(server: str) -> str:
    return server if ":" in server and not server.endswith("]") else f"{server}:{_PORT}"


def _knock(server: str) -> None:
    """Find out at once whether anybody answers.

    Raises:
        OSError: nobody does; the message says what to do.
    """
    host, _, port = server.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK).close()
    except (OSError, ValueError, OverflowError):
        raise OSError(f"no server answers at {server}: start one with `umpire serve`, or name another with --server HOST:PORT") from None


def _explain(error: UmpireError) -> str:
    match error:
        case ApiKeyRequired():
            return "this server wants an API key for new matches: set UMPIRE_API_KEY or add --api-key"
        case SeatClaimed():
            return "this invite has been used: ask for another, or go on with --resume if it was you"
        case CredentialInvalid() | WrongMatch():
            return "the invite is not valid for this match, or the seat has been given to somebody else"
        case MatchNotFound():
            return "there is no such match: it was deleted or has expired"
        case _:
            bad = "; ".join(f"{field}: {description}" for field, description in error.field_violations)
            return clean(bad or error.message)


def _joining(known: Remembered, invite: str) -> str:
    return _command([*this_program(), "--server", known.server, *(["--tls"] if known.tls else []), "--join", known.match_id, invite])


def _resume(known: Remembered, memory: Memory) -> str:
    try:
        memory.find(known.match_id)
        seat = []
    except NotRemembered:  # somebody plays two seats of it
        seat = ["--seat", str(known.seat)]
    return _command([*this_program(), "--resume", known.match_id, *seat])


def _command(words: Sequence[str]) -> str:
    """Write a command to be copied. Ids come from the server: they neither end a word nor command the terminal."""
    return shlex.join([clean(word) for word in words])


def _complain(problem: str, status: int) -> int:
    sys.stderr.write(f"umpire: {clean(problem)}\n")
    return status
