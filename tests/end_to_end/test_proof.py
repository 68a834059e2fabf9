"""The proof of a match: for whom and when, what it holds, and that `umpire verify` verifies it as it comes."""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.matchmaking import Played, at_random, create
from tests.serving import Caller, RestCaller, Serving

README = (Path(__file__).parents[2] / "README.md").read_text()


def verify(proof: bytes, folder: Path) -> tuple[int, str]:
    """Run the command as a person would; it gets no server and no settings."""
    file = folder / "proof.json"
    file.write_bytes(proof)
    done = subprocess.run([sys.executable, "-m", "service.cli", "verify", str(file)], env={"PATH": ""}, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def proof_of(match: Played, credential: str = "") -> dict[str, Any]:
    return match.must("GetProof", credential or match.creator)


@pytest.fixture
def finished(caller: Caller) -> Played:
    match = create(caller, seats=[{"display_name": "Ann"}, {}], options={"goldn_crash": {"round_limit": 20}})
    match.play_out(at_random(3))
    return match


def test_every_seat_and_the_creator_get_the_same_proof(finished: Played) -> None:
    proofs = [proof_of(finished, credential) for credential in (finished.creator, *finished.credentials.values())]
    assert proofs[0] == proofs[1] == proofs[2]


def test_it_shows_the_match_as_everybody_sees_it(finished: Played) -> None:
    assert proof_of(finished, finished.credentials[1])["match"] == finished.view(finished.spectator)


def test_it_holds_the_seed_that_the_server_committed_to(finished: Played) -> None:
    proof = proof_of(finished)
    assert hashlib.sha256(bytes.fromhex(proof["seed"])).hexdigest() == finished.view(finished.spectator)["seedCommitment"]
    assert proof["clientSeeds"] == []
    assert proof["options"]["goldnCrash"] == {"bombStrength": "BOMB_STRENGTH_ALL_CARDS", "pileMinimum": 1, "firstSeat": 0, "roundLimit": 20}


def test_its_steps_are_the_history_with_every_field_open(finished: Played) -> None:
    proof = proof_of(finished)
    own = {seat: finished.must("ListEvents", credential, page_size=500)["updates"] for seat, credential in finished.credentials.items()}
    assert [step["version"] for step in proof["steps"]] == [update["version"] for update in own[1]]
    opened = 0
    for index, step in enumerate(proof["steps"]):
        for seat in (1, 2):
            update = own[seat][index]
            assert (step["cause"], step["seat"], len(step["events"])) == (update["cause"], update["seat"], len(update["events"]))
        for event, first, second in zip(step["events"], own[1][index]["events"], own[2][index]["events"], strict=True):
            assert first == second or event in (first, second)  # in this game what is hidden is hidden from one seat only
            opened += first != second
    assert opened > 5
    assert all(step["moveId"] for step in proof["steps"][1:])
    assert [draw["name"] for draw in proof["steps"][0]["draws"]][:2] == ["seat 1 crew", "seat 1 deck"]


def test_its_digests_chain_over_its_entries(finished: Played) -> None:
    proof, digest = proof_of(finished), b""
    for step in proof["steps"]:
        digest = hashlib.sha256(digest + hashlib.sha256(base64.b64decode(step["entry"])).digest()).digest()
        assert step["digest"] == digest.hex()
    assert proof["digest"] == digest.hex()


def test_it_is_verified(finished: Played, tmp_path: Path) -> None:
    status, said = verify(json.dumps(proof_of(finished)).encode(), tmp_path)
    assert status == 0, said
    assert said.startswith(f"verified: goldn_crash, {finished.version} steps, ")
    assert finished.view(finished.spectator)["seedCommitment"] in said


def test_client_seeds_are_in_it_by_seat_and_it_is_verified(caller: Caller, tmp_path: Path) -> None:
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}], "invite": True}).body
    match_id, credentials = created["match"]["matchId"], {}
    for access in reversed(created["seats"]):
        claim = {"match_id": match_id, "invite": access["invite"], "client_seed": f"dice-of-{access['seat']}"}
        credentials[access["seat"]] = caller.call("ClaimSeat", claim).body["credential"]
    caller.call("ResignSeat", {"match_id": match_id}, credentials[1])
    answer = caller.call("GetProof", {"match_id": match_id}, credentials[2])
    assert answer.body["clientSeeds"] == [{"seat": 1, "text": "dice-of-1"}, {"seat": 2, "text": "dice-of-2"}]
    assert answer.body["match"]["seedSource"] == "SEED_SOURCE_SERVER_AND_SEATS"
    status, said = verify(json.dumps(answer.body).encode(), tmp_path)
    assert status == 0, said
    assert all(f'client seed of seat {seat} "dice-of-{seat}"' in said for seat in (1, 2))


def test_a_client_seed_of_a_seat_that_was_given_anew_before_the_deal_counts_no_more(caller: Caller, tmp_path: Path) -> None:
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {}], "invite": True}).body
    this = {"match_id": created["match"]["matchId"]}
    caller.call("ClaimSeat", this | {"invite": created["seats"][0]["invite"], "client_seed": "gone"})
    renewed = caller.call("RenewInvite", this | {"seat": 1}, created["creatorCredential"]).body
    for invite in (renewed["invite"], created["seats"][1]["invite"]):
        claimed = caller.call("ClaimSeat", this | {"invite": invite}).body
    assert claimed["match"]["seedSource"] == "SEED_SOURCE_SERVER"
    caller.call("ResignSeat", this, claimed["credential"])
    answer = caller.call("GetProof", this, claimed["credential"])
    assert answer.body["clientSeeds"] == []
    assert verify(json.dumps(answer.body).encode(), tmp_path)[0] == 0


def test_a_match_with_house_bots_a_missed_deadline_and_a_seat_that_leaves_is_verified(caller: Caller, tmp_path: Path) -> None:
    created = caller.call("CreateMatch", {"game": "goldn_crash", "seats": [{}, {"house_bot": "keen"}], "move_timeout": "5s"}).body
    match = Played(caller, created)
    for _ in range(300):
        updates = match.must("ListEvents", match.spectator, page_size=500)["updates"]
        if "CAUSE_DEFAULT" in {update["cause"] for update in updates}:
            break
        time.sleep(0.1)
    match.must("ResignSeat", match.credentials[1])
    proof = proof_of(match, match.credentials[1])
    assert {"CAUSE_SET_UP", "CAUSE_DEFAULT", "CAUSE_LEAVE"} <= {step["cause"] for step in proof["steps"]}
    status, said = verify(json.dumps(proof).encode(), tmp_path)
    assert status == 0, said


def test_anybody_verifies_a_match_with_the_two_commands_of_the_readme(callers: dict[str, Caller], serving: Serving, tmp_path: Path) -> None:
    caller = callers["rest"]
    assert isinstance(caller, RestCaller)
    match = create(caller)
    match.play_out(at_random(1))
    (commands,) = re.findall(r"```sh\n([^`]*umpire verify[^`]*)```", README)
    binaries = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"SERVER": serving.http, "MATCH": match.match_id, "CREDENTIAL": match.credentials[1], "PATH": binaries}
    text = commands.replace(".venv/bin/umpire", "umpire")
    done = subprocess.run(["bash", "-eu"], input=text, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("verified: goldn_crash")
