"""The proof of every match that was played by the rules is verified."""

import base64
import json
from typing import Any

import msgspec
import pytest
from google.protobuf import json_format

from engines.kit.contract import Game, Mode
from service.messages import Cause, MatchStatus
from tests.service.verify.matches import IDS, MODES, TREES, played, proof_of, rechain, tree_of, verified

WAYS: dict[str, dict[str, Any]] = {
    "persons": {},
    "with house bots": {"bots": True},
    "with late seats": {"late": 0.3},
    "with a seat that leaves": {"leaves_after": 4},
    "with client seeds": {"client_seeds": True},
    "with seats taken over": {"taken_over": 0.2},
    "with all of it": {"bots": True, "late": 0.2, "leaves_after": 12, "client_seeds": True, "taken_over": 0.1},
}


@pytest.mark.parametrize(("game", "mode"), MODES, ids=IDS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_it_is_verified(game: Game, mode: Mode, way: str, seed: int) -> None:
    match = played(game, mode, seed, **WAYS[way])
    found = verified(tree_of(match))
    assert found.match.version == match.record.version == len(match.entries)
    assert found.digest == match.record.digest.hex()


@pytest.mark.parametrize(("game", "mode"), MODES, ids=IDS)
def test_the_ways_of_these_tests_reach_every_cause_of_a_step(game: Game, mode: Mode) -> None:
    causes = {entry.cause for way in WAYS.values() for seed in range(4) for entry in played(game, mode, seed, **way).entries}
    assert causes == {Cause.SET_UP, Cause.PERSON, Cause.DEFAULT, Cause.LEAVE, Cause.ADMIN} | ({Cause.BOT} if mode.max_seats > 1 else set())


@pytest.mark.parametrize(("game", "mode"), MODES, ids=IDS)
def test_it_is_verified_however_its_json_was_written(game: Game, mode: Mode) -> None:
    proof = json_format.Parse(proof_of(played(game, mode)), TREES.message("umpire.v1.GetProofResponse")())
    without_defaults = json_format.MessageToJson(proof)
    in_the_contracts_names = json_format.MessageToJson(proof, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    for text in (without_defaults, in_the_contracts_names):
        assert verified(json.loads(text)).match.game == game.id


@pytest.mark.parametrize(("game", "mode"), MODES, ids=IDS)
def test_a_log_of_a_release_that_wrote_less_into_its_entries_is_verified(game: Game, mode: Mode) -> None:
    """Fields are added to the end of what is stored: what an earlier release wrote is shorter."""
    tree = tree_of(played(game, mode))
    shorter = 0
    for step in tree["steps"]:
        entry = msgspec.msgpack.decode(base64.b64decode(step["entry"]))
        entry[6] = [opened[:4] for opened in entry[6]]  # as before decisions had deadlines
        entry[7] = [closed[:2] for closed in entry[7]]
        written = msgspec.msgpack.encode(entry)
        shorter += len(written) < len(base64.b64decode(step["entry"]))
        step["entry"] = base64.b64encode(written).decode()
    assert shorter
    rechain(tree)
    assert verified(tree).digest == tree["digest"]


@pytest.mark.parametrize(("game", "mode"), MODES, ids=IDS)
def test_a_match_that_was_abandoned_is_verified(game: Game, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every game ends when a seat leaves; here none does."""
    engine = type(mode.engine(game.default_card_set))
    monkeypatch.setattr(engine, "leave", lambda _engine, _table, _seat: None)
    match = played(game, mode, 2, bots=True, leaves_after=3)
    assert match.record.status is MatchStatus.ABANDONED
    assert verified(tree_of(match)).match.outcome is None
