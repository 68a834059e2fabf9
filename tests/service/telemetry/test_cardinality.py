"""The number of series is bounded by the contract and the catalog, whatever callers send; and nothing that a seat chose can be read from them."""

import contextlib
import secrets
from collections.abc import Iterator
from math import prod
from typing import Any

import grpc
import httpx
import pytest

from engines.registry import games
from service.contract import Contract, load_contract
from service.errors import Code
from service.messages import Cause
from service.private_redis import PrivateRedis
from service.store import CommitResult
from service.telemetry.declared import DECLARED, HISTOGRAM
from service.telemetry.metrics import release
from tests.matchmaking import Played, at_random, create
from tests.service.telemetry import exposed
from tests.serving import CALLERS, ConnectCaller, GrpcCaller, RestCaller, Serving

GAMES = games()
CONTRACT: Contract = load_contract(GAMES)
CODES = {*(code.name for code in Code), "OK", "CANCELLED"}
COMMANDS = {"load", "revision", "commit", "due", "workers", "settle", "forget_due", "entries", "delete", "tell", "time", "ping"}


def reasons() -> set[str]:
    values = CONTRACT.pool.FindEnumTypeByName("umpire.v1.ErrorReason").values
    return {value.name.removeprefix("ERROR_REASON_") for value in values}


def allowed(node: str) -> dict[str, dict[str, set[str]]]:
    """The values that each label of each metric may have."""
    modes = [mode for game in GAMES.values() for mode in game.modes]
    kinds = {kind for game in GAMES.values() for mode in game.modes for kind in mode.engine(game.default_card_set).answers}
    rules = {
        "game": set(GAMES),
        "mode": {mode.id for mode in modes},
        "kind": kinds,
        "cause": {cause.value for cause in Cause},
        "reason": {reason for game in GAMES.values() for reason in game.end_reasons},
        "step": {"apply", "legal_moves", "view", "bot"},
        "outcome": {*(result.name.lower() for result in CommitResult), "unavailable"},
        "command": COMMANDS,
        "door": {"grpc", "rest"},
        "end": {"finished", "left", "drained", "too_slow", "refused", "expired", "deleted"},
        "version": {release()},
        "node": {node},
    }
    for prefix in ("grpc", "http", "connect"):
        rules |= {
            f"{prefix}_type": {rpc.kind for rpc in CONTRACT.rpcs.values()},
            f"{prefix}_service": {rpc.service for rpc in CONTRACT.rpcs.values()},
            f"{prefix}_method": {rpc.method for rpc in CONTRACT.rpcs.values()},
            f"{prefix}_code": CODES,
        }
    found = {name: {label: rules[label] for label in metric.labels} for name, metric in DECLARED.items()}
    found["umpire_refusals_total"] = {"reason": reasons()}
    found["umpire_store_seconds"]["outcome"] = rules["outcome"] | {"ok"}
    return found


def bound(node: str) -> int:
    """How many samples there can be: a type and a service follow from the method."""
    sizes = {}
    for name, labels in allowed(node).items():
        values = prod(len(values) for label, values in labels.items() if not label.endswith(("_type", "_service")))
        sizes[name] = values * (len(DECLARED[name].bounds) + 3 if DECLARED[name].kind == HISTOGRAM else 1)
    return sum(sizes.values())


@pytest.fixture
def own(redis_server: PrivateRedis, key_prefix: str) -> Iterator[Serving]:
    """A worker that nobody else calls."""
    serving = Serving(redis_server.url, key_prefix=key_prefix).start()
    yield serving
    serving.stop()


def rubbish(serving: Serving) -> None:
    """Send what no client should, each time other words."""
    callers = [kind(serving) for kind in CALLERS.values()]
    for number in range(12):
        word = f"{secrets.token_hex(4)}_{number}"
        for caller in callers:
            assert not caller.call("CreateMatch", {"game": word, "seats": [{}, {}]}).ok
            assert not caller.call("GetGame", {"game": word}).ok
            assert not caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{"house_bot": word}, {}]}).ok
            assert not caller.call("GetMatch", {"match_id": word}, word).ok
            assert not caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}]}, api_key=word).ok
        for verb in ("GET", "POST", "PATCH", word.upper()):
            httpx.request(verb, f"{serving.http}/v1/{word}?{word}={word}", headers={"x-request-id": word, "traceparent": word})
            httpx.request(verb, f"{serving.http}/v1/matches/{word}:{word}", content=word)
        httpx.post(f"{serving.http}/umpire.v1.MatchService/{word}", json={word: word})
        httpx.post(f"{serving.http}/umpire.v1.MatchService/GetMatch", content=word, headers={"content-type": f"application/{word}"})
        httpx.get(f"{serving.http}/v1/matches/{word}/events:watch", headers={"authorization": f"Bearer {word}"})
        with contextlib.suppress(grpc.RpcError):
            callers[0].channel.unary_unary(f"/umpire.v1.MatchService/{word}")(word.encode(), timeout=20)  # type: ignore[attr-defined]
        with contextlib.suppress(grpc.RpcError):
            callers[0].channel.unary_unary("/umpire.v1.MatchService/GetMatch")(b"\xff" + word.encode(), metadata=(("authorization", word),), timeout=20)  # type: ignore[attr-defined]
    for caller in callers:
        caller.close()


def play_everything(serving: Serving) -> None:
    for kind in (GrpcCaller, RestCaller, ConnectCaller):
        caller = kind(serving)
        for game in GAMES.values():
            for mode in game.modes:
                match = create(caller, game=game.id, seats=[{}] * mode.min_seats)
                assert not match.apply("nonsense").ok
                match.play_out(at_random(5))
                watched = httpx.get(f"{serving.http}/v1/matches/{match.match_id}/events:watch", headers={"authorization": f"Bearer {match.spectator}"})
                assert watched.status_code == 200
        caller.close()


def test_labels_hold_the_catalogs_and_the_contracts_words_alone(own: Serving, redis_server: PrivateRedis) -> None:
    play_everything(own)
    rubbish(own)
    after_rubbish = set(exposed.series(own))
    node = redis_server.url.removeprefix("unix://")
    assert {("umpire_redis_used_memory_bytes", (("node", node),)), ("umpire_redis_replicas", (("node", node),))} <= after_rubbish
    may = allowed(node)
    for name, labels in after_rubbish:
        metric = next(name.removesuffix(end) for end in ("", "_bucket", "_sum", "_count") if name.removesuffix(end) in DECLARED)
        for label, value in labels:
            assert label == "le" or value in may[metric][label], (name, label, value)
    assert len(after_rubbish) < bound(node) < 20_000
    rubbish(own)
    assert set(exposed.series(own)) == after_rubbish, "series grow with what callers make up"


# ---- secret choices

_BY_ITSELF = ("process_", "umpire_loop_lag", "umpire_store_", "umpire_redis_", "umpire_build")  # the sweep asks the store all the time
_OF_TIME = ("_sum", "_bucket")


def counted(serving: Serving) -> dict[Any, float]:
    """What does not depend on how fast things went: all series, and the values of counts."""
    found = exposed.series(serving)
    return {key: value for key, value in found.items() if not key[0].startswith(_BY_ITSELF) and not key[0].endswith(_OF_TIME)}


def at_the_boost(caller: GrpcCaller) -> Played:
    match = create(caller, game="monster_mash_up", seats=[{}, {}], seed=f"{1:064x}")
    while match.decision is not None and match.decision["kind"] != "BOOST":
        listed = match.legal()["legalMoves"]
        match.play(next((move["moveId"] for move in listed if move["moveId"] == "pass_turn"), listed[0]["moveId"]))
    return match


def test_a_secret_choice_counts_the_same_whatever_it_is(own: Serving) -> None:
    caller = GrpcCaller(own)
    at_the_boost(caller).play("boost(fingers=0)", by=1)  # all series are there
    changes = []
    for choice in ("boost(fingers=0)", "boost(fingers=2)", "defend", "panic"):
        match = at_the_boost(caller)
        before = counted(own)
        match.play(choice, by=1)
        after = counted(own)
        assert set(after) == set(before)
        changes.append({key: value - before[key] for key, value in after.items() if value != before[key]})
    caller.close()
    assert ("umpire_moves_total", (("cause", "PERSON"), ("game", "monster_mash_up"), ("kind", "BOOST"))) in changes[0]
    for change in changes:
        assert change == changes[0]
