"""ApplyMove over gRPC and REST against a bare grpc.aio echo, in one run: server CPU a call, and calls a CPU-second as a ratio to the echo's.

Bodies are prebuilt: a match of a fixed seed is played once and its moves written down; the same moves then fit every further match of that seed. The
driver is grpc.aio's client and plain sockets. h2load, which sends one body over and over, measures what can be asked again: the echo (as a check on the
driver) and GetMatch.

    python -m loadtests.apply_move [--rounds 3] [--in-flight 16] [--json FILE]
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import uvloop

from loadtests.processes import Echo, Umpire, cpu_seconds, pin

SEED = "42" * 32
WARM_UP = 1


class Cost(NamedTuple):
    """What a round cost: CPU µs a call of the server and of Redis, calls a second."""

    server: float
    redis: float
    rate: float


class Session:
    """A match, ready to be played by prebuilt bodies."""

    def __init__(self, http: str) -> None:
        created = post(f"{http}/v1/matches", {"game": "goldn_crash", "seats": [{}, {}], "seed": SEED})
        self.match_id: str = created["match"]["matchId"]
        self.credentials = {seat["seat"]: seat["credential"] for seat in created["seats"]}
        self.first = created["match"]["decisions"][0]


def post(url: str, body: dict[str, Any], credential: str = "") -> dict[str, Any]:
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {credential}"} if credential else {})
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


def record(http: str) -> list[tuple[int, int, str]]:
    """Play a match at random once; returns (seat, decision_id, move_id) of each move."""
    rng, session = random.Random(1), Session(http)
    decision, moves = session.first, []
    while decision:
        credential = session.credentials[decision["seat"]]
        request = urllib.request.Request(f"{http}/v1/matches/{session.match_id}/legal-moves", headers={"authorization": f"Bearer {credential}"})
        with urllib.request.urlopen(request) as answer:
            legal = json.load(answer)["legalMoves"]
        move = rng.choice(legal)["moveId"]
        moves.append((decision["seat"], decision["decisionId"], move))
        body = {"decisionId": decision["decisionId"], "moveId": move}
        played = post(f"{http}/v1/matches/{session.match_id}/moves", body, credential)
        opened = played["updates"][-1]["decisionsOpened"]
        decision = opened[0] if opened else None
    return moves


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def text_field(number: int, text: str) -> bytes:
    data = text.encode()
    return varint(number << 3 | 2) + varint(len(data)) + data


def grpc_calls(session: Session, moves: list[tuple[int, int, str]], *, lean: bool) -> list[tuple[bytes, tuple[tuple[str, str], ...]]]:
    """Prebuild ApplyMoveRequests, field by field as the contract numbers them, each with its metadata."""
    tail = b"\x38\x01\x40\x01" if lean else b""  # omit_view, omit_legal_moves
    calls = []
    for seat, decision, move in moves:
        body = text_field(1, session.match_id) + b"\x18" + varint(decision) + text_field(4, move) + text_field(6, f"r{decision}") + tail
        calls.append((body, (("authorization", f"Bearer {session.credentials[seat]}"),)))
    return calls


def http_calls(session: Session, moves: list[tuple[int, int, str]], *, lean: bool) -> list[bytes]:
    calls = []
    for seat, decision, move in moves:
        request = {"decisionId": decision, "moveId": move, "requestId": f"r{decision}"} | ({"omitView": True, "omitLegalMoves": True} if lean else {})
        body = json.dumps(request).encode()
        head = (
            f"POST /v1/matches/{session.match_id}/moves HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
            f"authorization: Bearer {session.credentials[seat]}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        calls.append(head.encode() + body)
    return calls


async def drive_grpc(address: str, path: str, sessions: list[list[Any]]) -> int:
    async with grpc.aio.insecure_channel(address) as channel:
        run = channel.unary_unary(path)

        async def play(calls: list[Any]) -> int:
            for body, metadata in calls:
                await run(body, metadata=metadata)
            return len(calls)

        return sum(await asyncio.gather(*map(play, sessions)))


async def drive_http(port: int, sessions: list[list[bytes]]) -> int:
    async def play(calls: list[bytes]) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for call in calls:
            writer.write(call)
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head)
            if not head.startswith(b"HTTP/1.1 200") or length is None:
                raise RuntimeError(head.decode())
            await reader.readexactly(int(length[1]))
        writer.close()
        return len(calls)

    return sum(await asyncio.gather(*map(play, sessions)))


def measure(drive: Callable[[], Awaitable[int]], server: int, redis: int = 0) -> Cost:
    """Run a drive once and read what it cost. It begins when its sessions are made."""
    before, redis_before, started = cpu_seconds(server), cpu_seconds(redis) if redis else 0.0, time.perf_counter()
    calls = uvloop.run(drive())  # type: ignore[arg-type]
    seconds = time.perf_counter() - started
    redis_used = cpu_seconds(redis) - redis_before if redis else 0.0
    return Cost((cpu_seconds(server) - before) / calls * 1e6, redis_used / calls * 1e6, calls / seconds)


def h2load(server: int, calls: int, *arguments: str) -> Cost:
    before = cpu_seconds(server)
    done = subprocess.run(["h2load", f"-n{calls}", *arguments], capture_output=True, text=True, check=True)
    rate = re.search(r"finished in .*?, ([\d.]+) req/s", done.stdout)
    if rate is None or f" {calls} succeeded" not in done.stdout:
        raise RuntimeError(done.stdout)
    return Cost((cpu_seconds(server) - before) / calls * 1e6, 0.0, float(rate[1]))


class Bench:
    """One run: everything in turn, round by round, so that what else the machine does falls on all alike."""

    def __init__(self, umpire: Umpire, echo: Echo, in_flight: int) -> None:
        self.umpire, self.echo, self.in_flight = umpire, echo, in_flight
        self.http = f"http://127.0.0.1:{umpire.http_port}"
        self.moves = record(self.http)
        self.costs: dict[str, list[Cost]] = {}

    def round(self) -> None:
        body, calls = b"x" * 120, len(self.moves)
        echo_calls = [[(body, (("authorization", "Bearer " + "x" * 200),))] * (4 * calls)] * self.in_flight
        self._add("echo, bare grpc.aio", measure(lambda: drive_grpc(f"127.0.0.1:{self.echo.port}", "/bench.Echo/Echo", echo_calls), self.echo.pid))
        for lean, what in ((False, "ApplyMove"), (True, "ApplyMove without view and moves")):
            grpc_sessions = [grpc_calls(Session(self.http), self.moves, lean=lean) for _ in range(4 * self.in_flight)]
            drive = self._in_turns(grpc_sessions, lambda part: drive_grpc(f"127.0.0.1:{self.umpire.grpc_port}", "/umpire.v1.MatchService/ApplyMove", part))
            self._add(f"{what}, gRPC", measure(drive, self.umpire.worker, self.umpire.redis))
            http_sessions = [http_calls(Session(self.http), self.moves, lean=lean) for _ in range(4 * self.in_flight)]
            drive = self._in_turns(http_sessions, lambda part: drive_http(self.umpire.http_port, part))
            self._add(f"{what}, REST", measure(drive, self.umpire.worker, self.umpire.redis))
        if shutil.which("h2load"):
            self._with_h2load(4 * calls * self.in_flight)

    def _in_turns(self, sessions: list[Any], drive: Callable[[list[Any]], Awaitable[int]]) -> Callable[[], Awaitable[int]]:
        parts = [sessions[at : at + self.in_flight] for at in range(0, len(sessions), self.in_flight)]

        async def run() -> int:
            return sum([await drive(part) for part in parts])

        return run

    def _with_h2load(self, calls: int) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"\0" + (120).to_bytes(4, "big") + b"x" * 120)
            file.flush()
            url = f"http://127.0.0.1:{self.echo.port}/bench.Echo/Echo"
            headers = ("-H", "content-type: application/grpc", "-H", "te: trailers", "-H", f"authorization: Bearer {'x' * 200}")
            self._add("echo, driven by h2load", h2load(self.echo.pid, calls, "-c1", f"-m{self.in_flight}", "-d", file.name, *headers, url))
        session = Session(self.http)
        url = f"{self.http}/v1/matches/{session.match_id}"
        headers = ("-H", f"authorization: Bearer {session.credentials[1]}")
        self._add("GetMatch, REST, driven by h2load", h2load(self.umpire.worker, calls, "--h1", f"-c{self.in_flight}", *headers, url))

    def _add(self, name: str, cost: Cost) -> None:
        self.costs.setdefault(name, []).append(cost)

    def table(self) -> list[dict[str, Any]]:
        """Medians over the rounds but the first; the ratio is taken within each round."""
        echo = [cost.server for cost in self.costs["echo, bare grpc.aio"][WARM_UP:]]
        rows = []
        for name, all_costs in self.costs.items():
            costs = all_costs[WARM_UP:]
            ratio = statistics.median(bare / cost.server for bare, cost in zip(echo, costs, strict=True))
            middle = [statistics.median(column) for column in zip(*costs, strict=True)]
            rows.append(
                {"what": name, "server_us": round(middle[0], 1), "redis_us": round(middle[1], 1), "per_second": round(middle[2]), "ratio": round(ratio, 2)}
            )
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        umpire, echo = Umpire(Path(folder)), Echo()
        try:
            pin(umpire.worker, 0)
            pin(echo.pid, 0)
            pin(umpire.redis, 1)
            pin(os.getpid(), 1)
            time.sleep(1)
            bench = Bench(umpire, echo, options.in_flight)
            for _ in range(WARM_UP + options.rounds):
                bench.round()
        finally:
            echo.stop()
            umpire.stop()
    rows = bench.table()
    print(f"{len(bench.moves)} moves a match, {options.in_flight} in flight, {options.rounds} rounds, medians;")
    print("x = calls a server-CPU-second relative to the bare echo\n")
    print(f"{'':38} {'server µs':>9} {'redis µs':>9} {'calls/s':>8} {'x':>6}")
    for row in rows:
        print(f"{row['what']:38} {row['server_us']:9} {row['redis_us']:9} {row['per_second']:8} {row['ratio']:6}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
