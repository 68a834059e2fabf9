"""The compiled contract as it is loaded."""

from pathlib import Path

import pytest

from engines.registry import games
from service.contract import COMPILED, ContractError, load_contract


def test_every_rpc_has_its_place_in_http() -> None:
    rpcs = load_contract(games()).rpcs
    apply_move = rpcs["/umpire.v1.MatchService/ApplyMove"]
    assert (apply_move.handler_name, apply_move.http) == ("apply_move", ("POST", "/v1/matches/{match_id}/moves", True))
    claim = rpcs["/umpire.v1.MatchService/ClaimSeat"].http
    assert claim is not None
    assert (claim.segments, claim.custom_verb) == (("v1", "matches", "{match_id}"), "claim")


def test_a_contract_that_was_not_compiled_says_what_compiles_it(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="make contract"):
        load_contract(games(), tmp_path / "contract.binpb")


@pytest.mark.parametrize("path", [b"/v1/games/{game=*}/rul", b"/v1/games/{game}/rul s", b"/v1/games/{game}/rule/"])
def test_a_path_that_cannot_be_served_ends_the_start(tmp_path: Path, path: bytes) -> None:
    old = b"/v1/games/{game}/rules"
    assert len(path) == len(old), "the descriptor says how long it is"
    compiled = tmp_path / "contract.binpb"
    compiled.write_bytes(COMPILED.read_bytes().replace(old, path))
    with pytest.raises(ContractError, match="cannot read the path"):
        load_contract(games(), compiled)
