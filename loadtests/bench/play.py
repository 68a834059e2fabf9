"""PlayMatch as bytes: the streams of a match on one connection, and which move has had its answer."""

from collections.abc import Sequence
from typing import NamedTuple

from loadtests.bench.http2 import GrpcCall, Http2Connection
from loadtests.bench.matches import Answer, Fresh, play_by_grpc, watch_by_grpc

_PATH = "/umpire.v1.MatchService/PlayMatch"
_VERDICT, _QUESTION, _END = 1, 3, 4  # the fields that matter


class Turn(NamedTuple):
    """A move to be sent: by whom in which match, with what opens the streams of the match's seats."""

    match_id: str
    seat: int
    opens: dict[int, GrpcCall]
    move: bytes


def turns(match: Fresh, moves: list[Answer]) -> list[Turn]:
    """Build the moves of a match."""
    opens = {seat: watch_by_grpc(match, seat) for seat in match.credentials}
    return [Turn(match.match_id, move.seat, opens, play_by_grpc(move)) for move in moves]


class PlayConnection(Http2Connection):
    """A connection whose calls are moves. A move is answered once it has its verdict and the match has gone on: somebody is asked, or it is over."""

    def __init__(self, port: int) -> None:
        super().__init__(port, _PATH)
        self._streams: dict[tuple[str, int], int] = {}
        self._match_of: dict[int, str] = {}
        self._under_way: dict[str, tuple[int, bool, bool]] = {}
        self._key = 0

    def send(self, calls: Sequence[Turn]) -> list[int]:  # type: ignore[override]  # moves instead of calls
        """Send moves, opening the streams that they need; returns their keys."""
        keys = []
        for turn in calls:
            if (turn.match_id, turn.seat) not in self._streams:
                for seat, opening in turn.opens.items():
                    stream = self._streams[turn.match_id, seat] = self.open(opening)
                    self._match_of[stream] = turn.match_id
            self.say(self._streams[turn.match_id, turn.seat], turn.move)
            self._key += 1
            self._under_way[turn.match_id] = self._key, False, False
            keys.append(self._key)
        return keys

    def receive(self) -> list[int]:
        """Read what has come; returns the keys of the moves that were answered."""
        super().receive()
        done = []
        for stream, fields in self.take_messages():
            match_id = self._match_of[stream]
            key, was_judged, has_gone_on = self._under_way.get(match_id, (0, False, False))
            was_judged, has_gone_on = was_judged or _VERDICT in fields, has_gone_on or bool(fields & {_QUESTION, _END})
            if key and was_judged and has_gone_on:
                del self._under_way[match_id]
                done.append(key)
            elif key:
                self._under_way[match_id] = key, was_judged, has_gone_on
        return done
