"""One match from its creation to the comparison of all that was told about it."""

import random
import uuid
from collections.abc import Callable, Sequence

import gevent

from loadtests.load.calling import Calls
from loadtests.load.doors import Door, NewMatch
from loadtests.load.ledger import PUBLIC, Ledger
from loadtests.load.playing import Playing
from loadtests.load.seen import Created, Refused, Step
from loadtests.load.streaming import Streaming
from loadtests.load.watching import Watching
from loadtests.load.weights import Weights

Seat = Playing | Streaming
Sit = Callable[[Ledger, int, str], Seat]

_LATE_S = 5.0


class Table:
    """Persons who play, spectators who watch. ``sit`` makes the player of a seat; spectators come through any of the doors."""

    def __init__(self, calls: Calls, door: Door, doors: Sequence[Door], weights: Weights, sit: Sit, goes_on: Callable[[], bool]) -> None:
        self._calls, self._door, self._doors, self._weights, self._sit, self._goes_on = calls, door, doors, weights, sit, goes_on
        self._spectators: list[Watching] = []

    def play(self, wanted: NewMatch) -> None:
        """Play one match, and find what is wrong with it."""
        request = str(uuid.uuid4())
        try:
            created = self._calls.make(self._door.name, "CreateMatch", lambda: self._door.create(wanted, request))
        except Refused:
            return
        ledger = Ledger(created.match_id)
        if random.random() < self._weights.spectator:
            self._watch(ledger, created)
        late = gevent.spawn_later(random.uniform(0, _LATE_S), self._watch, ledger, created) if random.random() < self._weights.late_spectator else None
        seats = [self._sit(ledger, seat, credential) for seat, credential in created.seats.items()]
        playing = [gevent.spawn(seat.play) for seat in seats]
        try:
            gevent.joinall(playing)
            if late is not None:
                late.kill()
            for failed in filter(None, (greenlet.exception for greenlet in playing)):
                raise failed  # a fault of these clients: Locust shows it
            self._judge(wanted, created, ledger, seats)
        finally:
            gevent.killall(playing, timeout=2)
            for watching in self._watchers(seats):
                watching.finish(is_finished=False)

    def _watch(self, ledger: Ledger, created: Created) -> None:
        self._spectators.append(Watching(self._calls, random.choice(self._doors), ledger, PUBLIC, created.spectator))

    def _watchers(self, seats: Sequence[Seat]) -> list[Watching]:
        return [*self._spectators, *(seat.watching for seat in seats if seat.watching is not None)]

    def _judge(self, wanted: NewMatch, created: Created, ledger: Ledger, seats: Sequence[Seat]) -> None:
        tally, name = self._calls.tally, f"{wanted.game} {created.mode}"
        try:
            _, ending = self._calls.make(self._door.name, "GetMatch", lambda: self._door.read(created.match_id, created.spectator))
            if ending:
                ledger.endings["GetMatch"] = ending
            watchers = self._watchers(seats)
            ledger.tellings += [watching.finish(is_finished=bool(ending)) for watching in watchers]
            histories = {viewer: self._history(created.match_id, credential) for viewer, credential in {PUBLIC: created.spectator, **created.seats}.items()}
        except Refused as refused:
            tally.unjudged.append(f"{created.match_id}: {refused.reason}")
            return
        tally.find(ledger.judge(histories))
        tally.checked["matches"] += 1
        tally.checked["moves"] += len(ledger.acknowledged)
        tally.checked["steps watched"] += sum(len(watching.steps) for watching in watchers)
        if ending:
            tally.finished[f"{name} {ending}"] += 1
        else:
            tally.unfinished[f"{name} {'failed' if any(seat.trouble for seat in seats) else 'left off'}"] += 1
        self._time(seats, watchers)

    def _history(self, match_id: str, credential: str) -> list[Step]:
        steps: list[Step] = []
        since = 0
        while True:
            page = self._calls.make(self._door.name, "ListEvents", lambda since=since: self._door.events(match_id, credential, since))
            steps += page.steps
            since = page.following
            if not since:
                return steps

    def _time(self, seats: Sequence[Seat], watchers: Sequence[Watching]) -> None:
        """Say how long moves took to their watchers."""
        sent = {version: at for seat in seats for version, at in seat.sent.items()}
        for watching in watchers:
            for version, at in watching.arrivals:
                if version in sent and sent[version] > watching.begun:  # what was before is caught up with
                    self._calls.record(watching.door, "watch, from a move to its watcher", at - sent[version])
