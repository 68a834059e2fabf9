"""``umpire admin match snapshot``: what is stored of a match."""

import argparse
import sys
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from service.admin.access import Access
from service.admin.errors import AdminError
from service.admin.opening import Opened, open_match
from service.admin.plain import compact, document, plain, table
from service.admin.public_record import LEFT_OUT, public_record
from service.errors import SnapshotUnreadable


async def run(access: Access, options: argparse.Namespace) -> AsyncIterator[str]:
    """Write the document or its lines."""
    opened = await open_match(access, options.match)
    if options.reveal:
        sys.stderr.write("umpire: this shows the seed and every hidden card: whoever reads it must not play, and it belongs in no ticket\n")
        content = _everything(opened)
    else:
        content = _public(opened)
    for line in [document(content)] if options.json else table(("field", "value"), list(_flat("", content))):
        yield line


def _public(opened: Opened) -> dict[str, Any]:
    match = opened.match
    view = None if match is None or not match.dealt else plain(match.engine.view(match.state, 0))
    return public_record(opened) | {"format": opened.record.format, "view": view, "left_out": list(LEFT_OUT)}


def _everything(opened: Opened) -> dict[str, Any]:
    """Write the whole record; what its game cannot name here stands without names."""
    record, match = opened.record, opened.match
    content = {name: plain(getattr(record, name)) for name in record.__struct_fields__ if name not in {"options", "state"}}
    try:
        options = msgspec.msgpack.decode(record.options) if match is None else match.hosted.decode_options(record.options)
        state = msgspec.msgpack.decode(record.state) if match is None or not match.dealt else match.state
    except (msgspec.MsgspecError, SnapshotUnreadable) as error:
        raise AdminError("the record can be read, but not its state: see the match without --reveal") from error
    return {"revision": opened.revision} | content | {"options": plain(options), "state": plain(state)}


def _flat(path: str, value: Any) -> list[tuple[str, str]]:
    """List the leaves of a document, each with the path to it; a list of plain values is one leaf."""
    match value:
        case dict() if value:
            return [leaf for name, held in value.items() for leaf in _flat(f"{path}.{name}" if path else name, held)]
        case list() if any(isinstance(held, dict | list) for held in value):
            return [leaf for number, held in enumerate(value) for leaf in _flat(f"{path}[{number}]", held)]
        case str():
            return [(path, value)]
        case _:
            return [(path, compact(value))]
