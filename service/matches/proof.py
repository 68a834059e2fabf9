"""The proof of a match: all that was hidden, laid open, with the digests that chain over its log."""

import base64
from collections.abc import Sequence

from engines.kit.digest import chain
from engines.kit.notation import write_move
from service import messages
from service.matches.access import PUBLIC
from service.matches.library import Entry
from service.matches.match import Match
from service.matches.present import present_match


def present_proof(match: Match, written: Sequence[bytes]) -> messages.GetProofResponse:
    """Lay a match open; ``written`` are the canonical bytes of all its log entries."""
    record = match.record
    steps, digest = [], b""
    for version, data in enumerate(written, 1):
        digest = chain(digest, data)
        steps.append(present_proof_step(version, match.hosted.decode_entry(data), data, digest))
    return messages.GetProofResponse(
        match=present_match(match, PUBLIC),
        seed=record.seed.hex(),
        client_seeds=tuple(messages.ClientSeed(seat=number, text=seat.client_seed) for number, seat in enumerate(record.seats, 1) if seat.client_seed),
        options=match.hosted.decode_options(record.options),
        steps=tuple(steps),
        digest=record.digest.hex(),
    )


def present_proof_step(version: int, entry: Entry, written: bytes, digest: bytes) -> messages.ProofStep:
    """Lay a step open; ``written`` are its canonical bytes, ``digest`` is the chain's after it."""
    return messages.ProofStep(
        version=version,
        cause=entry.cause,
        seat=entry.seat,
        time=messages.Timestamp(entry.time),
        move=entry.move,
        move_id="" if entry.move is None else write_move(entry.move),
        draws=tuple(messages.ProofDraw(name=draw.name, values=draw.results) for draw in entry.draws),
        events=tuple(emitted.event for emitted in entry.events),
        entry=base64.b64encode(written).decode(),
        digest=digest.hex(),
    )
