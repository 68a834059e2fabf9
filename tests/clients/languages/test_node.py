"""clients/node/bot.mjs: plain grpc-js and proto-loader with the .proto files."""

import shutil
import subprocess
import time
from pathlib import Path

import grpc
import pytest

from service.contract import COMPILED
from tests.clients.languages.conftest import NODE_MODULES, ROOT, Run
from tests.clients.languages.newer_release import answers_as_later, later_pool
from tests.clients.languages.relay import Relay, loses_answers
from tests.matchmaking import Played, create
from tests.serving import API_KEY, GrpcCaller, Serving

BOT = ROOT / "clients" / "node" / "bot.mjs"


def test_it_is_under_forty_lines() -> None:
    assert len(BOT.read_text().splitlines()) < 40


def test_it_plays_a_match_of_its_own_making_to_the_end(run: Run, over_grpc: dict[str, str]) -> None:
    said = run("node", BOT, **over_grpc).splitlines()
    assert "Draw a card" in said
    assert ", won by: " in said[-1]


def test_two_of_them_play_a_match_against_each_other(binaries: Path, serving: Serving) -> None:
    caller = GrpcCaller(serving)
    played = create(caller)
    command = [str(binaries / "node"), str(BOT)]
    variables = {"PATH": "", "SERVER": serving.grpc, "MATCH": played.match_id}
    bots = [
        subprocess.Popen(command, env=variables | {"CREDENTIAL": credential}, stdout=subprocess.PIPE, text=True) for credential in played.credentials.values()
    ]
    said = [bot.communicate(timeout=120)[0].splitlines() for bot in bots]
    assert [bot.returncode for bot in bots] == [0, 0]
    match_ = played.view(played.spectator)
    caller.close()
    assert said[0][-1] == said[1][-1]
    assert said[0][-1].startswith(match_["outcome"]["reason"])
    assert len(said[0]) - 1 + len(said[1]) - 1 == match_["version"] - 1  # each move was said once, by the seat that made it


def test_a_copy_elsewhere_finds_the_proto_folder_by_a_variable(run: Run, over_grpc: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    shutil.copy(BOT, tmp_path / "bot.mjs")
    shutil.copytree(ROOT / "proto", tmp_path / "contract")
    assert ", won by: " in run("node", "bot.mjs", PROTO="contract", **over_grpc).splitlines()[-1]


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED], ids=lambda code: code.name)
def test_lost_answers_are_asked_for_again_and_nothing_is_played_twice(run: Run, serving: Serving, code: grpc.StatusCode) -> None:
    caller = GrpcCaller(serving)
    played = create(caller, seats=[{}, {"houseBot": "random"}])
    with Relay(serving.grpc, loses_answers(every=9, code=code)) as relay:
        said = run("node", BOT, SERVER=relay.address, MATCH=played.match_id, CREDENTIAL=played.credentials[1]).splitlines()
        asked = relay.count("ApplyMove")
    mine = _moves_of(played, seat=1)
    caller.close()
    assert len(said) - 1 == mine
    assert asked > mine  # some were sent more than once


def test_it_plays_a_whole_match_against_a_later_release(run: Run, serving: Serving) -> None:
    with Relay(serving.grpc, answers_as_later(later_pool(COMPILED))) as relay:
        said = run("node", BOT, SERVER=relay.address, API_KEY=API_KEY).splitlines()
    assert ", won by: " in said[-1]


def test_it_waits_until_all_seats_are_claimed(binaries: Path, serving: Serving) -> None:
    caller = GrpcCaller(serving)
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}], "invite": True}).body
    match_id, invites = created["match"]["matchId"], [seat["invite"] for seat in created["seats"]]
    claimed = caller.call("ClaimSeat", {"match_id": match_id, "invite": invites[0]}).body
    variables = {"PATH": "", "SERVER": serving.grpc, "MATCH": match_id, "CREDENTIAL": claimed["credential"]}
    bot = subprocess.Popen([str(binaries / "node"), str(BOT)], env=variables, stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    assert bot.poll() is None
    caller.call("ClaimSeat", {"match_id": match_id, "invite": invites[1]})
    caller.call("DeleteMatch", {"match_id": match_id}, created["creatorCredential"])
    bot.communicate(timeout=60)
    caller.close()
    assert bot.returncode == 1  # MATCH_NOT_FOUND: it does not wait for ever


def _moves_of(played: Played, seat: int) -> int:
    listed = played.must("ListEvents", played.spectator, page_size=500)
    assert not listed["nextSinceVersion"]
    return sum(update["cause"] == "CAUSE_PERSON" and update["seat"] == seat for update in listed["updates"])
