"""A worker is told to stop under load, as in every release: bots of the Python client do not notice, and no move is played twice."""

import signal
import threading
import time

from tests.serving import API_KEY, Serving
from umpire.v1.match_pb2 import CAUSE_PERSON
from umpire_client import Bot, Client, CreatedMatch, Position, house_bot, person

BOTS = 24
STOPS = 4


class Recording(Bot):
    """Plays at random, and remembers what it has answered."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: list[int] = []

    def choose(self, position: Position) -> str:
        self.answered.append(position.decision.decision_id)
        return position.rng.choice(position.legal_moves).move_id


class Table(threading.Thread):
    """Plays match after match against a house bot, until it is told to stop; keeps what its bots did, and the error that ended it."""

    def __init__(self, client: Client, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.played: list[tuple[CreatedMatch, Recording]] = []
        self.died: BaseException | None = None
        self._client = client
        self._over = stop

    def run(self) -> None:
        try:
            while not self._over.is_set():
                bot = Recording()
                created = self._client.create_match("goldn_crash", [person(), house_bot("random")])
                created.seats[1].play(bot)
                self.played.append((created, bot))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
            self.died = error


def test_no_bot_dies_of_a_worker_that_stops_and_every_move_is_played_once(served: Serving) -> None:
    stop = threading.Event()
    with Client(served.grpc, api_key=API_KEY) as client:
        tables = [Table(client, stop) for _ in range(BOTS)]
        for table in tables:
            table.start()
        for number in range(STOPS):  # all bots share a connection: by turns, so that it is surely the worker that they are at
            time.sleep(0.5)
            victim = served.processes[number % 2]
            victim.send_signal(signal.SIGTERM)
            assert victim.wait(30) == 0
            served.processes[number % 2] = served.start_worker(number % 2)
            served.wait_until_ready()
        stop.set()
        for table in tables:
            table.join(60)
            assert not table.is_alive()
        assert [table.died for table in tables] == [None] * BOTS
        assert sum(len(table.played) for table in tables) >= BOTS
        for created, bot in (one for table in tables for one in table.played):
            updates = list(created.spectator.events())
            assert [update.version for update in updates] == list(range(1, len(updates) + 1))
            closed = [one.decision_id for update in updates for one in update.decisions_closed]
            assert len(closed) == len(set(closed))
            mine = [update.decisions_closed[0].decision_id for update in updates if update.cause == CAUSE_PERSON]
            assert mine == bot.answered
