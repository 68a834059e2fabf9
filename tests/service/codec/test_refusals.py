"""What a request is refused for: every bad field by its name in the contract, all of them at once."""

import json
from typing import Any

import pytest
from google.protobuf.message_factory import GetMessageClass
from msgspec import UNSET

from service.errors import MOST_VIOLATIONS, InvalidRequest
from tests.service.codec.acorns import AcornsOptions, AskRequest, Eat, Gather, Nut

GATHER = {"fromTree": 3, "nut": "NUT_OAK", "quietly": False, "note": ""}
MOVE = "move.acorns.gather"


def refused(codec: Any, body: bytes | dict[str, Any]) -> dict[str, str]:
    """Read a body that must be refused; return what is said of each field."""
    with pytest.raises(InvalidRequest) as caught:
        codec.from_json(body if isinstance(body, bytes) else json.dumps(body).encode())
    fields = [violation.field for violation in caught.value.field_violations]
    assert len(set(fields)) == len(fields), "a field is named twice"
    return dict(caught.value.field_violations)


def gather(**changes: Any) -> dict[str, Any]:
    return {"decisionId": 1, "move": {"acorns": {"gather": GATHER | changes}}}


def test_both_spellings_are_read(request_codec: Any) -> None:
    body = {"match_id": "m", "decisionId": 7, "move": {"acorns": {"gather": {"from_tree": 3, "nut": "NUT_OAK", "quietly": True, "note": "x"}}}}
    assert request_codec.from_json(json.dumps(body).encode()) == AskRequest(match_id="m", decision_id=7, move=Gather(3, Nut.OAK, True, "x"))


@pytest.mark.parametrize("number", ["23", "23.0", '"23"', "2.3e1"])
def test_an_integer_may_be_written_like_this(request_codec: Any, number: str) -> None:
    assert request_codec.from_json(f'{{"decisionId": {number}}}'.encode()).decision_id == 23


@pytest.mark.parametrize(
    "number", ["2.5", "true", '"2.5"', '" 2"', '"+2"', '"1_0"', '"\\u0663"', '""', "2147483648", "-2147483649", "1e999", "[]", "{}", '"99999999999"']
)
def test_an_integer_may_not_be_written_like_this(request_codec: Any, number: str) -> None:
    assert list(refused(request_codec, f'{{"decisionId": {number}}}'.encode())) == ["decision_id"]


def test_an_enum_is_read_by_name_and_by_number(request_codec: Any) -> None:
    for nut in ("NUT_BEECH", 2):
        assert request_codec.from_json(json.dumps(gather(nut=nut)).encode()).move.nut is Nut.BEECH


@pytest.mark.parametrize("nut", ["NUT_UNSPECIFIED", 0, 9, -1, "OAK", "nut_oak", "", True, 1.5, [], {}])
def test_an_enum_is_refused_for_anything_else(request_codec: Any, nut: Any) -> None:
    assert list(refused(request_codec, gather(nut=nut))) == [f"{MOVE}.nut"]


def test_null_is_absent(request_codec: Any) -> None:
    body = {"decisionId": 1, "moveId": None, "move": None, "options": None, "parts": None, "ttl": None, "omitView": None, "pageSize": None}
    assert request_codec.from_json(json.dumps(body).encode()) == AskRequest(decision_id=1)


def test_a_null_in_a_list_is_refused(request_codec: Any) -> None:
    assert list(refused(request_codec, {"decisionId": 1, "parts": [{}, None]})) == ["parts[1]"]


def test_all_bad_fields_are_named_at_once(request_codec: Any) -> None:
    body = {
        "matchId": 5,
        "moveId": False,
        "parts": [{}, {"displayName": 1, "house": "yes", "colour": "red"}, 7],
        "move": {"acorns": {"gather": {"fromTree": "x", "nut": "NUT_UNSPECIFIED", "note": 1, "treee": 1}}},
        "ttl": "a week",
        "since": "yesterday",
        "pageSize": 2**40,
        "omit_view": 0,
        "sneaky": 1,
    }
    assert set(refused(request_codec, body)) == {
        "match_id", "decision_id", "move_id", "parts[1].display_name", "parts[1].house", "parts[1].colour", "parts[2]", f"{MOVE}.from_tree", f"{MOVE}.nut",
        f"{MOVE}.quietly", f"{MOVE}.note", f"{MOVE}.treee", "ttl", "since", "page_size", "omit_view", "sneaky",
    }  # fmt: skip


def test_a_move_lacks_nothing_silently(request_codec: Any) -> None:
    wanted = {f"{MOVE}.{name}": "is required" for name in ("from_tree", "nut", "quietly", "note")}
    assert refused(request_codec, {"decisionId": 1, "move": {"acorns": {"gather": {}}}}) == wanted


def test_a_move_without_fields_needs_none(request_codec: Any) -> None:
    assert request_codec.from_json(b'{"decisionId": 1, "move": {"acorns": {"eat": {}}}}').move == Eat()


@pytest.mark.parametrize(
    ("move", "field"),
    [
        ({}, "move"),
        ({"acorns": None}, "move"),
        ({"acorns": {}}, "move.acorns"),
        ({"acorns": {"gather": GATHER, "eat": {}}}, "move.acorns.eat"),
        ({"beeches": {}}, "move.beeches"),
        ({"acorns": {"nap": {}}}, "move.acorns.nap"),
        ({"acorns": {"eat": 1}}, "move.acorns.eat"),
        ([], "move"),
        ("eat", "move"),
    ],
)
def test_a_move_is_exactly_one_member(request_codec: Any, move: Any, field: str) -> None:
    assert list(refused(request_codec, {"decisionId": 1, "move": move})) == [field]


@pytest.mark.parametrize("options", [None, {}, {"acorns": None}])
def test_no_options_are_absent(request_codec: Any, options: Any) -> None:
    assert request_codec.from_json(json.dumps({"decisionId": 1, "options": options}).encode()).options is None


def test_an_option_that_is_absent_is_left_to_the_rules(request_codec: Any) -> None:
    options = request_codec.from_json(b'{"decisionId": 1, "options": {"acorns": {}}}').options
    assert isinstance(options, AcornsOptions)
    assert (options.rounds, options.favourite) == (UNSET, UNSET)
    assert request_codec.from_json(b'{"decisionId": 1, "options": {"acorns": {"rounds": 0}}}').options.rounds == 0
    assert list(refused(request_codec, {"decisionId": 1, "options": {"acorns": {"favourite": 0}}})) == ["options.acorns.favourite"]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ('{"decisionId": 1, "decisionId": 1}', ["decision_id"]),
        ('{"decisionId": 1, "decision_id": 1}', ["decision_id"]),
        ('{"decisionId": 1, "moveId": null, "move_id": "a"}', ["move_id"]),
        ('{"decisionId": 1, "parts": [{"house": true, "house": true}]}', ["parts[0].house"]),
        ('{"decisionId": 1, "move": {"acorns": {"eat": {}, "eat": {}}}}', ["move.acorns.eat"]),
        ('{"decisionId": 1, "what": 1, "what": 1}', ["what"]),
    ],
)
def test_a_field_that_is_given_twice_is_refused(request_codec: Any, body: str, fields: list[str]) -> None:
    assert list(refused(request_codec, body.encode())) == fields


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"nonsense", b"[]", b"null", b"1", b'"x"', b"{'decisionId': 1}", b'{"decisionId": 1,}', b'{"decisionId": 1} {}', b'{"decisionId": NaN}',
        b'{"decisionId": Infinity}', b'{"decisionId": -Infinity}', b'{"decisionId": 01}', b'{"matchId": "\xff"}', b'{"matchId": "\xed\xa0\x80"}',
        b'\xef\xbb\xbf{"decisionId": 1}', '{"decisionId": 1}'.encode("utf-16"), b'{"parts": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"decisionId": ' + b"9" * 5_000 + b"}", b'{"matchId": "line\nbreak"}',
    ],
)  # fmt: skip
def test_what_is_no_json_object_is_refused_as_a_whole(request_codec: Any, body: bytes) -> None:
    assert list(refused(request_codec, body)) == [""]


def test_half_a_surrogate_pair_is_no_text(request_codec: Any) -> None:
    assert list(refused(request_codec, rb'{"decisionId": 1, "matchId": "\ud83d"}')) == ["match_id"]
    assert request_codec.from_json(rb'{"decisionId": 1, "matchId": "\ud83d\ude00"}').match_id == "😀"
    refused(request_codec, rb'{"decisionId": 1, "\ud83d": 1}')


def test_what_a_caller_made_up_is_told_shortened_and_not_without_end(request_codec: Any) -> None:
    told = refused(request_codec, {"decisionId": 1} | {f"{number:05}" + "x" * 200: 1 for number in range(250)})
    assert len(told) == MOST_VIOLATIONS
    assert max(map(len, told)) <= 64


@pytest.mark.parametrize("ttl", ["90", "90 s", "1h", "-", "s", 90, "1e3s", "9999999999999s", ".5s", "1.0000000001s", "315576000001s"])
def test_a_duration_is_seconds(request_codec: Any, ttl: Any) -> None:
    assert list(refused(request_codec, {"decisionId": 1, "ttl": ttl})) == ["ttl"]


@pytest.mark.parametrize(
    ("ttl", "ms"), [("90s", 90_000), ("0.5s", 500), ("-1.5s", -1_500), ("1.2345s", 1_234), ("-0.000000001s", 0), ("315576000000s", 315_576_000_000_000)]
)
def test_a_duration_is_read_to_the_millisecond(request_codec: Any, ttl: str, ms: int) -> None:
    assert request_codec.from_json(json.dumps({"decisionId": 1, "ttl": ttl}).encode()).ttl == ms


@pytest.mark.parametrize(
    "since", ["2026-01-31", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "2026-01-31T12:00:00z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", 5]
)
def test_a_time_is_rfc_3339(request_codec: Any, since: Any) -> None:
    assert list(refused(request_codec, {"decisionId": 1, "since": since})) == ["since"]


@pytest.mark.parametrize(("since", "ms"), [("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T23:59:59.999Z", -1), ("1970-01-01T00:00:00.123456789Z", 123)])
def test_a_time_is_read_to_the_millisecond(request_codec: Any, since: str, ms: int) -> None:
    assert request_codec.from_json(json.dumps({"decisionId": 1, "since": since}).encode()).since == ms


def test_a_refusal_knows_the_match_that_was_named(request_codec: Any, acorns_contract: Any) -> None:
    for body, match_id in ((b'{"matchId": "m"}', "m"), (b'{"match_id": "m", "matchId": "n"}', ""), (b'{"matchId": 3}', ""), (b"{", "")):
        with pytest.raises(InvalidRequest) as caught:
            request_codec.from_json(body)
        assert caught.value.match_id == match_id
    message = GetMessageClass(acorns_contract[0].FindMessageTypeByName("umpire.v1.AskRequest"))(match_id="m")
    with pytest.raises(InvalidRequest) as caught:
        request_codec.from_bytes(message.SerializeToString())
    assert caught.value.match_id == "m"


def test_protobuf_is_held_to_the_same(request_codec: Any, acorns_contract: Any) -> None:
    make = GetMessageClass(acorns_contract[0].FindMessageTypeByName("umpire.v1.AskRequest"))
    message = make()
    message.move.acorns.gather.nut = 7
    message.options.acorns.favourite = 0
    message.ttl.seconds, message.ttl.nanos = 1, -1
    message.since.nanos = -1
    with pytest.raises(InvalidRequest) as caught:
        request_codec.from_bytes(message.SerializeToString())
    wanted = {"decision_id", f"{MOVE}.from_tree", f"{MOVE}.nut", f"{MOVE}.quietly", f"{MOVE}.note", "options.acorns.favourite", "ttl", "since"}
    assert {violation.field for violation in caught.value.field_violations} == wanted
    for path, body in (("move", b"\x18\x00"), ("move.acorns", b"\x0a\x00")):
        with pytest.raises(InvalidRequest) as caught:
            request_codec.from_bytes(b"\x10\x01" + b"\x22" + bytes([len(body)]) + body)
        assert [violation.field for violation in caught.value.field_violations] == [path]


def test_protobuf_that_cannot_be_parsed_is_refused(request_codec: Any) -> None:
    for data in (b"\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe"):
        with pytest.raises(InvalidRequest) as caught:
            request_codec.from_bytes(data)
        assert [violation.field for violation in caught.value.field_violations] == [""]


def test_protobuf_fields_that_are_not_known_are_ignored(request_codec: Any) -> None:
    assert request_codec.from_bytes(b"\x10\x01\xf8\x3f\x05") == AskRequest(decision_id=1)


def test_parts_of_a_request_are_put_together(request_codec: Any) -> None:
    read = request_codec.from_parts(b'{"moveId": "eat"}', {"match_id": "m"}, [("decisionId", "4"), ("omit_view", "true"), ("ttl", "60s")])
    assert read == AskRequest(match_id="m", decision_id=4, move_id="eat", omit_view=True, ttl=60_000)


def test_parts_of_a_request_are_refused_together(request_codec: Any) -> None:
    with pytest.raises(InvalidRequest) as caught:
        request_codec.from_parts(
            b'{"matchId": "other", "moveId": 1}',
            {"match_id": "m"},
            [("omitView", "yes"), ("pageSize", "x"), ("page_size", "1"), ("move", "eat"), ("token", "t")],
        )
    assert {violation.field for violation in caught.value.field_violations} == {"match_id", "decision_id", "move_id", "omit_view", "page_size", "move", "token"}
