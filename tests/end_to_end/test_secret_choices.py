"""A choice that is made in secret: until it is laid open, all others get the same bytes, whatever was chosen.

Two matches of one seed are played alike up to a decision that two seats are asked at once. Then one of them chooses this in one match and that in the other.
Unlike re-dealing, this also compares what steps leave behind: the history, what streams catch up with, remembered requests.
"""

import random
import re
from collections.abc import Iterator

import httpx
import pytest

from tests.matchmaking import Played, create
from tests.serving import Answer, Caller, RestCaller, Serving

_TIMES = re.compile(rb'"\d{4}-\d\d-\d\dT[\d:.]+Z"')
REQUEST = "the-chooser's-own"


@pytest.fixture
def rest(serving: Serving) -> Iterator[RestCaller]:
    caller = RestCaller(serving)
    yield caller
    caller.close()


def up_to(kind: str, caller: Caller, seed: int) -> Played:
    """Play at random until two seats are asked at once for a decision of this kind; with the same seed the same way."""
    rng = random.Random(seed)
    match = create(caller, game="monster_mash_up", seats=[{}, {}], seed=f"{seed:064x}")
    while [decision["kind"] for decision in match.open.values()] != [kind, kind]:
        seat = min(match.open)
        match.play(rng.choice(match.legal(match.credentials[seat])["legalMoves"])["moveId"], by=seat)
    return match


def same_for_all(match: Played, raw: bytes) -> bytes:
    """Leave out what tells the two matches apart for everybody: the id and the times."""
    return _TIMES.sub(b'"time"', raw.replace(match.match_id.encode(), b"match"))


def asked(match: Played, credential: str) -> Iterator[Answer]:
    """Ask for all that there is: every version, every seat, every decision, the chooser's request, what is not to be had before the end."""
    this, call = {"match_id": match.match_id}, match.caller.call
    for version in range(match.version + 2):
        yield call("ListEvents", this | {"since_version": version}, credential)
        yield call("GetMatch", this | {"at_version": version}, credential)
        for move in ("boost(fingers=6)", "make_monster(front=x,back=x)"):
            yield call("ApplyMove", this | {"decision_id": version, "move_id": move, "request_id": REQUEST}, credential)
    for seat in range(3):
        yield call("GetMatch", this | {"seat": seat}, credential)
        yield call("ListLegalMoves", this | {"seat": seat, "include_illegal": True}, credential)
    yield call("GetProof", this, credential)


def streamed(serving: Serving, match: Played, credential: str, query: str) -> bytes:
    url, headers = f"{serving.http}/v1/matches/{match.match_id}/events:watch?with_view=true{query}", {"authorization": f"Bearer {credential}"}
    with httpx.stream("GET", url, headers=headers, timeout=20) as answer:
        text = b""
        for part in answer.iter_raw():
            text += part
            if b"id: %d\n" % match.version in text and text.endswith(b"\n\n"):
                break
    return text


def all_that_one_gets(serving: Serving, match: Played, credential: str) -> list[bytes]:
    answers = [answer.reason.encode() + answer.raw for answer in asked(match, credential)]
    streams = [streamed(serving, match, credential, query) for query in ("", "&since_version=0", f"&since_version={match.version - 1}")]
    return [same_for_all(match, raw) for raw in answers + streams]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["MAKE_MONSTER", "BOOST"])
@pytest.mark.parametrize("chooser", [1, 2])
def test_nobody_else_learns_from_any_answer_what_was_chosen(serving: Serving, rest: RestCaller, kind: str, chooser: int, seed: int) -> None:
    one, other = up_to(kind, rest, seed), up_to(kind, rest, seed)
    legal = [move["moveId"] for move in one.legal(one.credentials[chooser])["legalMoves"]]
    assert legal == [move["moveId"] for move in other.legal(other.credentials[chooser])["legalMoves"]]
    this, that = random.Random(seed).sample(legal, 2)
    one.play(this, by=chooser, request_id=REQUEST)
    other.play(that, by=chooser, request_id=REQUEST)
    for holder in (3 - chooser, 0, -1):
        credentials = [{0: match.spectator, -1: match.creator}.get(holder) or match.credentials[holder] for match in (one, other)]
        assert all_that_one_gets(serving, one, credentials[0]) == all_that_one_gets(serving, other, credentials[1])
    own = [all_that_one_gets(serving, match, match.credentials[chooser]) for match in (one, other)]
    assert own[0] != own[1], "who chose sees what it chose: the law was tried"
