"""Whole matches through the API reach every ending, over each transport."""

from typing import Any

import pytest

from tests.matchmaking import Choose, Played, at_random, create
from tests.serving import Caller


def prefer(*types: str) -> Choose:
    """Choose the first move of the first of these types that is legal, else the last move listed."""

    def choose(_view: dict[str, Any], moves: list[dict[str, Any]]) -> dict[str, Any]:
        for kind in types:
            for move in moves:
                if move["moveId"].startswith(kind):
                    return move
        return moves[-1]

    return choose


def bomber(_view: dict[str, Any], moves: list[dict[str, Any]]) -> dict[str, Any]:
    """Fill columns, and bomb from long ones."""
    bombs = [move for move in moves if "BOMB_" in move["moveId"] and move["moveId"].startswith("play_card")]
    others = [move for move in moves if move["moveId"].startswith("play_card") and move not in bombs]
    draws = [move for move in moves if move["moveId"] == "draw"]
    return (others or bombs or draws or moves)[0]


def seeded(number: int) -> str:
    return f"{number:064x}"


def play(caller: Caller, seed: int, choose: Choose, **options: Any) -> tuple[Played, dict[str, Any]]:
    match = create(caller, seed=seeded(seed), options={"goldn_crash": options})
    outcome = match.play_out(choose)
    for credential in (*match.credentials.values(), match.spectator):
        seen = match.view(credential)
        assert seen["status"] == "MATCH_STATUS_FINISHED"
        assert seen["outcome"] == outcome
        assert seen["decisions"] == []
    for credential in match.credentials.values():
        listed = match.must("ListLegalMoves", credential, include_illegal=True)
        assert "decision" not in listed
        assert listed["legalMoves"] == listed["illegalMoves"] == []
    assert match.must("ListEvents", match.spectator, page_size=500)["updates"][-1]["events"][-1]["goldnCrash"]["matchEnded"]["reason"] == outcome["reason"]
    return match, outcome


def test_the_zeppelins_are_destroyed(caller: Caller) -> None:
    for seed in range(40):
        _, outcome = play(caller, seed, at_random(seed) if seed % 2 else bomber)
        if outcome["reason"] == "ZEPPELINS_DESTROYED":
            assert len(outcome["winners"]) == 1
            return
    pytest.fail("no match of these seeds ends so")


def test_a_deck_runs_out(caller: Caller) -> None:
    _, outcome = play(caller, 3, prefer("draw", "secure_from", "play_card(card=SECURE", "discard_card"))
    assert outcome["reason"] == "DECK_EMPTY"
    first, second = outcome["scores"]
    assert outcome["winners"] == ([] if first == second else [1 if first > second else 2])


def test_a_deck_runs_out_and_nobody_has_more(caller: Caller) -> None:
    _, outcome = play(caller, 5, prefer("draw", "pass_turn"))
    assert (outcome["reason"], outcome["winners"], outcome["scores"]) == ("DECK_EMPTY", [], [0, 0])


def test_the_rounds_are_used_up(caller: Caller) -> None:
    _, outcome = play(caller, 7, at_random(7), round_limit=10)
    assert outcome["reason"] == "ROUND_LIMIT"


def test_house_bots_play_a_whole_match_by_themselves(caller: Caller) -> None:
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{"house_bot": "keen"}, {"house_bot": "random"}], "seed": seeded(11)})
    match = Played(caller, created.body)
    for _ in range(400):
        seen = match.view(match.spectator)
        if seen["status"] == "MATCH_STATUS_FINISHED":
            break
    assert seen["status"] == "MATCH_STATUS_FINISHED"
    updates = match.must("ListEvents", match.spectator, page_size=500)["updates"]
    assert {update["cause"] for update in updates} == {"CAUSE_SET_UP", "CAUSE_BOT"}
    assert [update["version"] for update in updates] == list(range(1, seen["version"] + 1))


def test_a_person_plays_against_a_house_bot(caller: Caller) -> None:
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {"house_bot": "keen"}], "seed": seeded(13)})
    match = Played(caller, created.body)
    choose, own = at_random(13), match.credentials[1]
    while True:
        listed = match.must("ListLegalMoves", own)
        if not listed.get("decision"):
            break
        assert listed["decision"]["seat"] == 1
        move = choose({}, listed["legalMoves"])["moveId"]
        played = match.must("ApplyMove", own, decision_id=listed["decision"]["decisionId"], move_id=move)
        assert played["updates"][0]["cause"] == "CAUSE_PERSON"
        assert {update["cause"] for update in played["updates"][1:]} <= {"CAUSE_BOT"}
        assert "decision" in played or played["status"] == "MATCH_STATUS_FINISHED"
    assert match.view(own)["status"] == "MATCH_STATUS_FINISHED"


def test_history_comes_in_pages(caller: Caller) -> None:
    match, _ = play(caller, 5, prefer("draw", "pass_turn"))
    whole = match.must("ListEvents", match.spectator, page_size=500)
    assert whole["nextSinceVersion"] == 0
    pages, since = [], 0
    while True:
        page = match.must("ListEvents", match.spectator, page_size=7, since_version=since)
        assert page["version"] == whole["version"]
        pages += page["updates"]
        since = page["nextSinceVersion"]
        if since == 0:
            break
    assert pages == whole["updates"]
    assert match.must("ListEvents", match.spectator, since_version=whole["version"])["updates"] == []


def test_pages_of_history_stay_what_they_are_while_the_match_goes_on(caller: Caller) -> None:
    match, choose = create(caller, seed=seeded(5)), at_random(5)
    viewers = (match.credentials[1], match.credentials[2], match.spectator)
    pages: dict[str, list[dict[str, Any]]] = {viewer: [] for viewer in viewers}
    while match.decision is not None:
        match.play(choose({}, match.legal()["legalMoves"])["moveId"], omit_view=True)
        for viewer, seen in pages.items():
            if match.version - len(seen) > 3:  # so that pages are read while there are more
                seen.extend(match.must("ListEvents", viewer, since_version=len(seen), page_size=2)["updates"])
    for viewer, seen in pages.items():
        assert len(seen) > 20
        assert seen == match.must("ListEvents", viewer, page_size=500)["updates"][: len(seen)]


def test_invites_are_claimed_and_the_last_claim_deals(caller: Caller) -> None:
    answer = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{"display_name": "Ann"}, {}], "invite": True})
    created = answer.body
    assert created["match"]["status"] == "MATCH_STATUS_WAITING"
    assert created["match"]["version"] == 0
    assert "view" not in created["match"]
    match_id = created["match"]["matchId"]
    assert [seat["credential"] for seat in created["seats"]] == ["", ""]
    first = caller.call("ClaimSeat", {"match_id": match_id, "invite": created["seats"][0]["invite"], "client_seed": "ann-42", "request_id": "c1"})
    again = caller.call("ClaimSeat", {"match_id": match_id, "invite": created["seats"][0]["invite"], "client_seed": "ann-42", "request_id": "c1"})
    assert first.body["credential"] == again.body["credential"]
    assert first.body["match"]["status"] == "MATCH_STATUS_WAITING"
    second = caller.call("ClaimSeat", {"match_id": match_id, "invite": created["seats"][1]["invite"], "display_name": "Ben"})
    dealt = second.body["match"]
    assert (dealt["status"], dealt["version"], dealt["viewer"]) == ("MATCH_STATUS_ACTIVE", 1, 2)
    assert [seat["displayName"] for seat in dealt["seats"]] == ["Ann", "Ben"]
    assert dealt["seedSource"] == "SEED_SOURCE_SERVER_AND_SEATS"
    assert dealt["seedCommitment"] == created["match"]["seedCommitment"]


def test_a_renewed_invite_gives_the_seat_to_another(caller: Caller) -> None:
    match = create(caller)
    renewed = match.must("RenewInvite", match.creator, seat=1)
    assert caller.call("GetMatch", {"match_id": match.match_id}, match.credentials[1]).reason == "CREDENTIAL_INVALID"
    claimed = caller.call("ClaimSeat", {"match_id": match.match_id, "invite": renewed["invite"]})
    assert claimed.body["match"]["viewer"] == 1
    assert caller.call("GetMatch", {"match_id": match.match_id}, claimed.body["credential"]).ok


def test_a_hot_seat_credential_opens_all_person_seats(caller: Caller) -> None:
    match = create(caller, hot_seat=True)
    both = match.credentials[1]
    assert match.credentials[2] == both
    for seat in (1, 2):
        assert match.view(both, seat=seat)["viewer"] == seat
    assert match.view(both, seat=0)["viewer"] == 0
    assert match.decision is not None
    assert match.apply("draw", seat=match.decision["seat"]).ok


def test_a_deleted_match_is_gone(caller: Caller) -> None:
    match = create(caller)
    match.must("DeleteMatch", match.creator)
    assert caller.call("DeleteMatch", {"match_id": match.match_id}, match.creator).reason == "MATCH_NOT_FOUND"
    assert match.apply("draw").reason == "MATCH_NOT_FOUND"


def test_answers_leave_out_what_was_not_wanted(caller: Caller) -> None:
    match = create(caller)
    played = match.play("draw", omit_view=True, omit_legal_moves=True)
    assert "view" not in played
    assert played["legalMoves"] == []
    assert "view" not in match.view(match.spectator, omit_view=True)
