"""A little load through Envoy: matches of all games over all doors, with watchers, illegal moves, calls too late, and seats that let their time run out."""

import random
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import grpc
import httpx

from tests.deploy.envoy.gateway import Gateway
from tests.matchmaking import Played
from tests.serving import CALLERS, Caller, GrpcCaller, RestCaller

_PAUSE_S = 0.02
_MATCHES_AFTER_WHICH_ONE_IS_LEFT = 3


class Players:
    """Threads that play until they are told to stop. Faults are injected below them: what fails is tried again with another match."""

    def __init__(self, gateway: Gateway, games: list[str]) -> None:
        self.games = games
        self._gateway = gateway
        self._is_over = threading.Event()
        work: list[tuple[Callable[[Caller, int], None], str]] = [(self._play, name) for name in CALLERS] + [
            (self._wait, "rest"),
            (self._watch, "grpc"),
            (self._watch, "rest"),
        ]
        self._threads = [threading.Thread(target=self._run, args=(*one, seed), daemon=True) for seed, one in enumerate(work)]
        self._watched: Played | None = None
        self.unforeseen: list[str] = []

    def start(self) -> "Players":
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join(30)

    def _run(self, work: Callable[[Caller, int], None], transport: str, seed: int) -> None:
        while not self._is_over.is_set():
            caller = CALLERS[transport](self._gateway.address)
            try:
                while not self._is_over.is_set():
                    work(caller, seed)
                    seed += len(self._threads)
            except (Failed, httpx.TransportError, grpc.RpcError):
                time.sleep(10 * _PAUSE_S)
            except BaseException as error:  # noqa: BLE001 - a thread's errors are the test's
                self.unforeseen.append("".join(traceback.format_exception(error)))
                return
            finally:
                caller.close()

    def _play(self, caller: Caller, seed: int) -> None:
        rng = random.Random(seed)
        match = begun(caller, self.games[seed % len(self.games)])
        self._watched = match
        for number in range(10_000):
            if match.decision is None or self._is_over.is_set():
                return
            if number and seed % _MATCHES_AFTER_WHICH_ONE_IS_LEFT == 0:
                must(caller, "ResignSeat", match, match.asked)
                return
            listed = must(caller, "ListLegalMoves", match, match.asked, include_illegal=number < 10)
            if illegal := listed.get("illegalMoves"):
                check(match.apply(illegal[0]["moveId"]).code, "FAILED_PRECONDITION")
            decision, chosen = match.decision, rng.choice(listed["legalMoves"])["moveId"]
            answer = match.apply(chosen)
            check(answer.code, "OK")
            match.follow(answer.body)
            if number == 0:  # the same once more, too late
                request = {"match_id": match.match_id, "decision_id": decision["decisionId"], "move_id": chosen}
                check(caller.call("ApplyMove", request, match.credentials[decision["seat"]]).code, "ABORTED")
            time.sleep(_PAUSE_S)

    def _wait(self, caller: Caller, seed: int) -> None:
        """Let the game move for a seat that does not."""
        match = begun(caller, self.games[seed % len(self.games)], move_timeout="5s")
        deadline = time.monotonic() + 8
        while time.monotonic() < deadline and not self._is_over.is_set():
            must(caller, "GetMatch", match, match.spectator)
            time.sleep(10 * _PAUSE_S)

    def _watch(self, caller: Caller, _seed: int) -> None:
        """See what somebody plays, to its end."""
        match = self._watched
        if match is None:
            time.sleep(_PAUSE_S)
        elif isinstance(caller, RestCaller):
            headers, url = {"authorization": f"Bearer {match.spectator}"}, f"/v1/matches/{match.match_id}/events:watch"
            with caller.client.stream("GET", url, headers=headers, timeout=10) as answer:
                for _ in answer.iter_raw():
                    if self._is_over.is_set():
                        return
        elif isinstance(caller, GrpcCaller):
            request = caller.message("WatchMatch", "request")(match_id=match.match_id)
            run = caller.channel.unary_stream(caller.rpc("WatchMatch").path)
            for _ in run(request.SerializeToString(), metadata=(("authorization", f"Bearer {match.spectator}"),), timeout=20):
                if self._is_over.is_set():
                    return


class Failed(Exception):
    """An answer that a fault explains."""


_EXPLAINED = {"UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "CANCELLED", "DATA_LOSS", "UNKNOWN"}


def check(code: str, wanted: str) -> None:
    """Make sure of an answer's code."""
    if code in _EXPLAINED - {wanted}:
        raise Failed(code)
    assert code == wanted


def begun(caller: Caller, game: str, **wanted: object) -> Played:
    answer = caller.call("CreateMatch", {"game": game, "seats": [{}, {}]} | wanted)
    check(answer.code, "OK")
    return Played(caller, answer.body)


def must(caller: Caller, method: str, match: Played, credential: str, **more: object) -> dict[str, Any]:
    answer = caller.call(method, {"match_id": match.match_id} | more, credential)
    check(answer.code, "OK")
    return answer.body
