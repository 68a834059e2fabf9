"""The users that Locust spawns. A process imports this only once gevent has patched it: see ``locustfile.py``."""

from typing import Any

from locust import User, constant, task
from locust.env import Environment

from loadtests.load.calling import Calls
from loadtests.load.doors import Door
from loadtests.load.grpc_door import GrpcDoor
from loadtests.load.lineups import Lineups
from loadtests.load.playing import Playing
from loadtests.load.rest_door import RestDoor
from loadtests.load.streaming import Streaming
from loadtests.load.table import Sit, Table
from loadtests.load.tally import Tally
from loadtests.load.target import Target
from loadtests.load.weights import Weights

_RUNNING = "running"


class Plan:
    """What all users of a process share: where they play, what, how often."""

    def __init__(self, target: Target, weights: Weights) -> None:
        self.target = target
        self.weights = weights
        self.tally = Tally()
        door = RestDoor(target)
        try:
            self.lineups = Lineups(door.list_games(), weights)
        finally:
            door.close()


class Player(User):
    """A user: plays one match after the other, all of their persons' seats."""

    abstract = True
    wait_time = constant(0)
    kind = ""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.plan: Plan = environment.umpire_plan  # type: ignore[attr-defined]
        self.calls = Calls(environment, self.plan.tally)
        self.grpc = GrpcDoor(self.plan.target)
        self.rest = RestDoor(self.plan.target)

    @task
    def play(self) -> None:
        """Play a match."""
        door: Door = self.rest if self.kind == "rest" else self.grpc
        Table(self.calls, door, (self.grpc, self.rest), self.plan.weights, self.sit(), self.goes_on).play(self.plan.lineups.draw())

    def on_stop(self) -> None:
        """Close the connections."""
        self.grpc.close()
        self.rest.close()

    def goes_on(self) -> bool:
        """Say whether this user shall still play: once it shall not, it leaves its match off and compares what it was told so far."""
        return self._state == _RUNNING

    def sit(self) -> Sit:
        """Return what makes the player of a seat."""
        made: Any = Streaming if self.kind == "stream" else Playing
        door = self.rest if self.kind == "rest" else self.grpc
        return lambda ledger, seat, credential: made(self.calls, door, ledger, seat, credential, self.plan.weights, self.goes_on)


class GrpcPlayer(Player):
    """Plays with ApplyMove over gRPC."""

    kind = "grpc"


class RestPlayer(Player):
    """Plays over REST."""

    kind = "rest"


class StreamPlayer(Player):
    """Plays with PlayMatch."""

    kind = "stream"


def players(weights: Weights) -> list[type[Player]]:
    """Give the kinds of users their weights; one that weighs nothing is left out."""
    chosen = [kind for kind in (GrpcPlayer, RestPlayer, StreamPlayer) if weights.users[kind.kind] > 0]
    for kind in chosen:
        kind.weight = weights.users[kind.kind]
    return chosen
