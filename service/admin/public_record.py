"""A match's record as anybody may see it, built field by field: what is forgotten here is missing, not shown.

The digest is a secret too: it covers what was drawn, so it tells which of a few cards that was. So is the digest of the creator's request, which covers
the seed. Of requests and client seeds it says that there are some.
"""

from typing import Any

from engines.kit.chance import commitment
from service.admin.opening import Opened
from service.admin.plain import instant, plain
from service.errors import SnapshotUnreadable
from service.matches.record import SeatRecord, Snapshot

LEFT_OUT = (
    "seed",
    "state",
    "digest",
    "create_request",
    "seats[].client_seed",
    "seats[].claim_request",
    "seats[].last_request.request_id",
    "seats[].last_request.body",
)
"""What a record holds and is not shown."""


def public_record(opened: Opened) -> dict[str, Any]:
    """Write a record without secrets, as a document."""
    record = opened.record
    return {
        "match_id": record.match_id,
        "game": record.game,
        "mode": record.mode,
        "status": record.status.value,
        "version": record.version,
        "revision": opened.revision,
        "outcome": plain(record.outcome),
        "ruleset": record.ruleset,
        "card_set": record.card_set,
        "card_set_digest": record.card_set_digest,
        "rules": "known here" if opened.match else "not known here",
        "seed_source": record.seed_source.value,
        "seed_commitment": commitment(record.seed),
        "hot_seat": record.hot_seat,
        "created": instant(record.created),
        "updated": instant(record.updated),
        "expires": instant(record.expires),
        "ttl_ms": record.ttl,
        "move_timeout_ms": record.move_timeout,
        "without_proof": record.without_proof,
        "seats": [_seat(number, seat) for number, seat in enumerate(record.seats, 1)],
        "decisions": _decisions(opened),
    }


def _seat(number: int, seat: SeatRecord) -> dict[str, Any]:
    last = seat.last_request
    return {
        "seat": number,
        "controller": seat.controller.value,
        "house_bot": seat.house_bot,
        "display_name": seat.display_name,
        "metadata": seat.metadata,
        "claimed": seat.claimed,
        "left": seat.left,
        "generation": seat.generation,
        "has_client_seed": bool(seat.client_seed),
        "remembers_claim": bool(seat.claim_request),
        "remembers_move": None if last is None else {"applied_version": last.applied_version, "last_version": last.last_version},
    }


def _decisions(opened: Opened) -> list[dict[str, Any]]:
    """List the open decisions; of a state that cannot be read, what the record says of them."""
    record = opened.record
    kinds = _kinds(opened)
    return [{"seat": held.seat, "decision_id": held.decision_id, "kind": kinds.get(held.decision_id, "")} for held in _in_order(record)]


def _in_order(record: Snapshot) -> list[Any]:
    return sorted(record.decisions, key=lambda held: held.seat)


def _kinds(opened: Opened) -> dict[int, str]:
    if opened.match is None:
        return {}
    try:
        return {held.decision_id: decision.kind for held, decision in opened.match.decisions()}
    except SnapshotUnreadable:
        return {}
