"""PlayMatch as bytes: the streams of a match on one connection, and which move has had its answer; and the same for the echo that tells both."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import uuid4

from loadtests.bench.http2 import GrpcCall, Http2Connection
from loadtests.bench.matches import Answer, Fresh, play_by_grpc, watch_by_grpc

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


def told_turns(call: GrpcCall, moves: int) -> list[Turn]:
    """Build as many messages for an echo that tells both of two streams."""
    table = uuid4().hex
    opens = {seat: GrpcCall(call.credential, table.encode()) for seat in (1, 2)}
    return [Turn(table, 1 + number % 2, opens, call.body) for number in range(moves)]


class PlayConnection(Http2Connection):
    """A connection whose calls are moves. A move is answered once it has its verdict and the match has gone on: somebody is asked, or it is over."""

    path = "/umpire.v1.MatchService/PlayMatch"

    def __init__(self, port: int) -> None:
        super().__init__(port, self.path)
        self._streams: dict[tuple[str, int], int] = {}
        self._match_of: dict[int, str] = {}
        self._under_way: dict[str, tuple[int, list[set[int]]]] = {}
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
            self._under_way[turn.match_id] = self._key, []
            keys.append(self._key)
        return keys

    def receive(self) -> list[int]:
        """Read what has come; returns the keys of the moves that were answered."""
        super().receive()
        done = []
        for stream, fields in self.take_messages():
            match_id = self._match_of[stream]
            if match_id not in self._under_way:
                continue  # what was said when the streams began
            key, heard = self._under_way[match_id]
            heard.append(fields)
            if self.is_answered(heard):
                del self._under_way[match_id]
                done.append(key)
        return done

    @staticmethod
    def is_answered(heard: list[set[int]]) -> bool:
        """Whether these messages, on all streams of the match, are the whole answer."""
        fields = set().union(*heard)
        return _VERDICT in fields and bool(fields & {_QUESTION, _END})


class TellConnection(PlayConnection):
    """The same for the echo: a message is answered once both streams have it."""

    path = "/bench.Echo/Tell"

    @staticmethod
    def is_answered(heard: list[set[int]]) -> bool:
        return len(heard) == 2
