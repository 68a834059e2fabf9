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
            yield _tell_match(event.match) or UNKNOWN
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


def _tell_match(event: MatchEvent) -> str | None:
    match event.WhichOneof("event"):
        case "started":
            return f"The match begins, with {event.started.seats} {'seat' if event.started.seats == 1 else 'seats'}."
        case _:
            return None
