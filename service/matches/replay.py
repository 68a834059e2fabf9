"""Playing a match again from its log: from its seed, with the moves and the times that were written down."""

import msgspec

from engines.kit.violation import NotAsked
from service.matches.library import Entry
from service.matches.match import Match
from service.matches.ports import NobodyAsks
from service.matches.record import nothing_dealt
from service.messages import Cause, MatchStatus


class NotToBeRepeated(Exception):
    """A step of a kind that nobody can take again from what the log says of it."""


def before_the_deal(match: Match) -> Match:
    """Make another match with the same seats, seed and options, nothing dealt."""
    record = msgspec.structs.replace(
        match.record,
        seats=[msgspec.structs.replace(seat, left=False) for seat in match.record.seats],
        updated=match.record.created,
        **nothing_dealt(),
    )
    again = Match(record, match.hosted, match.engine)
    again.observer = NobodyAsks()  # it may be played in another thread, and is no match of today
    return again


def repeat(match: Match, entry: Entry) -> Entry:
    """Take a step again and return what a log would say of it now. A default move is chosen anew, and all chance comes from the seed.

    Raises:
        NotToBeRepeated: the entry lacks its move, has one that its cause does not have, takes over what cannot be, or is of a cause unknown here.
        NotAsked, Violation: the seat cannot make the move; the match is then unchanged.
    """
    match entry.cause, entry.move:
        case Cause.SET_UP, None:
            match.deal(entry.time)
        case Cause.PERSON | Cause.BOT, move if move is not None:
            match.play(entry.seat, move, entry.cause, entry.time)
        case Cause.DEFAULT, move if move is not None:
            if match.decision_id(entry.seat) is None:
                raise NotAsked
            match.play_default(entry.seat, entry.time)
        case Cause.LEAVE, None:
            match.leave(entry.seat, entry.time)
        case Cause.ADMIN, None if match.is_persons(entry.seat) and match.record.status is MatchStatus.ACTIVE:
            match.take_over(entry.seat, entry.time)
        case _:
            raise NotToBeRepeated
    return match.entries[-1]
