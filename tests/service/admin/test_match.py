"""``umpire admin match``: what an operator sees of a match, and what nobody sees by accident.

Long, since its three verbs share one match.
"""

import base64
import json
import random
import secrets
from typing import Any

import msgspec
import pytest
from redis import Redis

from engines.kit.chance import Generator
from engines.registry import games
from service import cli
from service.admin import events
from service.matches.library import Library, encode
from service.matches.match import Match
from service.private_redis import PrivateRedis
from service.store import new_match_id
from service.store.keys import Keys
from tests.matchmaking import Played, create
from tests.service.admin.running import Said, umpire
from tests.serving import RestCaller, Serving

LIBRARY = Library(games())
KEYS = Keys("umpire:")
PREFIXES = ("MATCH_STATUS_", "SEED_SOURCE_", "CONTROLLER_", "CAUSE_", "DISCARD_REASON_", "PLACE_")
SEED = secrets.token_hex(32)


@pytest.fixture(scope="module")
def rest(serving: Serving) -> RestCaller:
    return RestCaller(serving)


@pytest.fixture(scope="module")
def client(redis_server: PrivateRedis) -> Redis:
    return Redis.from_url(redis_server.url)


@pytest.fixture(scope="module")
def match(rest: RestCaller) -> Played:
    """A match in which something was played, with all that a record can hold of its callers."""
    played = create(rest, seed=SEED, seats=[{"displayName": "Ann", "metadata": "user\u001b[2J17"}, {"displayName": "Bob"}])
    rng = random.Random(4)
    for number in range(14):
        assert played.decision is not None
        played.play("draw" if number < 4 else rng.choice(played.legal()["legalMoves"])["moveId"], request_id=f"request-id-{number}-of-a-caller")
    assert played.decision is not None
    return played


@pytest.fixture
def admin(redis_server: PrivateRedis) -> Any:
    return lambda verb, match_id, *more: umpire("admin", "match", verb, match_id, *more, redis_url=redis_server.url)


def opened(client: Redis, match_id: str) -> Match:
    return Match.open(match_id, client.hget(KEYS.match(match_id), "s"), LIBRARY)


def steps(said: Said) -> list[dict[str, Any]]:
    assert said.status == 0, said.err
    return [json.loads(line) for line in said.out.splitlines()]


def as_admin_writes(value: Any) -> Any:
    """Turn the JSON of the API into that of ``umpire admin``: names of fields with underscores, words of enums without their prefix."""
    match value:
        case list():
            return [as_admin_writes(held) for held in value]
        case dict():
            return {with_underscores(name): as_admin_writes(held) for name, held in value.items()}
        case str():
            return next((value.removeprefix(prefix) for prefix in PREFIXES if value.startswith(prefix)), value)
        case _:
            return value


def with_underscores(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def event_of_the_api(event: dict[str, Any]) -> dict[str, Any]:
    """Return {"type", fields…} without what is empty: JSON of the API prints an absent list as an empty one."""
    ((_, told),) = event.items()
    ((kind, fields),) = told.items()
    return {"type": with_underscores(kind)} | without_empty(as_admin_writes(fields))


def without_empty(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if value != []}


# ---- show


def test_show_says_where_a_match_stands(admin: Any, match: Played, client: Redis) -> None:
    said = admin("show", match.match_id, "--json")
    assert said.status == 0, said.err
    shown = said.document
    public = match.view(match.spectator)
    for name in ("match_id", "game", "mode", "version", "status", "ruleset", "card_set", "card_set_digest", "seed_commitment", "seed_source"):
        assert shown[name] == as_admin_writes(public)[name], name
    assert shown["revision"] == int(client.hget(KEYS.match(match.match_id), "r"))
    assert [(seat["seat"], seat["controller"], seat["display_name"], seat["claimed"]) for seat in shown["seats"]] == [
        (1, "PERSON", "Ann", True),
        (2, "PERSON", "Bob", True),
    ]
    assert [(one["seat"], one["decision_id"], one["kind"]) for one in shown["decisions"]] == [
        (one["seat"], one["decisionId"], one["kind"]) for one in public["decisions"]
    ]
    assert (shown["rules"], shown["outcome"], shown["hot_seat"]) == ("known here", None, False)
    assert shown["updated"][:19] == public["updateTime"][:19]


def test_show_says_when_a_match_ends_as_its_players_are_told(admin: Any, rest: RestCaller) -> None:
    """A match whose decision is open for longer than its ttl is kept until a day after the deadline."""
    played = create(rest, ttl="60s", moveTimeout="864000s", withoutProof=True)
    shown = admin("show", played.match_id, "--json").document
    public = played.view(played.spectator)
    assert shown["expires"][:19] == public["expireTime"][:19]
    assert (shown["ttl_ms"], shown["move_timeout_ms"], shown["without_proof"]) == (60_000, 864_000_000, True)
    lines = dict(line.split(maxsplit=1) for line in admin("show", played.match_id).out.splitlines() if line)
    assert (lines["move_timeout_ms"], lines["without_proof"]) == ("864000000 (10 d a decision)", "yes")


def test_show_gives_the_size_and_the_time_left_of_each_key(admin: Any, match: Played, client: Redis) -> None:
    shown = admin("show", match.match_id, "--json").document
    assert [(key["type"], key["key"]) for key in shown["keys"]] == [("hash", KEYS.match(match.match_id)), ("stream", KEYS.log(match.match_id))]
    assert [key["bytes"] for key in shown["keys"]] == [client.memory_usage(key["key"], samples=0) for key in shown["keys"]]
    assert all(0 < key["ttl_ms"] <= 7 * 24 * 3600 * 1000 for key in shown["keys"])
    assert shown["snapshot_bytes"] == client.hstrlen(KEYS.match(match.match_id), "s")


def test_show_says_which_requests_are_remembered_and_not_their_ids(admin: Any, match: Played) -> None:
    shown = admin("show", match.match_id, "--json")
    assert [seat["remembers_move"] is not None for seat in shown.document["seats"]] == [True, True]
    assert max(seat["remembers_move"]["applied_version"] for seat in shown.document["seats"]) == match.version
    assert "request-id" not in shown.out


def test_show_for_people_has_columns_and_no_characters_that_move_a_cursor(admin: Any, match: Played) -> None:
    for verb in ("show", "snapshot", "events"):
        said = admin(verb, match.match_id)
        assert said.status == 0, said.err
        assert said.err == ""
        assert all(line.isprintable() for line in said.out.splitlines()), verb
    lines = admin("show", match.match_id).out.splitlines()
    assert lines[0].split() == ["field", "value"]
    assert any(line.split() == ["status", "ACTIVE"] for line in lines)
    assert any(line.startswith("1     PERSON") and "Ann" in line for line in lines)
    assert any(line.startswith("stream") and line.endswith(KEYS.log(match.match_id)) for line in lines)


def test_a_finished_match_shows_how_it_ended(admin: Any, rest: RestCaller) -> None:
    created = rest.call("CreateMatch", {"game": "goldn_crash", "seats": [{"houseBot": "random"}, {"houseBot": "keen"}]}).body
    match_id = created["match"]["matchId"]
    spectator = created["spectatorCredential"]
    for _ in range(200):
        seen = rest.call("GetMatch", {"match_id": match_id}, spectator).body["match"]
        if seen["status"] == "MATCH_STATUS_FINISHED":
            break
    assert seen["status"] == "MATCH_STATUS_FINISHED"
    shown = admin("show", match_id, "--json").document
    assert shown["outcome"] == seen["outcome"]
    assert shown["decisions"] == []
    assert [seat["house_bot"] for seat in shown["seats"]] == ["random", "keen"]
    assert seen["outcome"]["reason"] in admin("show", match_id).out


# ---- events


def test_events_are_what_a_spectator_and_a_seat_get_from_the_service(admin: Any, match: Played) -> None:
    for whose, credential in ((), match.spectator), (("--seat", "1"), match.credentials[1]), (("--seat", "2"), match.credentials[2]):
        updates = match.must("ListEvents", credential, page_size=500)["updates"]
        told = steps(admin("events", match.match_id, "--json", *whose))
        assert [(step["version"], step["cause"], step["seat"]) for step in told] == [
            (one["version"], as_admin_writes(one["cause"]), one["seat"]) for one in updates
        ]
        assert [[without_empty(event) for event in step["events"]] for step in told] == [
            [event_of_the_api(event) for event in one["events"]] for one in updates
        ]
        assert [[one["decision_id"] for one in step["decisions_opened"]] for step in told] == [
            [one["decisionId"] for one in update["decisionsOpened"]] for update in updates
        ]
        assert [step["decisions_closed"] for step in told] == as_admin_writes([one["decisionsClosed"] for one in updates])


def test_events_since_a_version_are_those_after_it(admin: Any, match: Played) -> None:
    assert [step["version"] for step in steps(admin("events", match.match_id, "--json", "--since", "12"))] == list(range(13, match.version + 1))
    assert steps(admin("events", match.match_id, "--json", "--since", str(match.version))) == []


def test_all_events_come_with_their_audiences_moves_and_chance_and_a_warning(admin: Any, match: Played) -> None:
    said = admin("events", match.match_id, "--all", "--json")
    told = steps(said)
    assert "every hidden card" in said.err
    assert said.err.count("\n") == 1
    first = told[0]
    assert first["draws"]
    hands = [one for one in first["events"] if one["event"]["type"] == "seat_set_up"]
    assert [(one["seats"], one["private"]) for one in hands] == [(None, {"hand": [1]}), (None, {"hand": [2]})]
    assert all(len(one["event"]["hand"]) == one["event"]["hand_count"] for one in hands)
    assert [step["move"] for step in told[1:5]] == ["draw"] * 4
    table = admin("events", match.match_id, "--all").out
    assert "hand only 1" in table
    assert "hand only 2" in table


def test_a_log_longer_than_a_page_comes_whole(admin: Any, match: Played, monkeypatch: pytest.MonkeyPatch, redis_server: PrivateRedis, capsys: Any) -> None:
    monkeypatch.setattr(events, "_PAGE", 4)
    assert cli.main(["admin", "match", "events", match.match_id, "--json", "--redis-url", redis_server.url]) == 0
    assert [json.loads(line)["version"] for line in capsys.readouterr().out.splitlines()] == list(range(1, match.version + 1))


# ---- secrets


def redealt(match: Match, seed: int) -> bytes:
    other = match.engine.redeal(match.state, 0, Generator(seed.to_bytes(32, "big")))
    assert encode(other) != bytes(match.record.state), "the re-dealing dealt nothing else: the law was not tried"
    return encode(msgspec.structs.replace(match.record, state=msgspec.Raw(encode(other)), seed=secrets.token_bytes(32), digest=b"another"))


def shown_without_flags(admin: Any, match_id: str) -> list[Any]:
    """All that the three verbs say without a flag that reveals, but for sizes, times left, and the commitment, which is the seed's by purpose."""
    documents = [admin(verb, match_id, "--json").document for verb in ("show", "snapshot")]
    for document in documents:
        for name in ("keys", "snapshot_bytes", "seed_commitment"):
            document.pop(name, None)
    return [*documents, admin("events", match_id, "--json").out, admin("events", match_id).out]


def test_what_is_shown_without_a_flag_does_not_depend_on_what_is_hidden(admin: Any, match: Played, client: Redis) -> None:
    truth = client.hget(KEYS.match(match.match_id), "s")
    expected = shown_without_flags(admin, match.match_id)
    try:
        client.hset(KEYS.match(match.match_id), "s", redealt(opened(client, match.match_id), 1))
        assert shown_without_flags(admin, match.match_id) == expected
    finally:
        client.hset(KEYS.match(match.match_id), "s", truth)


def test_neither_seed_nor_what_callers_sent_in_confidence_is_shown_without_a_flag(admin: Any, rest: RestCaller, client: Redis) -> None:
    answer = rest.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}], "invite": True, "seed": SEED}).body
    match_id = answer["match"]["matchId"]
    credentials = [answer["creatorCredential"], answer["spectatorCredential"], *(seat["invite"] for seat in answer["seats"])]
    for seat in answer["seats"]:
        request = {
            "match_id": match_id,
            "invite": seat["invite"],
            "client_seed": f"the-own-seed-of-{seat['seat']}",
            "request_id": f"claim-{seat['seat']}-request",
        }
        claimed = rest.call("ClaimSeat", request)
        assert claimed.ok, claimed
        credentials.append(claimed.body["credential"])
    record = opened(client, match_id).record
    seed = record.seed
    forms = [seed.hex(), seed.hex().upper(), base64.b64encode(seed).decode(), record.digest.hex(), record.create_request.hex()]
    hidden = [*forms, *credentials, "the-own-seed-of-", "claim-1-request", "claim-2-request"]
    for verb in ("show", "snapshot", "events"):
        for flags in ((), ("--json",)):
            said = admin(verb, match_id, *flags)
            assert said.status == 0
            assert not [secret for secret in hidden if secret in said.everything], (verb, flags)
    seats = admin("show", match_id, "--json").document["seats"]
    assert [(seat["has_client_seed"], seat["remembers_claim"]) for seat in seats] == [(True, True), (True, True)]
    assert not [secret for secret in credentials if secret in admin("snapshot", match_id, "--reveal").everything], "they are not stored at all"


def test_a_snapshot_says_what_it_leaves_out_and_has_the_table_as_anybody_sees_it(admin: Any, match: Played) -> None:
    shown = admin("snapshot", match.match_id, "--json").document
    assert {"seed", "state", "digest"} <= set(shown["left_out"])
    assert "state" not in shown
    assert "seed" not in shown
    public = as_admin_writes(match.view(match.spectator)["view"]["goldnCrash"])
    assert shown["view"]["turn"] == public["turn"]
    assert [(seat["hand_count"], seat["deck_count"], seat["discard"], seat["own"], seat["treasure"]) for seat in shown["view"]["seats"]] == [
        (seat["hand_count"], seat["deck_count"], seat["discard"], None, None) for seat in public["seats"]
    ]


def test_reveal_shows_everything_under_its_name_and_warns(admin: Any, match: Played, client: Redis) -> None:
    truth = opened(client, match.match_id)
    said = admin("snapshot", match.match_id, "--reveal", "--json")
    assert "the seed and every hidden card" in said.err
    shown = said.document
    assert shown["seed"] == SEED
    assert shown["digest"] == truth.record.digest.hex()
    assert [seat["deck"] for seat in shown["state"]["seats"]] == [seat.deck for seat in truth.state.seats]
    assert [seat["hidden"] for seat in shown["state"]["seats"]] == [seat.hidden for seat in truth.state.seats]
    assert shown["seats"][0]["last_request"]["request_id"].startswith("request-id-")
    assert SEED in admin("snapshot", match.match_id, "--reveal").out


def test_nothing_is_written(admin: Any, match: Played, client: Redis) -> None:
    def stored() -> tuple[bytes, bytes]:
        return client.dump(KEYS.match(match.match_id)), client.dump(KEYS.log(match.match_id))

    def keys() -> set[bytes]:
        """All keys but those by which workers share their looking out for deadlines."""
        return {key for key in client.scan_iter(count=1_000) if not key.endswith((b":sweeper", b":workers", b":due"))}

    before, known = stored(), keys()
    for verb, *flags in (["show"], ["events", "--all"], ["snapshot", "--reveal"]):
        assert admin(verb, match.match_id, *flags).status == 0
    assert stored() == before
    # Other tests' matches lie in the same Redis: what expires meanwhile is theirs, and nothing may come.
    assert keys() <= known


# ---- what can go wrong


def one_line(said: Said, status: int, *words: str) -> None:
    assert (said.status, said.out) == (status, ""), said
    assert said.err.startswith("umpire: ")
    assert said.err.count("\n") == 1, said.err
    assert all(word in said.err for word in words), said.err


VERBS = pytest.mark.parametrize("verb", ["show", "events", "snapshot"])


@VERBS
def test_a_match_that_is_not_there(admin: Any, verb: str) -> None:
    one_line(admin(verb, new_match_id()), 1, "no such match")


@VERBS
def test_an_id_of_another_form_is_not_repeated_since_it_may_be_a_credential(admin: Any, match: Played, verb: str) -> None:
    said = admin(verb, match.creator)
    one_line(said, 2, "no match id")
    assert match.creator not in said.everything


@VERBS
def test_a_redis_that_is_away_is_named_without_its_password(match: Played, verb: str) -> None:
    said = umpire("admin", "match", verb, match.match_id, redis_url="redis://someone:a-secret@127.0.0.1:1/3")
    one_line(said, 1, "redis://127.0.0.1:1/3")
    assert "a-secret" not in said.err


@pytest.mark.parametrize(
    "url", ["redis://:a-sec/ret@127.0.0.1:1", "redis://:a-sec#ret@127.0.0.1:1", "redis://a-sec?ret@127.0.0.1:1", "a-secret", "http://a-secret"]
)
def test_an_address_that_cannot_be_read_is_not_repeated(match: Played, url: str) -> None:
    said = umpire("admin", "match", "show", match.match_id, redis_url=url)
    one_line(said, 2, "--redis-url (UMPIRE_REDIS_URL)")
    assert "a-sec" not in said.err


def test_without_an_address_the_private_redis_of_the_state_directory_is_asked(match: Played, redis_server: PrivateRedis, tmp_path: Any) -> None:
    state_dir = redis_server.url.removeprefix("unix://").removesuffix("/redis/redis.sock")
    said = umpire("admin", "match", "show", match.match_id, "--json", state_dir=state_dir)
    assert said.status == 0, said.err
    one_line(umpire("admin", "match", "show", match.match_id, state_dir=str(tmp_path)), 2, "UMPIRE_REDIS_URL", "UMPIRE_STATE_DIR")


@VERBS
def test_another_prefix_is_another_service(redis_server: PrivateRedis, match: Played, verb: str) -> None:
    one_line(umpire("admin", "match", verb, match.match_id, redis_url=redis_server.url, key_prefix="other:"), 1, "no such match", "other:")


@VERBS
@pytest.mark.parametrize("stored", [b"", b"\x93\x01\x02\x03", b"not MessagePack at all"])
def test_a_snapshot_that_cannot_be_read(admin: Any, client: Redis, verb: str, stored: bytes) -> None:
    match_id = new_match_id()
    client.hset(KEYS.match(match_id), mapping={"r": "7", "s": stored})
    one_line(admin(verb, match_id), 1, "cannot be read")


@VERBS
def test_something_else_in_its_place(admin: Any, client: Redis, verb: str) -> None:
    match_id = new_match_id()
    client.set(KEYS.match(match_id), "a text")
    one_line(admin(verb, match_id), 1, "cannot be read")


def test_a_match_of_unknown_rules_can_be_shown_and_revealed_but_not_told(admin: Any, rest: RestCaller, client: Redis) -> None:
    played = create(rest)
    key = KEYS.match(played.match_id)
    record = opened(client, played.match_id).record
    client.hset(key, "s", encode(msgspec.structs.replace(record, ruleset=record.ruleset + 1)))
    shown = admin("show", played.match_id, "--json").document
    assert (shown["rules"], shown["ruleset"], shown["version"]) == ("not known here", record.ruleset + 1, 1)
    assert [one["decision_id"] for one in shown["decisions"]] == [1]
    assert admin("snapshot", played.match_id, "--json").document["view"] is None
    assert admin("snapshot", played.match_id, "--reveal", "--json").document["seed"] == record.seed.hex()
    one_line(admin("events", played.match_id), 1, "does not know")


def test_a_state_that_cannot_be_read_does_not_hide_the_record(admin: Any, rest: RestCaller, client: Redis) -> None:
    played = create(rest)
    record = opened(client, played.match_id).record
    client.hset(KEYS.match(played.match_id), "s", encode(msgspec.structs.replace(record, state=msgspec.Raw(encode(["broken"])))))
    assert admin("show", played.match_id, "--json").document["version"] == 1
    one_line(admin("snapshot", played.match_id), 1, "cannot be read")
    one_line(admin("events", "--all", "--since", "9", played.match_id), 2, "--since")


def test_a_log_with_a_hole_is_said(admin: Any, rest: RestCaller, client: Redis) -> None:
    played = create(rest)
    played.play("draw")
    client.xdel(KEYS.log(played.match_id), "1-0")
    one_line(admin("events", played.match_id), 1, "cannot be read")


@pytest.mark.parametrize(("flags", "said"), [
    (("--seat", "3"), "--seat"),
    (("--since", "99"), "--since"),
])  # fmt: skip
def test_seats_and_versions_that_do_not_exist(admin: Any, match: Played, flags: tuple[str, ...], said: str) -> None:
    one_line(admin("events", match.match_id, *flags), 2, said)


@pytest.mark.parametrize("flags", [("--seat", "one"), ("--since", "-1"), ("--seat", "1", "--all")])
def test_options_that_cannot_be_read(admin: Any, match: Played, flags: tuple[str, ...]) -> None:
    assert admin("events", match.match_id, *flags).status == 2
