"""From a match id to what is stored of it."""

from typing import NamedTuple

from service.admin.access import Access
from service.admin.errors import AdminError
from service.errors import NotFound, Unavailable
from service.matches.library import decode_snapshot
from service.matches.match import Match
from service.matches.record import Snapshot


class Opened(NamedTuple):
    """A stored match; ``size`` of its snapshot in bytes. ``match`` is None where its rules are not known here: the record can be read all the same."""

    revision: int
    size: int
    record: Snapshot
    match: Match | None


async def open_match(access: Access, match_id: str) -> Opened:
    """Read a match.

    Raises:
        NotFound: MATCH_NOT_FOUND.
        SnapshotUnreadable: what is stored is no match.
        StoreError: the store fails.
    """
    stored = await access.store.load(match_id)
    if stored is None:
        raise NotFound("MATCH_NOT_FOUND", f"there is no such match (any more) with the prefix {access.prefix}")
    record = decode_snapshot(match_id, stored.snapshot)
    try:
        match = Match(record, *access.library.host(record))
    except Unavailable:
        match = None
    return Opened(stored.revision, len(stored.snapshot), record, match)


def require_rules(opened: Opened) -> Match:
    """Return the match with its rules.

    Raises:
        AdminError: they are not known here, so what may be shown to whom is not known either.
    """
    if opened.match is None:
        record = opened.record
        raise AdminError(f"the match is of {record.game}, ruleset {record.ruleset}, card set {record.card_set}, as this release does not know them")
    return opened.match
