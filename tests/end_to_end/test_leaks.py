"""The leak law on bytes: whatever a viewer gets from the API is the same from a state and from its re-dealing.

A worker serves both: the re-dealt state is put in the store in place of the true one, and each viewer asks again. What a seat may not know can then be in no
answer and in no error that it gets.
"""

import json
import random
import threading
from collections.abc import Iterator

import httpx
import msgspec
import pytest
from redis import Redis

from engines.kit.chance import Generator
from engines.registry import games
from service.matches.library import Library, encode
from service.matches.match import Match
from service.private_redis import PrivateRedis
from tests.matchmaking import Played, create
from tests.serving import Answer, Caller, GrpcCaller, Serving

LIBRARY = Library(games())
MATCHES = 4
MOVES = 45

TABLES = [("goldn_crash", 2), ("monster_mash_up", 2), ("monster_mash_up", 1)]
SILLY_MOVES = {
    "goldn_crash": [
        "pass_turn", "draw", "play_card(card=GOLD_6,column=1)", "play_card(card=BOMB_3,column=2)", "discard_card(column=2)", "secure_from(column=9)",
        "place_observed(index=3,place=TOP)", "play_card(card=NO_SUCH,column=1)", "nonsense",
    ],
    "monster_mash_up": [
        "pass_turn", "choose_scientist(scientist=dr_chaos)", "make_monster(front=stone_gargle,back=swampy_lurker)", "make_monster(front=x,back=x)",
        "reroll_one(die=2)", "use_power(own_die=0,opponent_die=0)", "use_scientist(own_die=1,opponent_die=0)", "boost(fingers=5)", "boost(fingers=6)",
        "defend", "nonsense",
    ],
}  # fmt: skip


class Store:
    """A look into the store, to put another truth in place of the true one."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(url)

    def key(self, match_id: str) -> str:
        (key,) = self._redis.keys(f"*:match:{match_id}")
        return key

    def open(self, match_id: str) -> Match:
        return Match.open(match_id, self._redis.hget(self.key(match_id), "s"), LIBRARY)

    def put(self, match_id: str, match: Match) -> None:
        # Another revision, so that no worker answers from memory.
        self._redis.hset(self.key(match_id), "s", encode(match.record))
        self._redis.hincrby(self.key(match_id), "r", 1)


def redealt(match: Match, viewer: int, seed: int) -> Match:
    other = match.engine.redeal(match.state, viewer, Generator(seed.to_bytes(32, "big")))
    record = msgspec.structs.replace(match.record, state=msgspec.Raw(encode(other)))
    return Match(record, match.hosted, match.engine)


def all_that_a_viewer_gets(caller: Caller, match: Played, credential: str, seat: int, silly: list[str]) -> list[Answer]:
    """Ask everything that this credential can ask, refusals included, without changing the match."""
    this = {"match_id": match.match_id}
    answers = [
        caller.call("GetMatch", this, credential),
        caller.call("ListLegalMoves", this | {"include_illegal": True}, credential),
        caller.call("ListLegalMoves", this, credential),
        caller.call("ListEvents", this | {"page_size": 500}, credential),
    ]
    asked = match.open.get(seat) or match.decision
    decision = asked["decisionId"] if asked else 1
    legal = {move["moveId"] for move in answers[2].body.get("legalMoves", [])}
    refused = [move for move in silly if move not in legal]
    return answers + [caller.call("ApplyMove", this | {"decision_id": decision, "move_id": move}, credential) for move in refused]


def streamed(serving: Serving, match: Played, credential: str, seat: int) -> list[bytes]:
    """Watch from the deal on, and from now on, with the view, up to where the match is, and play so far as to be asked; whole, as it comes over all doors."""
    found = []
    url = f"{serving.http}/v1/matches/{match.match_id}/events:watch?with_view=true"
    headers = {"authorization": f"Bearer {credential}"}
    for query in ("&since_version=0", ""):
        with httpx.stream("GET", url + query, headers=headers, timeout=20) as answer:
            text = b""
            for part in answer.iter_raw():
                text += part
                if b"id: %d\n" % match.version in text and text.endswith(b"\n\n"):
                    break
            found.append(text)
    watching = GrpcCaller(serving)
    request = watching.message("WatchMatch", "request")(match_id=match.match_id, since_version=0, with_view=True)
    stream = watching.channel.unary_stream(watching.rpc("WatchMatch").path)(request.SerializeToString(), metadata=tuple(headers.items()), timeout=20)
    found += [next(stream) for _ in range(match.version)]
    if seat > 0:
        found += played(watching, match, tuple(headers.items()), is_asked=seat in match.open)
    watching.close()
    return found


def played(caller: GrpcCaller, match: Played, metadata: tuple[tuple[str, str], ...], *, is_asked: bool) -> list[bytes]:
    """Open a stream to play on, from the deal on; what comes up to the question, or up to now if this seat is not asked."""
    make = caller.message("PlayMatch", "request")
    hold = threading.Event()

    def requests() -> Iterator[bytes]:
        yield make(open={"match_id": match.match_id, "since_version": 0}).SerializeToString()
        hold.wait(30)

    read, found = caller.message("PlayMatch", "response"), []
    for data in caller.channel.stream_stream(caller.rpc("PlayMatch").path)(requests(), metadata=metadata, timeout=20):
        found.append(data)
        said = read.FromString(data)
        if said.HasField("question") or (not is_asked and said.updates and said.updates[-1].version == match.version):
            break
    hold.set()
    return found


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_what_a_watcher_gets_does_not_depend_on_what_it_may_not_know(
    callers: dict[str, Caller], serving: Serving, redis_server: PrivateRedis, game: str, seats: int
) -> None:
    store, rng = Store(redis_server.url), random.Random(seats)
    match = create(callers["grpc"], game=game, seats=[{}] * seats, seed=f"{seats:064x}")
    differing = 0
    for number in range(18):
        if match.decision is None:
            break
        if number % 6 == 5:
            truth = store.open(match.match_id)
            persons = {seat: credential for seat, credential in match.credentials.items() if credential}
            for seat, credential in {**persons, 0: match.spectator, -1: match.creator}.items():
                expected = streamed(serving, match, credential, seat)
                other = redealt(truth, max(seat, 0), number)
                differing += bytes(other.record.state) != bytes(truth.record.state)
                store.put(match.match_id, other)
                assert streamed(serving, match, credential, seat) == expected
                store.put(match.match_id, truth)
        seat = max(match.open)
        match.play(rng.choice(match.legal(match.credentials[seat])["legalMoves"])["moveId"], by=seat)
    assert differing > 5, "the re-dealings dealt nothing else: the law was not tried"


def in_bytes(answers: list[Answer]) -> list[tuple[str, str, str, bytes]]:
    return [(answer.code, answer.reason, answer.message, answer.raw) for answer in answers]


@pytest.mark.parametrize("seed", range(MATCHES))
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_what_a_viewer_gets_does_not_depend_on_what_it_may_not_know(caller: Caller, redis_server: PrivateRedis, game: str, seats: int, seed: int) -> None:
    store, rng = Store(redis_server.url), random.Random(seed)
    match = create(caller, game=game, seats=[{}] * seats, seed=f"{seed:064x}")
    differing = 0
    for number in range(MOVES):
        if match.decision is None:
            break
        if number % 5 == 0:
            truth = store.open(match.match_id)
            persons = {seat: credential for seat, credential in match.credentials.items() if credential}
            for seat, credential in {**persons, 0: match.spectator, -1: match.creator}.items():
                expected = in_bytes(all_that_a_viewer_gets(caller, match, credential, seat, SILLY_MOVES[game]))
                other = redealt(truth, max(seat, 0), number)
                differing += bytes(other.record.state) != bytes(truth.record.state)
                store.put(match.match_id, other)
                assert in_bytes(all_that_a_viewer_gets(caller, match, credential, seat, SILLY_MOVES[game])) == expected
                store.put(match.match_id, truth)
        # Now the first, now the last of those who are asked.
        seat = (min if number % 2 else max)(match.open)
        legal = match.legal(match.credentials[seat])["legalMoves"]
        match.play(rng.choice(legal)["moveId"], by=seat)
    assert differing > 10, "the re-dealings dealt nothing else: the law was not tried"


def test_the_answer_to_a_move_shows_its_seat_alone_what_it_drew(caller: Caller, redis_server: PrivateRedis) -> None:
    match = create(caller, seed="7" * 64)
    assert match.decision is not None
    seat = match.decision["seat"]
    played = match.play("draw")
    [drawn] = played["updates"][0]["events"]
    assert len(drawn["goldnCrash"]["cardsDrawn"]["cards"]) == 1
    for credential in (match.credentials[3 - seat], match.spectator, match.creator):
        update = match.must("ListEvents", credential, since_version=1)["updates"][0]
        assert update["events"][0]["goldnCrash"]["cardsDrawn"] == {"seat": seat, "count": 1, "cards": []}
    own = match.must("ListEvents", match.credentials[seat], since_version=1)["updates"][0]
    assert own == played["updates"][0]


@pytest.mark.parametrize("seed", ["", "3" * 64])
def test_creating_a_match_gives_away_neither_seed_nor_a_hidden_card(caller: Caller, redis_server: PrivateRedis, seed: str) -> None:
    answer = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}], "seed": seed})
    truth = Store(redis_server.url).open(answer.body["match"]["matchId"])
    for form in (truth.record.seed, truth.record.seed.hex().encode(), truth.record.seed.hex().upper().encode()):
        assert form not in answer.raw
    shown = json.dumps(answer.body["match"])
    view = answer.body["match"]["view"]["goldnCrash"]
    for number, own in enumerate(truth.state.seats):
        assert "own" not in view["seats"][number]
        assert "treasure" not in view["seats"][number]
        assert view["seats"][number]["discard"] == own.discard
        open_cards = sum(shown.count(f'"{card}"') for card in set(own.deck) | set(own.hidden))
        assert open_cards <= sum(len(seat.discard) for seat in truth.state.seats)
    assert '"robustness"' not in shown
