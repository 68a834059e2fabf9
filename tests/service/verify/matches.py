"""Whole matches of any registered game, played without a server, and their proofs."""

import base64
import json
import random
from typing import Any

from engines.kit import play
from engines.kit.contract import Game, Mode
from engines.kit.digest import chain
from engines.registry import games
from service.contract import load_contract
from service.matches.create import NewMatch, lay_out
from service.matches.library import Library, encode
from service.matches.match import Match
from service.matches.proof import present_proof, present_proof_step
from service.messages import Cause, Controller, MatchStatus, SeatRequest, SeedSource
from service.verify.proof_file import Trees, read_proof
from service.verify.verification import Verified, verify

CONTRACT = load_contract(games())
LIBRARY = Library(games())
TREES = Trees(CONTRACT)
MODES = [(game, mode) for game in games().values() for mode in game.modes]
IDS = [f"{game.id}-{mode.id}" for game, mode in MODES]
MOVE_TIMEOUT_MS = 10_000
NOON = 1_800_000_000_000


def played(
    game: Game,
    mode: Mode,
    seed: int = 0,
    *,
    bots: bool = False,
    late: float = 0.0,
    leaves_after: int = 0,
    client_seeds: bool = False,
    options: Any = None,
    taken_over: float = 0.0,
) -> Match:
    """Play a match to its end at random: with house bots in all but the first, seats that are late or taken over so often, one that leaves."""
    rng = random.Random(f"{game.id} {mode.id} {seed}")
    seats = [SeatRequest(house_bot=next(iter(game.bots)) if bots and number else "") for number in range(rng.randint(mode.min_seats, mode.max_seats))]
    timeout = MOVE_TIMEOUT_MS if late else 0
    wanted = NewMatch("1a2-abcdefghijklmnopqrstuvwx", game.id, "", options, seats, False, False, 60_000, b"", "", timeout)
    match, now = lay_out(LIBRARY, wanted, NOON), NOON
    match.record.seed = seed.to_bytes(32, "big")
    if client_seeds:
        match.record.seats[0].client_seed = f"a seed of {seed}"
        match.record.seed_source = SeedSource.SERVER_AND_SEATS
    match.deal(now)
    while match.record.status is MatchStatus.ACTIVE:
        now += rng.randint(0, 900)
        by_itself = match.to_move_by_itself()
        if by_itself is not None:
            match.play_by_itself(by_itself, now)
            continue
        held = rng.choice([held for held in match.record.decisions if match.record.seats[held.seat - 1].controller is Controller.PERSON])
        if taken_over and rng.random() < taken_over:
            match.take_over(held.seat, now)
        elif leaves_after and match.record.version > leaves_after:
            match.leave(held.seat, now)
        elif rng.random() < late or 0 < held.deadline <= now:  # where several are asked at once, the lateness of one may be another's
            now = max(now, held.deadline)
            match.play_default(held.seat, now)
        else:
            match.play(held.seat, rng.choice(play.legal_moves(match.engine, match.state, held.seat)), Cause.PERSON, now)
    return match


def proof_of(match: Match) -> bytes:
    """Write a match's proof as REST answers it."""
    proof = present_proof(match, match.written_entries)
    return CONTRACT.codec.message("umpire.v1.GetProofResponse").to_json(proof)


def tree_of(match: Match) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(proof_of(match))
    return tree


def verified(tree: dict[str, Any]) -> Verified:
    return verify(read_proof(json.dumps(tree).encode(), TREES), LIBRARY, TREES)


def rewrite_entry(tree: dict[str, Any], index: int, **changes: Any) -> None:
    """Change a step's log entry, and what the step shows of it, as somebody would who knows how; digests stay."""
    step = tree["steps"][index]
    hosted = LIBRARY.find(tree["match"]["game"])
    entry = hosted.decode_entry(base64.b64decode(step["entry"]))
    fields = {name: changes.get(name, getattr(entry, name)) for name in type(entry).__struct_fields__}
    written = encode(type(entry)(**fields))
    codec = CONTRACT.codec.message("umpire.v1.ProofStep")
    shown = present_proof_step(step["version"], hosted.decode_entry(written), written, bytes.fromhex(step["digest"]))
    tree["steps"][index] = json.loads(codec.to_json(shown))


def entry_of(tree: dict[str, Any], index: int) -> Any:
    return LIBRARY.find(tree["match"]["game"]).decode_entry(base64.b64decode(tree["steps"][index]["entry"]))


def rechain(tree: dict[str, Any]) -> None:
    """Make all digests fit again."""
    digest = b""
    for step in tree["steps"]:
        digest = chain(digest, base64.b64decode(step["entry"]))
        step["digest"] = digest.hex()
    tree["digest"] = digest.hex()


def renumber(tree: dict[str, Any]) -> None:
    for version, step in enumerate(tree["steps"], 1):
        step["version"] = version
    tree["match"]["version"] = len(tree["steps"])
