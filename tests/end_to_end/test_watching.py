"""Watching a match and playing it over one stream: each step once and in order, as ListEvents tells it to the same viewer.

Long, since watching and playing share what they are watched with.
"""

import contextlib
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import httpx
import msgspec
import pytest
from google.rpc import error_details_pb2, status_pb2
from redis import Redis

from service.matches.record import Snapshot
from service.private_redis import PrivateRedis
from tests.matchmaking import Played, at_random, create
from tests.serving import GrpcCaller, Serving, to_dict

Watch = Callable[..., Iterator[dict[str, Any]]]
"""Watches a match with a credential; gives the messages as JSON, and raises Broken at a refusal."""


class Broken(Exception):
    """The stream was refused or broke off, for this reason."""


@pytest.fixture(scope="module")
def live(redis_server: PrivateRedis) -> Iterator[Serving]:
    running = Serving(redis_server.url, heartbeat="1").start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def caller(live: Serving) -> Iterator[GrpcCaller]:
    made = GrpcCaller(live)
    yield made
    made.close()


@pytest.fixture(params=["grpc", "sse"])
def watch(request: pytest.FixtureRequest, live: Serving, caller: GrpcCaller) -> Watch:
    return {"grpc": lambda *args, **more: over_grpc(caller, *args, **more), "sse": lambda *args, **more: over_sse(live, *args, **more)}[request.param]


def over_grpc(caller: GrpcCaller, match_id: str, credential: str, channel: grpc.Channel | None = None, **wanted: Any) -> Iterator[dict[str, Any]]:
    request = caller.message("WatchMatch", "request")(match_id=match_id, **wanted)
    run = (channel or caller.channel).unary_stream(caller.rpc("WatchMatch").path)
    stream = run(request.SerializeToString(), metadata=(("authorization", f"Bearer {credential}"),), timeout=60)
    try:
        for data in stream:
            yield to_dict(caller.message("WatchMatch", "response").FromString(data))
    except grpc.RpcError as error:
        if error.code() is grpc.StatusCode.CANCELLED:
            return
        raise Broken(reason_of(error)) from None
    finally:
        stream.cancel()


def reason_of(error: Any) -> str:
    data = next(value for key, value in error.trailing_metadata() if key == "grpc-status-details-bin")
    info = error_details_pb2.ErrorInfo()
    status_pb2.Status.FromString(data).details[0].Unpack(info)
    return str(info.reason)


def over_sse(live: Serving, match_id: str, credential: str, **wanted: Any) -> Iterator[dict[str, Any]]:
    query = {name: json.dumps(value) for name, value in wanted.items()}
    url = f"{live.http}/v1/matches/{match_id}/events:watch"
    with httpx.stream("GET", url, params=query, headers={"authorization": f"Bearer {credential}"}, timeout=60) as answer:
        if answer.status_code != 200:
            answer.read()
            raise Broken(answer.json()["details"][0]["reason"])
        assert answer.headers["content-type"].startswith("text/event-stream")
        fields: dict[str, str] = {}
        for line in answer.iter_lines():
            if line.startswith(":"):
                yield {"heartbeat": True}
            elif line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif fields:
                message = json.loads(fields["data"])
                if fields.get("event") == "error":
                    raise Broken(message["details"][0]["reason"])
                assert int(fields["id"]) == message["version"]
                yield message
                fields = {}


def updates_of(messages: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message["update"] for message in messages if message.get("update")]


def listed(match: Played, credential: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        page = match.must("ListEvents", credential, since_version=len(found), page_size=500)
        found += page["updates"]
        if not page["nextSinceVersion"]:
            return found


def test_whoever_watches_from_the_beginning_sees_what_list_events_tells_them_and_no_more(watch: Watch, caller: GrpcCaller) -> None:
    match = create(caller)
    viewers = [match.credentials[1], match.credentials[2], match.spectator]
    seen: dict[str, list[dict[str, Any]]] = {}
    threads = [
        threading.Thread(target=lambda viewer=viewer: seen.__setitem__(viewer, updates_of(watch(match.match_id, viewer, since_version=0))))
        for viewer in viewers
    ]
    for thread in threads:
        thread.start()
    match.play_out(at_random(3))
    for thread in threads:
        thread.join(60)
    for viewer in viewers:
        assert seen[viewer] == listed(match, viewer)
        assert [update["version"] for update in seen[viewer]] == list(range(1, match.version + 1))
    assert seen[viewers[0]] != seen[viewers[2]], "a seat is told more than a spectator"


def test_without_a_version_the_match_comes_first_and_then_its_steps(watch: Watch, caller: GrpcCaller) -> None:
    match = create(caller)
    match.play("draw")
    stream = watch(match.match_id, match.credentials[1], with_view=True)
    first = next(message for message in stream if not message.get("heartbeat"))
    now = match.view(match.credentials[1])
    assert first["match"] == now
    match.play("draw")
    message = next(one for one in stream if one.get("update"))
    assert (message["version"], message["update"]["version"]) == (3, 3)
    assert message["view"] == match.view(match.credentials[1])["view"]


def test_a_watcher_that_comes_back_at_random_versions_misses_and_repeats_nothing(watch: Watch, caller: GrpcCaller) -> None:
    rng = random.Random(5)
    for number in range(4):
        match = create(caller)
        player = threading.Thread(target=match.play_out, args=(at_random(number),))
        player.start()
        seen: list[dict[str, Any]] = []
        is_over = False
        while not is_over:
            patience, is_over = rng.randint(1, 40), True
            for message in watch(match.match_id, match.spectator, since_version=len(seen)):
                if message.get("update"):
                    seen.append(message["update"])
                    patience -= 1
                if not patience:
                    is_over = False
                    break
        player.join(60)
        assert seen == listed(match, match.spectator)


def test_the_last_step_brings_the_outcome_and_ends_the_stream(watch: Watch, caller: GrpcCaller) -> None:
    match = create(caller)
    match.must("ResignSeat", match.credentials[1])
    messages = [message for message in watch(match.match_id, match.credentials[2], since_version=1) if message.get("update")]
    assert len(messages) == 1
    assert messages[0]["outcome"]["reason"] == "RESIGNATION"


def test_an_idle_stream_has_heartbeats(watch: Watch, caller: GrpcCaller) -> None:
    match = create(caller)
    stream = watch(match.match_id, match.spectator, since_version=1)
    quiet = [next(stream) for _ in range(3)]
    assert not any(message.get("update") or message.get("match") for message in quiet)


def test_a_version_ahead_is_refused(watch: Watch, caller: GrpcCaller) -> None:
    match = create(caller)
    with pytest.raises(Broken, match="VERSION_AHEAD"):
        list(watch(match.match_id, match.spectator, since_version=2))


def test_a_credential_for_another_match_is_refused(watch: Watch, caller: GrpcCaller) -> None:
    with pytest.raises(Broken, match="WRONG_MATCH"):
        list(watch(create(caller).match_id, create(caller).spectator))


def test_a_match_that_is_deleted_ends_the_stream_with_its_reason(watch: Watch, caller: GrpcCaller) -> None:
    match = create(caller)
    stream = watch(match.match_id, match.spectator, since_version=0)
    assert next(message for message in stream if message.get("update"))["version"] == 1
    match.must("DeleteMatch", match.creator)
    with pytest.raises(Broken, match="MATCH_NOT_FOUND"):
        list(stream)


@contextlib.contextmanager
def expiring(match: Played, redis_server: PrivateRedis) -> Iterator[None]:
    """The last moments of a match; after them its time is up."""
    with Redis.from_url(redis_server.url) as redis:
        keys = list(redis.scan_iter(f"*{match.match_id}*", count=1000))
        (held,) = (key for key in keys if b":match:" in key)
        record = msgspec.msgpack.decode(redis.hget(held, "s"), type=Snapshot)
        record.updated -= 61_000  # a minute has gone by
        redis.hset(held, mapping={"s": msgspec.msgpack.encode(record), "r": int(redis.hget(held, "r")) + 1})
        yield
        for key in keys:
            redis.pexpire(key, 1)


def test_a_match_that_expires_ends_the_stream_with_its_reason(watch: Watch, caller: GrpcCaller, redis_server: PrivateRedis) -> None:
    match = create(caller, ttl="60s")
    with expiring(match, redis_server):
        stream = watch(match.match_id, match.spectator, since_version=0)
        assert next(message for message in stream if message.get("update"))["version"] == 1
    with pytest.raises(Broken, match="MATCH_EXPIRED"):
        list(stream)


def test_a_match_that_expires_ends_who_plays_it_over_a_stream_with_the_same_reason(caller: GrpcCaller, redis_server: PrivateRedis) -> None:
    match = create(caller, ttl="60s")
    assert match.decision is not None
    with expiring(match, redis_server):
        streams = [iter(Stream(caller, match, seat)) for seat in (match.decision["seat"], 3 - match.decision["seat"])]
        for stream in streams:
            assert next(stream)["updates"][0]["version"] == 1
    for stream in streams:
        with pytest.raises(grpc.RpcError) as ended:
            list(stream)
        assert (ended.value.code(), reason_of(ended.value)) == (grpc.StatusCode.NOT_FOUND, "MATCH_EXPIRED")


def test_a_seat_given_anew_ends_the_stream_of_who_had_it(watch: Watch, caller: GrpcCaller) -> None:
    match = create(caller)
    stream = watch(match.match_id, match.credentials[1], since_version=0)
    assert next(message for message in stream if message.get("update"))["version"] == 1
    match.must("RenewInvite", match.creator, seat=1)
    with pytest.raises(Broken, match="CREDENTIAL_INVALID"):
        list(stream)


class Stream:
    """A PlayMatch stream of one seat."""

    def __init__(self, caller: GrpcCaller, match: Played, seat: int, since_version: int = 0) -> None:
        self._make = caller.message("PlayMatch", "request")
        self._read = caller.message("PlayMatch", "response")
        self._out: list[Any] = [self._make(open={"match_id": match.match_id, "since_version": since_version})]
        self._more = threading.Condition()
        run = caller.channel.stream_stream(caller.rpc("PlayMatch").path)
        self._stream = run(self._requests(), metadata=(("authorization", f"Bearer {match.credentials[seat]}"),), timeout=60)

    def say(self, **move: Any) -> None:
        with self._more:
            self._out.append(self._make(move=move))
            self._more.notify()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for data in self._stream:
            yield to_dict(self._read.FromString(data))

    def close(self) -> None:
        self._stream.cancel()

    def _requests(self) -> Iterator[bytes]:
        at = 0
        while True:
            with self._more:
                if at == len(self._out) and not self._more.wait(60):
                    return
                request = self._out[at]
            at += 1
            yield request.SerializeToString()


def test_a_stream_that_never_says_who_it_is_for_is_ended(live: Serving, caller: GrpcCaller) -> None:
    opened = threading.Event()  # never
    silent = caller.channel.stream_stream(caller.rpc("PlayMatch").path)(
        iter(opened.wait, True), metadata=(("authorization", f"Bearer {create(caller).credentials[1]}"),), timeout=60
    )
    with pytest.raises(grpc.RpcError) as refused:
        next(silent)
    opened.set()
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(refused.value) == "INVALID_REQUEST"


def test_two_seats_play_a_whole_match_each_over_one_stream(caller: GrpcCaller) -> None:
    match = create(caller)
    seen: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
    ends: dict[int, dict[str, Any]] = {}

    def play(seat: int) -> None:
        rng, stream = random.Random(seat), Stream(caller, match, seat)
        for message in stream:
            seen[seat] += message["updates"]
            if "verdict" in message:
                assert "refusal" not in message["verdict"], message
            if "question" in message:
                question = message["question"]
                assert question["version"] == seen[seat][-1]["version"], "a question comes after all steps up to it"
                stream.say(
                    decision_id=question["decision"]["decisionId"], move_id=rng.choice(question["legalMoves"])["moveId"], request_id=str(len(seen[seat]))
                )
            if "end" in message:
                ends[seat] = message["end"]

    players = [threading.Thread(target=play, args=(seat,)) for seat in (1, 2)]
    for player in players:
        player.start()
    for player in players:
        player.join(100)
    for seat in (1, 2):
        assert seen[seat] == listed(match, match.credentials[seat])
        assert ends[seat]["status"] == "MATCH_STATUS_FINISHED"


def test_what_there_is_to_say_at_a_time_comes_in_one_message(caller: GrpcCaller) -> None:
    match = create(caller)
    assert match.decision is not None
    asked, other = match.decision["seat"], 3 - match.decision["seat"]
    playing, waiting = Stream(caller, match, asked), Stream(caller, match, other)
    said, heard = iter(playing), iter(waiting)
    first = next(said)
    assert ([update["version"] for update in first["updates"]], first["question"]["version"], "verdict" in first) == ([1], 1, False)
    assert [update["version"] for update in next(heard)["updates"]] == [1]
    playing.say(decision_id=1, move_id="draw", request_id="a")
    answer = next(one for one in said if one.keys() - {"updates"} or one["updates"])  # all but heartbeats
    assert answer["verdict"]["appliedVersion"] == 2
    assert [update["version"] for update in answer["updates"]] == [2]
    assert answer["question"]["decision"]["decisionId"] == 2, "Gold'n Crash: a turn has two actions"
    told = next(one for one in heard if one["updates"])
    assert ([update["version"] for update in told["updates"]], told.keys()) == ([2], {"updates"})
    playing.close()
    waiting.close()


def test_a_refused_move_gets_its_reason_and_the_stream_goes_on(caller: GrpcCaller) -> None:
    match = create(caller)
    assert match.decision is not None
    stream = Stream(caller, match, match.decision["seat"])
    messages = iter(stream)
    assert next(one for one in messages if "question" in one)["question"]["decision"]["decisionId"] == 1
    for move, reason in (
        ({"decision_id": 1, "move_id": "play_card(card=GOLD_4,column=4)", "request_id": "a"}, "ILLEGAL_MOVE"),
        ({"decision_id": 9, "move_id": "draw", "request_id": "b"}, "DECISION_CLOSED"),
        ({"decision_id": 1, "move_id": "no move", "request_id": "c"}, "INVALID_REQUEST"),
        ({"decision_id": 1, "request_id": "d"}, "INVALID_REQUEST"),
        ({"decision_id": 1, "move_id": "draw", "request_id": "no id"}, "INVALID_REQUEST"),
        ({"decision_id": 1, "move": {"monster_mash_up": {"panic": {}}}, "request_id": "f"}, "INVALID_REQUEST"),
    ):
        stream.say(**move)
        verdict = next(one for one in messages if "verdict" in one)["verdict"]
        assert (verdict["requestId"], verdict["appliedVersion"], verdict["refusal"]["reason"]) == (move["request_id"], 0, reason)
        if reason == "ILLEGAL_MOVE":
            assert verdict["refusal"]["violation"]["rule"] == "COL-1"
    stream.say(decision_id=1, move_id="draw", request_id="e")
    assert next(one for one in messages if "verdict" in one)["verdict"]["appliedVersion"] == 2
    stream.close()


@pytest.mark.parametrize(
    "move",
    [
        {"decision_id": 1},
        {"move_id": "draw"},
        {"decision_id": 1, "move_id": "fly"},
        {"decision_id": 1, "move_id": "draw", "request_id": "no id"},
        {"decision_id": 1, "move": {}},
        {"decision_id": 1, "move": {"monster_mash_up": {"panic": {}}}},
        {"decision_id": 1, "move": {"goldn_crash": {"play_card": {"card": "GOLD_4"}}}},
        {"decision_id": 9, "move_id": "draw"},
        {"decision_id": 1, "move_id": "play_card(card=GOLD_4,column=4)"},
    ],
)
def test_a_move_is_refused_as_apply_move_refuses_it(caller: GrpcCaller, move: dict[str, Any]) -> None:
    match = create(caller)
    assert match.decision is not None
    refused = caller.call("ApplyMove", {"match_id": match.match_id, **move}, match.asked)
    stream = Stream(caller, match, match.decision["seat"])
    stream.say(**move)
    refusal = next(one for one in stream if "verdict" in one)["verdict"]["refusal"]
    assert (grpc.StatusCode[refused.code].value[0], refused.reason, refused.message) == (refusal["code"], refusal["reason"], refusal["message"])
    stream.close()


def test_a_move_repeated_by_apply_move_or_on_another_stream_is_made_once(caller: GrpcCaller) -> None:
    match = create(caller)
    assert match.decision is not None
    seat, move = match.decision["seat"], {"decision_id": 1, "move_id": "draw", "request_id": "once"}
    for _ in range(2):
        stream = Stream(caller, match, seat)
        stream.say(**move)
        assert next(one for one in stream if "verdict" in one)["verdict"]["appliedVersion"] == 2
        stream.close()
    answer = caller.call("ApplyMove", {"match_id": match.match_id, **move}, match.credentials[seat])
    assert answer.body["appliedVersion"] == 2
    assert match.view(match.spectator)["version"] == 2


def too_slow(live: Serving) -> int:
    text = httpx.get(f"http://127.0.0.1:{live.ops_ports[0]}/metrics").text
    return int(float(next(line.split()[-1] for line in text.splitlines() if line.startswith("umpire_watchers_too_slow_total"))))


def until_too_slow(live: Serving, before: int) -> None:
    deadline = time.monotonic() + 60
    while too_slow(live) == before:
        assert time.monotonic() < deadline, "it is still waited for"
        time.sleep(0.1)


def test_who_does_not_read_over_http_is_cut_off_and_can_resume(live: Serving, caller: GrpcCaller) -> None:
    match, before = create(caller), too_slow(live)
    path = f"/v1/matches/{match.match_id}/events:watch?sinceVersion=0&withView=true"
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", live.http_port))
        connection.settimeout(30)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {match.credentials[1]}\r\n\r\n".encode())
        match.play_out(at_random(1))
        until_too_slow(live, before)
        received = b""
        with contextlib.suppress(ConnectionError):
            while more := connection.recv(1 << 16):
                received += more
    ids = [int(line.partition(b": ")[2]) for line in received.split(b"\n") if line.startswith(b"id: ")]
    assert ids == list(range(1, len(ids) + 1))
    assert len(ids) < match.version
    rest = updates_of(over_sse(live, match.match_id, match.credentials[1], since_version=len(ids)))
    assert rest == listed(match, match.credentials[1])[len(ids) :]


def test_who_does_not_read_over_grpc_is_cut_off_with_a_reason_and_can_resume(live: Serving, caller: GrpcCaller) -> None:
    match, before = create(caller), too_slow(live)
    little = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 4096), ("grpc.use_local_subchannel_pool", 1)]
    seen: list[int] = []
    with grpc.insecure_channel(live.grpc, options=little) as channel:
        stream = over_grpc(caller, match.match_id, match.credentials[1], channel, since_version=0, with_view=True)
        seen.append(next(stream)["version"])
        match.play_out(at_random(1))
        until_too_slow(live, before)
        with pytest.raises(Broken, match="WATCHER_TOO_SLOW"):
            seen.extend(message["version"] for message in stream)
    assert seen == list(range(1, len(seen) + 1))
    assert updates_of(over_grpc(caller, match.match_id, match.spectator, since_version=len(seen))) == listed(match, match.spectator)[len(seen) :]


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Write a frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def test_who_has_no_room_for_the_first_message_over_grpc_is_cut_off_too(live: Serving, caller: GrpcCaller) -> None:
    match, before = create(caller), too_slow(live)
    headers = {
        ":method": "POST",
        ":scheme": "http",
        ":path": "/umpire.v1.MatchService/WatchMatch",
        ":authority": "x",
        "content-type": "application/grpc",
        "te": "trailers",
        "authorization": f"Bearer {match.spectator}",
    }
    block = b"".join(b"\x00" + _string(name) + _string(value) for name, value in headers.items())
    asked = caller.message("WatchMatch", "request")(match_id=match.match_id).SerializeToString()
    no_room = frame(4, 0, 0, b"\x00\x04" + bytes(4))
    call = frame(1, 4, 1, block) + frame(0, 1, 1, b"\x00" + len(asked).to_bytes(4, "big") + asked)
    with socket.create_connection(("127.0.0.1", live.grpc_port), timeout=10) as connection, connection.makefile("rb") as received:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + no_room + call)
        until_too_slow(live, before)
        connection.sendall(frame(8, 0, 1, (1 << 16).to_bytes(4, "big")))  # now there is
        is_over = False
        while not is_over:
            head = received.read(9)
            received.read(int.from_bytes(head[:3], "big"))
            is_over = head[5:] == b"\0\0\0\1" and (head[3], head[4] & 1) == (1, 1)  # headers of stream 1 that end it: the status


def _string(text: str) -> bytes:
    """Write a text of a header as it is (RFC 7541, 5.2)."""
    data, rest = text.encode(), len(text) - 127
    if rest < 0:
        return bytes((len(data),)) + data
    length = b"\x7f"
    while rest >= 128:
        length += bytes((rest % 128 + 128,))
        rest //= 128
    return length + bytes((rest,)) + data
