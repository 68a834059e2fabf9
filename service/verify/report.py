"""What ``umpire verify`` says."""

import json
from typing import Any

from service.admin.plain import printable
from service.messages import SeedSource
from service.verify.comparing import Difference
from service.verify.verification import Verified

_SHOWS = {
    SeedSource.SERVER: "the server chose the seed and could not change it after the creation",
    SeedSource.SERVER_AND_SEATS: "seats added seeds of their own after the server's commitment: if yours is there, the server alone could not choose the deal",
    SeedSource.CALLER: "the creator named the seed: this shows nothing about chance",
}
_LONGEST = 200


def lines(found: Verified | Difference) -> list[str]:
    """Say it to a person. What a file holds may come from anybody: nothing of it commands the terminal."""
    if isinstance(found, Difference):
        where = f"version {found.version}, {found.field}" if found.version else found.field
        shown = [f"  {word}: {_shown(value)}" for word, value in (("expected", found.expected), ("found", found.found)) if value is not None]
        return [printable(f"differs at {where}: {found.why}"), *shown]
    match = found.match
    return [
        f"verified: {match.game}, {match.version} steps, {_ending(found)}",
        f"  seed commitment {match.seed_commitment}: compare it with what you were shown before the deal",
        *(f"  client seed of seat {given.seat} {_shown(given.text)}: if the seat is yours, compare it with what you gave" for given in found.client_seeds),
        f"  {_SHOWS[match.seed_source]}",
    ]


def document(found: Verified | Difference) -> str:
    """Say it to a program."""
    if isinstance(found, Difference):
        difference = {"version": found.version, "field": found.field, "why": found.why, "expected": found.expected, "found": found.found}
        return _json({"verdict": "differs", "difference": difference})
    match = found.match
    outcome = None if match.outcome is None else {"winners": list(match.outcome.winners), "reason": match.outcome.reason}
    about = {
        "matchId": match.match_id,
        "game": match.game,
        "steps": match.version,
        "status": match.status.value,
        "outcome": outcome,
        "seedCommitment": match.seed_commitment,
        "seedSource": match.seed_source.value,
        "clientSeeds": [{"seat": given.seat, "text": given.text} for given in found.client_seeds],
        "digest": found.digest,
    }
    return _json({"verdict": "verified", "match": about})


def unusable_document(why: str) -> str:
    """Say to a program that there is no verdict."""
    return _json({"verdict": "unusable", "why": why})


def _ending(found: Verified) -> str:
    outcome = found.match.outcome
    if outcome is None:
        return "abandoned"
    winners = ", ".join(map(str, outcome.winners))
    return f"{outcome.reason}, {f'won by seat {winners}' if winners else 'won by nobody'}"


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _json(content: Any) -> str:
    return json.dumps(content, indent=2)
