"""A thousand matches, watched by somebody who goes away and comes back all the time: what was seen is what ListEvents tells, each step once and in order."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.matchmaking import Played, create
from tests.serving import GrpcCaller, Serving, to_dict

MATCHES = 1_000
MOST_AT_A_TIME = 60
GAMES = ["goldn_crash", "monster_mash_up"]

Watch = Callable[[Played, int], Iterator[dict[str, Any]]]
"""Watches a match as a spectator from a version on, and gives the updates; the one who closes it goes away."""


@pytest.fixture(params=["grpc", "sse"])
def watch(request: pytest.FixtureRequest, serving: Serving, callers: dict[str, Any]) -> Iterator[Watch]:
    caller = callers["grpc"]
    make, read, path = caller.message("WatchMatch", "request"), caller.message("WatchMatch", "response"), caller.rpc("WatchMatch").path

    def over_grpc(match: Played, since: int) -> Iterator[dict[str, Any]]:
        request = make(match_id=match.match_id, since_version=since).SerializeToString()
        stream = caller.channel.unary_stream(path)(request, metadata=(("authorization", f"Bearer {match.spectator}"),), timeout=60)
        try:
            for data in stream:
                yield to_dict(read.FromString(data))
        finally:
            stream.cancel()

    with httpx.Client(base_url=serving.http, timeout=60) as http:

        def over_sse(match: Played, since: int) -> Iterator[dict[str, Any]]:
            url, headers = f"/v1/matches/{match.match_id}/events:watch", {"authorization": f"Bearer {match.spectator}", "last-event-id": str(since)}
            with http.stream("GET", url, headers=headers) as answer:
                assert answer.status_code == 200
                for line in answer.iter_lines():
                    assert not line.startswith("event: "), line
                    if line.startswith("data: "):
                        yield json.loads(line.removeprefix("data: "))

        yield {"grpc": over_grpc, "sse": over_sse}[request.param]


def seen_by_a_wanderer(watch: Watch, match: Played, rng: random.Random) -> tuple[list[dict[str, Any]], int]:
    """Watch to the end with breaks at random versions; returns what was seen, and how often it went away."""
    seen: list[dict[str, Any]] = []
    breaks = 0
    while True:
        patience, stream = rng.randint(1, MOST_AT_A_TIME), watch(match, len(seen))
        for message in stream:
            if message.get("update"):
                seen.append(message["update"])
                patience -= 1
                if message.get("outcome"):
                    stream.close()
                    return seen, breaks
            if not patience:
                break
        stream.close()
        breaks += 1


def listed(match: Played) -> list[dict[str, Any]]:
    page = match.must("ListEvents", match.spectator, page_size=500)
    assert not page["nextSinceVersion"]
    return page["updates"]


def test_a_watcher_who_comes_back_at_random_versions_of_a_thousand_matches_sees_what_list_events_tells(
    watch: Watch, callers: dict[str, GrpcCaller], request: pytest.FixtureRequest
) -> None:
    rng, breaks, steps = random.Random(request.node.name), 0, 0
    for number in range(MATCHES // 2):
        game = GAMES[number % len(GAMES)]
        match = create(callers["grpc"], game=game, seats=[{"house_bot": "random"}] * 2)  # they play on while it is watched
        seen, went = seen_by_a_wanderer(watch, match, rng)
        assert seen == listed(match)
        assert [update["version"] for update in seen] == list(range(1, len(seen) + 1))
        breaks, steps = breaks + went, steps + len(seen)
    assert breaks > MATCHES // 2
    assert steps > MATCHES * 10
