"""What happened and how it ended, in sentences."""

from collections.abc import Iterator

from umpire.v1.match_event_pb2 import MatchEvent
from umpire.v1.match_pb2 import Outcome, Update
from umpire_terminal.games.generic import Face
from umpire_terminal.voice import Voice, listed, sentence

UNKNOWN = "Something happened that this release does not know; the view is fetched again."


def tell(update: Update, face: Face, voice: Voice) -> Iterator[str]:
    """Tell a step of the match, a sentence an event."""
    for event in update.events:
        kind = event.WhichOneof("event")
        if kind == "match":
            yield _tell_match(event.match, voice) or UNKNOWN
        else:
            yield (face.tell(getattr(event, kind), voice) if kind else None) or UNKNOWN


def tell_outcome(outcome: Outcome, face: Face, voice: Voice) -> str:
    """Say who won, why, and with which scores."""
    if not outcome.winners:
        won = "A draw"
    elif list(outcome.winners) == [voice.me]:
        won = "You have won"
    else:
        won = f"{sentence(listed([voice.who(seat) for seat in outcome.winners]))} won"
    scores = listed([f"{voice.who(seat)} {score}" for seat, score in enumerate(outcome.scores, 1)])
    return f"{won}: {face.reason(outcome.reason)}.{f' {sentence(face.scores)}: {scores}.' if scores else ''}"


def _tell_match(event: MatchEvent, voice: Voice) -> str | None:
    match event.WhichOneof("event"):
        case "started":
            return f"The match begins, with {event.started.seats} {'seat' if event.started.seats == 1 else 'seats'}."
        case "timed_out":
            return f"{sentence(voice.who(event.timed_out.seat))} let the time pass, so the game chose:"
        case "left":
            return f"{sentence(voice.who(event.left.seat))} left the match for good."
        case "abandoned":
            return "Nobody is left at the table: the match was abandoned."
        case "taken_over":
            if event.taken_over.seat == voice.me:
                return "The creator has given your seat to somebody else: whoever had it is out."
            return f"The creator has given seat {event.taken_over.seat} to somebody else."
        case _:
            return None
