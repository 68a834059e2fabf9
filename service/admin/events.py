"""``umpire admin match events``: a match's log, as somebody may see it."""

import argparse
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from engines.kit.notation import write_move
from service.admin.access import Access
from service.admin.errors import AdminError
from service.admin.opening import open_match, require_rules
from service.admin.plain import compact, instant, plain, table
from service.matches.access import PUBLIC
from service.matches.library import Entry
from service.matches.match import Match
from service.matches.ports import NobodyAsks
from service.matches.present import present_updates
from service.matches.repository import Repository

_PAGE = 500


async def run(access: Access, options: argparse.Namespace) -> AsyncIterator[str]:
    """Write a JSON line a step, or a table."""
    opened = await open_match(access, options.match)
    match = require_rules(opened)
    record = match.record
    if options.seat > len(record.seats):
        raise AdminError(f"--seat: the match has {len(record.seats)} seats", status=2)
    if options.since > record.version:
        raise AdminError(f"--since: the match is at version {record.version}", status=2)
    if options.all or options.seat != PUBLIC:
        whose = "every hidden card" if options.all else f"what only seat {options.seat} may know"
        sys.stderr.write(f"umpire: this shows {whose}: whoever reads it must not play, and it belongs in no ticket\n")
    steps = [
        _everything(version, entry) if options.all else _seen(version, entry, options.seat) async for version, entry in _entries(access, match, options.since)
    ]
    for line in map(compact, steps) if options.json else _lines(steps):
        yield line


async def _entries(access: Access, match: Match, since: int) -> AsyncIterator[tuple[int, Entry]]:
    repository = Repository(access.store, access.library, NobodyAsks())  # reading for an operator is no traffic
    while page := await repository.entries(match, since, _PAGE):
        for step in page:
            yield step
        since = page[-1][0]


def _seen(version: int, entry: Entry, viewer: int) -> dict[str, Any]:
    """Write a step as the service itself would show it to this viewer, with its time."""
    (update,) = present_updates([(version, entry)], viewer)
    return {"version": version, "time": instant(entry.time)} | {name: value for name, value in plain(update).items() if name != "version"}


def _everything(version: int, entry: Entry) -> dict[str, Any]:
    return {
        "version": version,
        "time": instant(entry.time),
        "cause": entry.cause.value,
        "seat": entry.seat,
        "move": None if entry.move is None else write_move(entry.move),
        "draws": plain(entry.draws),
        "events": [{"event": plain(one.event), "seats": plain(one.seats), "private": plain(one.private)} for one in entry.events],
        "decisions_opened": [{"decision_id": version} | plain(opened) for opened in entry.opened],
        "decisions_closed": plain(entry.closed),
    }


def _lines(steps: list[dict[str, Any]]) -> list[str]:
    is_whole = any("draws" in step for step in steps)  # only then an audience is said: else everything is for whoever was asked for
    rows = []
    for step in steps:
        for what, whom, details in _happened(step):
            rows.append((step["version"], step["time"], step["cause"], step["seat"] or "-", what, *([whom] if is_whole else []), details))
    return table(("version", "time", "cause", "seat", "what", *(["for"] if is_whole else []), "details"), rows)


def _happened(step: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """List what happened in a step: what it was, whom it is for, its details."""
    if step.get("move"):
        yield "move", "nobody", step["move"]
    for draw in step.get("draws", ()):
        yield "draw", "nobody", f"{draw['name']}: {compact(draw['results'])}"
    for told in step["events"]:
        event = told["event"] if "draws" in step else told
        yield event["type"], _audience(told) if "draws" in step else "", _details(event)
    for closed in step["decisions_closed"]:
        yield "decision closed", "all", f"seat {closed['seat']}, decision {closed['decision_id']}"
    for opened in step["decisions_opened"]:
        yield "decision opened", "all", f"seat {opened['seat']}, decision {opened['decision_id']}, {opened['kind']} {_details(opened['question'])}".rstrip()


def _details(fields: dict[str, Any]) -> str:
    return " ".join(f"{name}={value if isinstance(value, str) else compact(value)}" for name, value in fields.items() if name != "type")


def _audience(emitted: dict[str, Any]) -> str:
    whom = "all" if emitted["seats"] is None else f"seats {_numbers(emitted['seats'])}"
    return "; ".join([whom, *(f"{field} only {_numbers(seats) or 'nobody'}" for field, seats in emitted["private"].items())])


def _numbers(seats: list[int]) -> str:
    return ",".join(map(str, seats))
