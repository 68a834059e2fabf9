"""Watching over HTTP, as what is not a client of ours does it: curl, a browser that connects again, a page of another origin."""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator

import httpx
import pytest

from service.private_redis import PrivateRedis
from tests.matchmaking import Played, at_random, create
from tests.serving import RestCaller, Serving

ORIGIN = "https://table.example"


@pytest.fixture(scope="module")
def live(redis_server: PrivateRedis) -> Iterator[Serving]:
    serving = Serving(redis_server.url, heartbeat="1", cors_origins=ORIGIN).start()
    yield serving
    serving.stop()


@pytest.fixture
def caller(live: Serving) -> Iterator[RestCaller]:
    made = RestCaller(live)
    yield made
    made.close()


def address(live: Serving, match: Played, query: str = "") -> str:
    return f"{live.http}/v1/matches/{match.match_id}/events:watch{query}"


def bearer(credential: str) -> dict[str, str]:
    return {"authorization": f"Bearer {credential}"}


def events(text: str) -> list[dict[str, str]]:
    """Read server-sent events as the standard says: fields by line, an event at each empty line, comments left out."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append(fields)
    return found


def watchers(live: Serving) -> int:
    text = httpx.get(f"http://127.0.0.1:{live.ops_ports[0]}/metrics").text
    (line,) = re.findall(r"^umpire_watchers (\S+)$", text, re.MULTILINE)
    return int(float(line))


def until_watchers_are(live: Serving, number: int) -> None:
    deadline = time.monotonic() + 20
    while watchers(live) != number:
        assert time.monotonic() < deadline, f"{watchers(live)} watch"
        time.sleep(0.02)


def test_curl_sees_each_step_as_it_happens(live: Serving, caller: RestCaller) -> None:
    curl = shutil.which("curl")
    assert curl is not None
    match = create(caller)
    command = [curl, "-sN", "-H", f"authorization: Bearer {match.spectator}", address(live, match, "?since_version=1")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline() == ": heartbeat\n", "the first word comes at once"
        for version in (2, 3):
            match.play("draw")
            while not (line := watching.stdout.readline()).startswith("id"):
                assert line in {"\n", ": heartbeat\n"}
            assert line == f"id: {version}\n"
            message = json.loads(watching.stdout.readline().removeprefix("data: "))
            assert message["update"] == match.must("ListEvents", match.spectator, since_version=version - 1)["updates"][0]
            assert watching.stdout.readline() == "\n"
        match.must("ResignSeat", match.credentials[1])
        assert '"reason":"RESIGNATION"' in watching.stdout.read()
        assert watching.wait(20) == 0, "the stream was ended in good order"


def test_a_browser_that_connects_again_says_what_it_had(live: Serving, caller: RestCaller) -> None:
    match = create(caller)
    match.play_out(at_random(1))
    credential = bearer(match.credentials[2])
    whole = httpx.get(address(live, match, "?sinceVersion=0"), headers=credential).text
    rest = httpx.get(address(live, match, "?sinceVersion=0"), headers=credential | {"last-event-id": "7"}).text
    assert [event["id"] for event in events(whole)] == [str(version) for version in range(1, match.version + 1)]
    assert events(rest) == events(whole)[7:]
    bad = httpx.get(address(live, match), headers=credential | {"last-event-id": "x"})
    assert (bad.status_code, bad.json()["details"][1]["fieldViolations"][0]["field"]) == (400, "last-event-id")


def test_its_head_says_what_it_is_and_that_it_is_not_to_be_kept(live: Serving, caller: RestCaller) -> None:
    match = create(caller)
    with httpx.stream("GET", address(live, match), headers=bearer(match.spectator) | {"origin": ORIGIN, "x-request-id": "mine"}) as answer:
        said = answer.headers
        assert (said["content-type"], said["cache-control"], said["x-accel-buffering"]) == ("text/event-stream", "no-store", "no")
        assert (said["access-control-allow-origin"], said["x-request-id"]) == (ORIGIN, "mine")
    asked = {"origin": ORIGIN, "access-control-request-method": "GET", "access-control-request-headers": "authorization,last-event-id"}
    preflight = httpx.options(address(live, match), headers=asked)
    assert {"authorization", "last-event-id"} <= set(preflight.headers["access-control-allow-headers"].split(", "))


@pytest.mark.parametrize(("query", "headers", "status", "reason"), [
    ("", {}, 401, "CREDENTIAL_MISSING"),
    ("?since_version=2", None, 400, "VERSION_AHEAD"),
    ("?since_version=-1", None, 400, "INVALID_REQUEST"),
    ("?since=1", None, 400, "INVALID_REQUEST"),
    ("?authorization=x", None, 400, "INVALID_REQUEST"),
    ("?seat=1", None, 403, "WRONG_SEAT"),
])  # fmt: skip
def test_what_is_refused_at_once_is_an_ordinary_answer(
    live: Serving, caller: RestCaller, query: str, headers: dict[str, str] | None, status: int, reason: str
) -> None:
    match = create(caller)
    answer = httpx.get(address(live, match, query), headers=bearer(match.spectator) if headers is None else headers)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert answer.json()["details"][0]["reason"] == reason


def test_what_ends_it_later_is_an_event_of_its_own(live: Serving, caller: RestCaller) -> None:
    match = create(caller)
    with httpx.stream("GET", address(live, match), headers=bearer(match.spectator), timeout=20) as answer:
        text = answer.iter_text()
        first = next(text)
        match.must("DeleteMatch", match.creator)
        last = events(first + "".join(text))[-1]
    assert last["event"] == "error"
    assert json.loads(last["data"])["details"][0]["reason"] == "MATCH_NOT_FOUND"


def test_head_is_not_to_be_had(live: Serving, caller: RestCaller) -> None:
    match = create(caller)
    answer = httpx.head(address(live, match), headers=bearer(match.spectator))
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


def test_connect_is_told_where_streams_are(live: Serving, caller: RestCaller) -> None:
    for method in ("WatchMatch", "PlayMatch"):
        url = f"{live.http}/umpire.v1.MatchService/{method}"
        unary = httpx.post(url, json={})
        assert (unary.status_code, unary.json()["code"]) == (501, "unimplemented")
        assert "gRPC" in unary.json()["message"]
        stream = httpx.post(url, content=b"", headers={"content-type": "application/connect+json"})
        flags, length, content = stream.content[0], int.from_bytes(stream.content[1:5], "big"), stream.content[5:]
        assert (stream.status_code, stream.headers["content-type"], flags, length) == (200, "application/connect+json", 2, len(content))
        assert json.loads(content)["error"]["code"] == "unimplemented"


def test_who_hangs_up_is_not_watching_any_more(live: Serving, caller: RestCaller) -> None:
    match = create(caller)
    before = watchers(live)
    with httpx.stream("GET", address(live, match), headers=bearer(match.spectator)) as answer:
        text = answer.iter_text()
        next(text)
        until_watchers_are(live, before + 1)
    until_watchers_are(live, before)


def test_a_worker_that_stops_says_so_and_does_not_wait(redis_server: PrivateRedis) -> None:
    serving = Serving(redis_server.url).start()
    match = create(RestCaller(serving))
    with httpx.stream("GET", address(serving, match), headers=bearer(match.spectator), timeout=30) as answer:
        text = answer.iter_text()
        first = next(text)
        serving.processes[0].terminate()
        last = events(first + "".join(text))[-1]
    assert last["event"] == "error"
    assert json.loads(last["data"])["details"][0]["reason"] == "SERVER_DRAINING"
    assert serving.processes[0].wait(20) == 0
