"""``umpire admin match show``: where a match stands, and what it takes up."""

import argparse
from collections.abc import AsyncIterator
from typing import Any

from service.admin.access import Access
from service.admin.opening import open_match
from service.admin.plain import document, span, table
from service.admin.public_record import public_record
from service.store.inspection import StoredKey, inspect_keys

_LISTED = ("seats", "decisions", "keys")


async def run(access: Access, options: argparse.Namespace) -> AsyncIterator[str]:
    """Write the document or its lines."""
    opened = await open_match(access, options.match)
    keys = await inspect_keys(access.address.url, access.prefix, options.match)
    content = public_record(opened) | {"snapshot_bytes": opened.size, "keys": [_key(key) for key in keys]}
    for line in [document(content)] if options.json else _lines(content):
        yield line


def _key(key: StoredKey) -> dict[str, Any]:
    return {"key": key.name, "type": key.type, "bytes": key.size, "ttl_ms": key.ttl_ms}


def _lines(content: dict[str, Any]) -> list[str]:
    outcome = content["outcome"]
    ended = None if outcome is None else f"{outcome['reason']}, winners {outcome['winners']}, scores {outcome['scores']}"
    values = {name: value for name, value in content.items() if name not in _LISTED}
    shown = values | {
        "outcome": ended or "none yet",
        "hot_seat": _yes(content["hot_seat"]),
        "ttl_ms": f"{content['ttl_ms']} ({span(content['ttl_ms'])} after the last step)",
        "move_timeout_ms": f"{content['move_timeout_ms']} ({span(content['move_timeout_ms'])} a decision)" if content["move_timeout_ms"] else "none",
        "without_proof": _yes(content["without_proof"]),
    }
    decisions = [(decision["seat"], decision["decision_id"], decision["kind"] or "unknown") for decision in content["decisions"]]
    keys = [
        (
            key["type"],
            "unknown" if key["bytes"] is None else key["bytes"],
            "for ever" if key["ttl_ms"] is None else span(key["ttl_ms"]),
            key["key"],
        )
        for key in content["keys"]
    ]
    return [
        *table(("field", "value"), list(shown.items())),
        "",
        *table(
            ("seat", "controller", "bot", "name", "claimed", "left", "generation", "client seed", "claim remembered", "move remembered"),
            map(_seat, content["seats"]),
        ),
        "",
        *(table(("seat", "decision", "kind"), decisions) if decisions else ["no open decision"]),
        "",
        *table(("type", "bytes", "time left", "key"), keys),
    ]


def _seat(seat: dict[str, Any]) -> tuple[object, ...]:
    return (
        seat["seat"],
        seat["controller"],
        seat["house_bot"] or "-",
        seat["display_name"] or "-",
        _yes(seat["claimed"]),
        _yes(seat["left"]),
        seat["generation"],
        _yes(seat["has_client_seed"]),
        _yes(seat["remembers_claim"]),
        "no" if seat["remembers_move"] is None else f"of version {seat['remembers_move']['applied_version']}",
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"
