"""Whole matches of Monster Mash-Up through the API, in both modes: endings, simultaneous secret choices, the automaton's seat."""

import random
from typing import Any

import pytest

from tests.matchmaking import Played, at_random, create
from tests.serving import Answer, Caller

GAME = "monster_mash_up"


def begin(caller: Caller, seats: int, seed: int, **options: Any) -> Played:
    return create(caller, game=GAME, seats=[{}] * seats, seed=f"{seed:064x}", options={GAME: options})


def at_the_boost(caller: Caller, seed: int = 1) -> Played:
    """Play a duel until both seats are asked in the Boost Phase."""
    match = begin(caller, 2, seed)
    while match.decision is not None and match.decision["kind"] != "BOOST":
        listed = match.legal()["legalMoves"]
        match.play(next((move["moveId"] for move in listed if move["moveId"] == "pass_turn"), listed[0]["moveId"]))
    assert list(match.open) == [1, 2]
    return match


@pytest.mark.parametrize("seats", [2, 1])
@pytest.mark.parametrize("heads_to_win", [2, 3])
def test_a_whole_match(caller: Caller, seats: int, heads_to_win: int) -> None:
    match = begin(caller, seats, 5 + heads_to_win, heads_to_win=heads_to_win)
    outcome = match.play_out(at_random(7))
    assert outcome["reason"] in {"HEADS", "HEADS_BOTH"}
    assert max(outcome["scores"]) == heads_to_win
    assert outcome["winners"] == [seat for seat, heads in enumerate(outcome["scores"], 1) if heads == heads_to_win]
    seen = match.view(match.spectator)
    assert (seen["status"], seen["mode"], seen["decisions"]) == ("MATCH_STATUS_FINISHED", {1: "SOLO", 2: "DUEL"}[seats], [])
    view = seen["view"]["monsterMashUp"]
    assert [len(seat["heads"]) for seat in view["seats"]] == outcome["scores"]
    assert view["outcome"] == {"reason": outcome["reason"], "winners": outcome["winners"], "heads": outcome["scores"]}
    last = match.must("ListEvents", match.spectator, page_size=500)["updates"][-1]["events"][-1]
    assert last["monsterMashUp"]["matchEnded"]["reason"] == outcome["reason"]


def test_both_win_where_both_reach_the_target(caller: Caller) -> None:
    seed = 55  # the first that ends so
    outcome = begin(caller, 2, seed).play_out(at_random(seed))
    assert outcome == {"reason": "HEADS_BOTH", "winners": [1, 2], "scores": [2, 2]}


def test_house_bots_play_a_duel_by_themselves(caller: Caller) -> None:
    answer = caller.call("CreateMatch", {"game": GAME, "seats": [{"house_bot": "keen"}, {"house_bot": "random"}], "seed": f"{3:064x}"})
    match = Played(caller, answer.body)
    for _ in range(200):
        seen = match.view(match.spectator)
        if seen["status"] == "MATCH_STATUS_FINISHED":
            break
    assert seen["status"] == "MATCH_STATUS_FINISHED"
    updates = match.must("ListEvents", match.spectator, page_size=500)["updates"]
    assert {update["cause"] for update in updates} == {"CAUSE_SET_UP", "CAUSE_BOT"}


def test_a_house_bot_plays_dr_entropy_by_itself(caller: Caller) -> None:
    answer = caller.call("CreateMatch", {"game": GAME, "seats": [{"house_bot": "keen"}], "seed": f"{4:064x}"})
    match = Played(caller, answer.body)
    for _ in range(200):
        seen = match.view(match.spectator)
        if seen["status"] == "MATCH_STATUS_FINISHED":
            break
    assert seen["status"] == "MATCH_STATUS_FINISHED"
    assert [seat["controller"] for seat in seen["seats"]] == ["CONTROLLER_HOUSE_BOT", "CONTROLLER_AUTOMATON"]


def test_a_person_plays_a_house_bot_which_answers_secret_choices_after_the_person(caller: Caller) -> None:
    answer = caller.call("CreateMatch", {"game": GAME, "seats": [{}, {"house_bot": "random"}], "seed": f"{6:064x}"})
    match, rng = Played(caller, answer.body), random.Random(6)
    own = match.credentials[1]
    while True:
        listed = match.must("ListLegalMoves", own)
        if not listed.get("decision"):
            break
        move = rng.choice(listed["legalMoves"])["moveId"]
        played = match.must("ApplyMove", own, decision_id=listed["decision"]["decisionId"], move_id=move)
        assert [update["cause"] for update in played["updates"]] == ["CAUSE_PERSON"] + ["CAUSE_BOT"] * (len(played["updates"]) - 1)
    assert match.view(own)["status"] == "MATCH_STATUS_FINISHED"


def test_dr_entropy_has_a_seat_and_no_credential(caller: Caller) -> None:
    answer = caller.call("CreateMatch", {"game": GAME, "seats": [{"display_name": "Ann"}]})
    seats = answer.body["match"]["seats"]
    assert [(seat["seat"], seat["controller"]) for seat in seats] == [(1, "CONTROLLER_PERSON"), (2, "CONTROLLER_AUTOMATON")]
    assert [access["seat"] for access in answer.body["seats"]] == [1]
    assert answer.body["match"]["mode"] == "SOLO"
    match = Played(caller, answer.body)
    for credential in (match.credentials[1], match.spectator):
        assert caller.call("GetMatch", {"match_id": match.match_id, "seat": 2}, credential).reason == "WRONG_SEAT"
    assert caller.call("RenewInvite", {"match_id": match.match_id, "seat": 2}, match.creator).reason == "INVALID_REQUEST"


def test_dr_entropy_answers_within_the_move(caller: Caller) -> None:
    match = begin(caller, 1, 2)
    rng = random.Random(2)
    while match.decision is not None:
        played = match.play(rng.choice(match.legal()["legalMoves"])["moveId"])
        assert len(played["updates"]) == 1
        assert set(match.open) <= {1}
    updates = match.must("ListEvents", match.spectator, page_size=500)["updates"]
    assert {update["seat"] for update in updates} == {0, 1}
    happened = {name for update in updates for event in update["events"] for name in event.get("monsterMashUp", {})}
    assert {"entropyRolled", "choicesRevealed", "monsterDied"} <= happened


# ---- simultaneous secret choices


def without_times(answer: Answer) -> dict[str, Any]:
    return {key: value for key, value in answer.body["match"].items() if key != "updateTime"}


def everything_seen(match: Played, credential: str) -> tuple[Any, ...]:
    this = {"match_id": match.match_id}
    return (
        without_times(match.caller.call("GetMatch", this, credential)),
        match.must("ListLegalMoves", credential, include_illegal=True) if credential != match.spectator else None,
        match.must("ListEvents", credential, page_size=500)["updates"],
    )


@pytest.mark.parametrize("first", [1, 2])
def test_a_committed_choice_shows_in_nothing_until_both_are_in(caller: Caller, first: int) -> None:
    """The same match up to the choice, with each choice in turn: what the others see is the same, whatever was chosen."""
    seen: dict[str, list[tuple[Any, ...]]] = {"other": [], "public": []}
    for choice in ("boost(fingers=0)", "boost(fingers=2)", "defend", "panic"):
        match = at_the_boost(caller)
        played = match.play(choice, by=first)
        [event] = played["updates"][0]["events"]
        assert event["monsterMashUp"] == {"choiceCommitted": {"seat": first}}
        assert list(match.open) == [3 - first]
        own = match.view(match.credentials[first])["view"]["monsterMashUp"]["seats"][first - 1]
        assert own["own"]["committedChoice"]["kind"] == "BOOST_KIND_" + choice.partition("(")[0].upper()
        assert "choice" not in own
        for who, credential in (("other", match.credentials[3 - first]), ("public", match.spectator)):
            shown = everything_seen(match, credential)
            assert "committedChoice" not in str(shown)
            seat = shown[0]["view"]["monsterMashUp"]["seats"][first - 1]
            assert seat["committed"] is True
            assert "choice" not in seat
            unlike = {"matchId", "createTime", "expireTime"}
            seen[who].append(({key: value for key, value in shown[0].items() if key not in unlike}, *shown[1:]))
    for shown in seen.values():
        assert all(each == shown[0] for each in shown)


def test_the_second_choice_answers_a_decision_that_was_open_all_the_time(caller: Caller) -> None:
    match = at_the_boost(caller)
    before = dict(match.open)
    match.play("boost(fingers=1)", by=2)
    assert match.open == {1: before[1]}
    again = caller.call("ApplyMove", {"match_id": match.match_id, "decision_id": before[2]["decisionId"], "move_id": "defend"}, match.credentials[2])
    assert again.reason == "DECISION_CLOSED"
    played = match.play("boost(fingers=0)", by=1)
    revealed = [event["monsterMashUp"]["choicesRevealed"] for event in played["updates"][0]["events"] if "choicesRevealed" in event["monsterMashUp"]]
    assert revealed == [{"choices": [{"kind": "BOOST_KIND_BOOST", "fingers": 0}, {"kind": "BOOST_KIND_BOOST", "fingers": 1}]}]


def test_monsters_of_the_first_battle_are_chosen_in_secret(caller: Caller) -> None:
    match = begin(caller, 2, 9)
    for _ in range(2):
        match.play(match.legal()["legalMoves"][0]["moveId"])
    assert list(match.open) == [1, 2]
    chosen = match.legal(match.credentials[2])["legalMoves"][3]["move"]["monsterMashUp"]["makeMonster"]
    played = match.play(f"make_monster(front={chosen['front']},back={chosen['back']})", by=2)
    assert [event["monsterMashUp"] for event in played["updates"][0]["events"]] == [{"monsterCommitted": {"seat": 2}}]
    for credential in (match.credentials[1], match.spectator):
        assert chosen["front"] not in str(everything_seen(match, credential))
        assert chosen["back"] not in str(everything_seen(match, credential))
    assert match.view(match.credentials[2])["view"]["monsterMashUp"]["seats"][1]["own"]["committedMonster"] == chosen


@pytest.mark.parametrize(("wanted", "field"), [
    ({"seats": [{}] * 3}, "seats"),
    ({"seats": [{}, {}], "options": {GAME: {"heads_to_win": 4}}}, f"options.{GAME}.heads_to_win"),
    ({"seats": [{}, {}], "options": {GAME: {"heads_to_win": 0}}}, f"options.{GAME}.heads_to_win"),
])  # fmt: skip
def test_what_the_game_cannot_take_is_refused_by_name(caller: Caller, wanted: dict[str, Any], field: str) -> None:
    answer = caller.call("CreateMatch", {"game": GAME} | wanted)
    assert answer.reason == "INVALID_REQUEST"
    assert answer.fields == [field]
