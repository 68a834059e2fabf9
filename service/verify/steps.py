"""A step of a proof: against its own log entry, against its replay, against the chain of digests."""

import base64
import binascii
from typing import Any

import msgspec
from msgspec import UNSET

from engines.kit.digest import chain
from engines.kit.violation import NotAsked, Violation
from service import messages
from service.matches.library import Entry, encode
from service.matches.match import Match
from service.matches.proof import present_proof_step
from service.matches.replay import NotToBeRepeated, repeat
from service.messages import Cause, Controller, MatchStatus
from service.verify.comparing import Difference, first_difference
from service.verify.proof_file import Trees


def check_step(match: Match, told: messages.ProofStep, tree: dict[str, Any], digest: bytes, trees: Trees) -> bytes:
    """Check the next step of a match and take it; ``tree`` is the step as the file has it, ``digest`` the chain's before it. Returns the chain's after it.

    Raises:
        Difference: in the first field that is not as it should be.
    """
    version = match.record.version + 1
    if told.version != version:
        raise Difference(version, "version", "the step is missing, or not in its place", expected=version, found=told.version)
    written, entry = _read_entry(match, told, version)
    if not _is_canonical(written, entry):
        raise Difference(version, "entry", "is not written as a log is: it holds more than it says, or says it in other bytes")
    try:
        shown = trees.of(present_proof_step(version, entry, written, b""))
    except ValueError as error:
        raise Difference(version, "entry", f"cannot be shown: {error}") from None
    _compare(version, "the step is not what its own log entry says", shown, tree)
    again = _repeat(match, entry, version)
    if again != entry:
        _compare(version, "the replay gives something else", trees.of(present_proof_step(version, again, written, b"")), tree)
        place = first_difference(_plain(again), _plain(entry), "entry")
        assert place is not None  # noqa: S101 - they are not equal
        raise Difference(version, place.path, "the replay gives something else", expected=place.expected, found=place.found)
    after = chain(digest, written)
    if told.digest != after.hex():
        raise Difference(version, "digest", "is not made of the digest before and of this entry", expected=after.hex(), found=told.digest)
    return after


def _read_entry(match: Match, told: messages.ProofStep, version: int) -> tuple[bytes, Entry]:
    try:
        written = base64.b64decode(told.entry, validate=True)
        return written, match.hosted.decode_entry(written)
    except (binascii.Error, msgspec.MsgspecError, ValueError) as error:
        raise Difference(version, "entry", f"cannot be read: {error}") from None


def _is_canonical(written: bytes, entry: Entry) -> bool:
    """Whether these are the only bytes for an entry, so that one history has one digest. An earlier release may have left out what it had no field for."""
    content = msgspec.msgpack.decode(written)
    return msgspec.msgpack.encode(content) == written and _begins(content, msgspec.msgpack.decode(encode(entry)))


def _begins(content: Any, whole: Any) -> bool:
    """Whether two trees are the same, but for fields at the end of arrays that the first does not have."""
    if isinstance(content, list) and isinstance(whole, list):
        return len(content) <= len(whole) and all(map(_begins, content, whole))
    if isinstance(content, dict) and isinstance(whole, dict):
        return content.keys() == whole.keys() and all(_begins(held, whole[name]) for name, held in content.items())
    return type(content) is type(whole) and bool(content == whole)


def _repeat(match: Match, entry: Entry, version: int) -> Entry:
    _require_its_turn(match, entry, version)
    try:
        return repeat(match, entry)
    except NotToBeRepeated:
        raise Difference(version, "cause", f"a step of the cause {entry.cause} does not look like this one") from None
    except NotAsked:
        raise Difference(version, "seat", f"seat {entry.seat} is not asked for anything here") from None
    except Violation as violation:
        raise Difference(version, "move", f"a rule forbids it: {violation.message} ({violation.code}, {violation.rule})") from None


def _require_its_turn(match: Match, entry: Entry, version: int) -> None:
    """Check that this kind of step may come now, for this seat."""
    record, cause = match.record, entry.cause
    if (cause is Cause.SET_UP) is not (version == 1):
        raise Difference(version, "cause", "the deal is the first step and no other", found=cause.value)
    if cause is Cause.SET_UP:
        if entry.seat:
            raise Difference(version, "seat", "the deal is nobody's step", expected=0, found=entry.seat)
        return
    if record.status is not MatchStatus.ACTIVE:
        raise Difference(version, "version", f"there is a step after the end, which was at version {record.version}")
    if not 1 <= entry.seat <= len(record.seats):
        raise Difference(version, "seat", "there is no such seat", found=entry.seat)
    seat = record.seats[entry.seat - 1]
    deadline = next((held.deadline for held in record.decisions if held.seat == entry.seat), 0)
    is_late = 0 < deadline <= entry.time
    expected = Controller.HOUSE_BOT if cause is Cause.BOT else Controller.PERSON
    if cause is not Cause.DEFAULT and seat.controller is not expected:
        raise Difference(version, "cause", f"seat {entry.seat} is played by {seat.controller}", found=cause.value)
    if cause in {Cause.PERSON, Cause.LEAVE} and seat.left:
        raise Difference(version, "cause", f"seat {entry.seat} had left", found=cause.value)
    if cause is Cause.PERSON and is_late:
        raise Difference(version, "time", "the deadline of the decision had passed")
    if cause is Cause.DEFAULT and not (is_late or seat.left):
        raise Difference(version, "cause", f"seat {entry.seat} had neither left nor let a deadline pass", found=cause.value)


def _compare(version: int, why: str, expected: dict[str, Any], found: dict[str, Any]) -> None:
    place = first_difference(expected | {"digest": found["digest"]}, found)
    if place is not None:
        raise Difference(version, place.path, why, expected=place.expected, found=place.found)


def _plain(value: Any) -> Any:
    """Write what stands in a log entry with its names, for all that a step does not show by itself: audiences, decisions."""
    match value:
        case msgspec.Struct():
            return {name: _plain(held) for name in type(value).__struct_fields__ if (held := getattr(value, name)) is not None and held is not UNSET}
        case dict():
            return {name: _plain(held) for name, held in value.items()}
        case tuple() | list():
            return [_plain(held) for held in value]
        case _:
            return value
