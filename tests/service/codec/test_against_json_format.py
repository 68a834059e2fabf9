"""The codec's protobuf and JSON, held against protobuf's own over random messages: every message of the contract, every game, every union member."""

import json
from random import Random
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message_factory import GetMessageClass

from engines.registry import games
from service.contract import COMPILED, Contract
from service.errors import InvalidRequest
from tests.service.codec import acorns
from tests.service.codec.generated import fill, set_path

_POOL, _FILES = acorns.pool_of(COMPILED)
_UNIONS = {"Move", "Event", "View", "Options", "Question", "MatchEvent", "MatchStarted", "SeatTimedOut", "SeatLeft", "MatchAbandoned", "SeatTakenOver"}
NAMES = sorted(name for file in _FILES for name in file.message_types_by_name if name not in _UNIONS)


def _random(pool: Any, codec: Any, name: str, rng: Random, density: float) -> tuple[Any, Any]:
    """Make a random message that can be read, and what it reads as; what the codec says is required is filled in."""
    message = GetMessageClass(pool.FindMessageTypeByName(name))()
    fill(message, rng, density=density)
    for _ in range(100):
        try:
            return message, codec.from_bytes(message.SerializeToString())
        except InvalidRequest as error:
            for violation in error.field_violations:
                assert violation.description == "is required", violation
                set_path(message, violation.field, rng)
    raise AssertionError("never complete")


def _check(pool: Any, codec: Any, name: str) -> None:
    for seed in range(60):
        rng = Random(f"{name} {seed}")
        message, struct = _random(pool, codec, name, rng, density=rng.choice((0.0, 0.3, 0.8, 1.0)))
        assert type(message).FromString(codec.to_bytes(struct)) == message
        text = codec.to_json(struct)
        assert json.loads(text) == json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
        assert json_format.Parse(text, type(message)()) == message
        for spelling in (False, True):
            written = json_format.MessageToJson(message, preserving_proto_field_name=spelling)
            assert codec.from_json(written.encode()) == struct


@pytest.mark.parametrize("name", NAMES)
def test_every_message_is_what_protobuf_makes_of_it(contract: Contract, name: str) -> None:
    _check(_POOL, contract.codec.message(f"umpire.v1.{name}"), f"umpire.v1.{name}")


@pytest.mark.parametrize("name", ["LegalMove", "Part", "AskRequest", "AskResponse"])
def test_a_game_that_the_codec_has_never_seen_is_too(acorns_contract: tuple[Any, Any], name: str) -> None:
    pool, codec = acorns_contract
    _check(pool, codec.message(f"umpire.v1.{name}"), f"umpire.v1.{name}")


@pytest.mark.parametrize("game", sorted(games()))
@pytest.mark.parametrize(("holder", "field", "union"), [("LegalMove", "move", "Move"), ("Update", "events", "Event"), ("Decision", "question", "Question")])
def test_every_member_of_every_union_makes_the_journey(contract: Contract, game: str, holder: str, field: str, union: str) -> None:
    codec = contract.codec.message(f"umpire.v1.{holder}")
    members = _POOL.FindMessageTypeByName(f"umpire.v1.{union}").fields_by_name[game].message_type.fields
    assert members
    for member in members:
        message = GetMessageClass(_POOL.FindMessageTypeByName(f"umpire.v1.{holder}"))()
        fill(message, Random(member.name), density=0)
        message.ClearField(field)
        target = getattr(message, field)
        inner = getattr(getattr(target.add() if union == "Event" else target, game), member.name)
        inner.SetInParent()
        fill(inner, Random(member.name), density=1)
        struct = codec.from_bytes(message.SerializeToString())
        value = getattr(struct, field)
        assert (value[0] if union == "Event" else value).__struct_config__.tag == member.name
        assert type(message).FromString(codec.to_bytes(struct)) == message
        assert json.loads(codec.to_json(struct)) == json_format.MessageToDict(message, always_print_fields_with_no_presence=True)


def test_the_parts_that_are_kept_written_are_told_apart(contract: Contract) -> None:
    codec = contract.codec.message("umpire.v1.ListLegalMovesResponse")
    message_class = GetMessageClass(_POOL.FindMessageTypeByName("umpire.v1.ListLegalMovesResponse"))
    for seed in range(40):
        message = message_class(version=seed)
        for _ in range(3):
            fill(message.legal_moves.add(), Random(seed % 7), density=1)
        fill(message.illegal_moves.add(), Random(seed), density=1)
        struct = codec.from_bytes(message.SerializeToString())
        assert message_class.FromString(codec.to_bytes(struct)) == message
        assert json.loads(codec.to_json(struct)) == json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
