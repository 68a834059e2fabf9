"""The short way of a JSON body, held against the long way: it reads nothing that the long way refuses, and what it reads it reads alike."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.registry import games
from service import messages
from service.codec.binding import Binding
from service.codec.plan import Kind, MessagePlan
from service.codec.quick_json import quick_reader
from service.codec.read_json import JsonReader
from service.codec.read_protobuf import ProtobufReader
from service.contract import COMPILED
from service.errors import InvalidRequest
from tests.service.codec import acorns
from tests.service.codec.wired import MessageCodec

NO_PATH: Mapping[str, str] = {}
_POOL, _FILES = acorns.pool_of(COMPILED)
PLANS = {
    name.removeprefix("umpire.v1."): plan
    for name, plan in sorted(Binding(_FILES, messages, games(), messages.MATCH_EVENTS).plans.items())
    if name.endswith("Request")
}
QUICK = {name: quick_reader(plan) for name, plan in PLANS.items()}


def without_the_short_way(plan: MessagePlan) -> MessageCodec:
    def unused(_struct: Any) -> bytes:
        raise NotImplementedError

    return MessageCodec(plan, unused, unused, ProtobufReader().read(plan), JsonReader().read(plan), lambda _body, _path: None)


LONG = {name: without_the_short_way(plan) for name, plan in PLANS.items()}


def same_as_the_long_way(name: str, body: bytes, path: Mapping[str, str] = NO_PATH) -> bool:
    """Hold a body's short reading, if there is one, against the long one; whether there is one."""
    quickly = QUICK[name](body, path)
    if quickly is None:
        return False
    try:
        wanted = LONG[name].from_parts(body, path, ())
    except InvalidRequest as refusal:
        raise AssertionError(f"{name} {body!r} {path}: the long way refuses {refusal.field_violations}") from refusal
    # Compared with their types: to Python 1, 1.0 and True are the same.
    assert repr(quickly) == repr(wanted), f"{name} {body!r} {path}"
    assert quickly == wanted
    if not path:
        assert LONG[name].from_json(body) == quickly
    return True


# ---- bodies: mostly nearly right, since what is far from right teaches nothing

numbers = st.one_of(
    st.integers(-3, 3).map(str),
    st.sampled_from([2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63, 2**64, 10**30]).map(str),
    st.sampled_from(["-0", "1e2", "1E+2", "0e0", "1.0", "-0.0", "2.5", "01", "+1", "1.", ".5", "-", "1e", "1e400", "1e-400", "0x1", "NaN", "Infinity", "1_0"]),
    st.floats(allow_nan=False).map(repr),
)
texts = st.one_of(
    st.text(max_size=5).map(json.dumps),
    st.text(max_size=5).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.sampled_from(
        ['""', '":"', '"\\u003a"', '"a:b:c"', '"\\u0000"', '"\x00"', '"\x7f"', '"line\nbreak"', '"\\/"', '"\\x"', '"\\u00e"', "'a'", '"\\"', '"open']
    ),
    st.sampled_from(['"\\ud800"', '"\\udc00"', '"\\ud83d\\ude00"', '"\\ude00\\ud83d"', '"\\ud83d\\u0041"', '"\\ud83dx"', '"\\uD83D\\uDE00"', '"1"', '"true"']),
)
others = st.sampled_from(["null", "true", "false", "True", "[]", "{}", "[1]", '{"a": 1}', '{"matchId": "m"}', "", "nul", "[[[]]]", "{", "}"])
spaces = st.sampled_from(["", "", "", " ", "\n", "\t\r", "\x0b", "\xa0", "\ufeff", "\x00", "/**/"])
RIGHT = {Kind.INT32: st.integers(-(2**31), 2**31 - 1).map(str), Kind.STRING: st.text(max_size=5).map(json.dumps), Kind.BOOL: st.sampled_from(["true", "false"])}


def keys(plan: MessagePlan) -> st.SearchStrategy[str]:
    named = st.sampled_from([spelling for field in plan.fields for spelling in (field.json_name, field.json_name, field.name)] or ["none"])
    escaped = named.flatmap(lambda name: st.integers(0, len(name) - 1).map(lambda place: f"{name[:place]}\\u{ord(name[place]):04x}{name[place + 1 :]}"))
    made_up = st.sampled_from(["", "match", "MatchId", "match-id", "\\ud800", "\\u0000", "__class__", "matchId ", "a:b", "matchId\\u003a", "matchIdé"])
    return st.one_of(named, named, named, escaped, made_up)


@st.composite
def bodies(draw: st.DrawFn, plan: MessagePlan) -> bytes:
    """An object of members of which each may be right or not, with a byte or two changed now and then."""
    kinds = {spelling: field.kind for field in plan.fields for spelling in (field.name, field.json_name)}
    members = []
    for key in draw(st.lists(keys(plan), max_size=5, unique=draw(st.booleans()))):
        wild = st.one_of(numbers, texts, others)
        value = draw(
            st.one_of(RIGHT.get(kinds.get(key, Kind.UNION), wild), wild) if draw(st.integers(0, 3)) == 0 else RIGHT.get(kinds.get(key, Kind.UNION), wild)
        )
        members.append(f'{draw(spaces)}"{key}"{draw(spaces)}{draw(st.sampled_from([":"] * 30 + ["", "=", "::"]))}{draw(spaces)}{value}{draw(spaces)}')
    comma = draw(st.sampled_from([","] * 30 + ["", ";", ",,"]))
    start, end = draw(
        st.sampled_from([("{", "}")] * 30 + [("", ""), ("[", "]"), ("{", ""), ("{,", "}"), ("{", ",}"), ("{", "}}"), ("{", "} {}"), ("[{", "}]")])
    )
    body = f"{draw(spaces)}{start}{comma.join(members)}{end}{draw(spaces)}".encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 5)) == 0 and body:
        place = draw(st.integers(0, len(body) - 1))
        body = body[:place] + draw(st.binary(max_size=2)) + body[place + draw(st.integers(0, 2)) :]
    return body


def paths(plan: MessagePlan) -> st.SearchStrategy[dict[str, str]]:
    """What a path may give: fields of the message, mostly texts, with anything that a path can hold; and once in a while a name that is none."""
    names = [field.name for field in plan.fields if field.kind.is_scalar and not field.repeated]
    return st.dictionaries(st.sampled_from([*names, "sneaky"]), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5), max_size=2)


@pytest.mark.parametrize("name", PLANS)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_whatever_the_body_the_short_way_reads_what_the_long_way_reads(name: str, data: st.DataObject) -> None:
    same_as_the_long_way(name, data.draw(bodies(PLANS[name])))


@pytest.mark.parametrize("name", PLANS)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_a_field_of_the_path_is_weighed_against_the_body_as_the_long_way_does(name: str, data: st.DataObject) -> None:
    path = data.draw(paths(PLANS[name]))
    same_as_the_long_way(name, data.draw(st.one_of(st.just(b""), bodies(PLANS[name]))), path)


@pytest.mark.parametrize("name", [name for name, plan in PLANS.items() if not plan.oneofs])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_flat_and_right_body_takes_the_short_way(name: str, data: st.DataObject) -> None:
    plain = [field for field in PLANS[name].fields if field.kind in RIGHT and not field.repeated]
    given_ones = [field for field in PLANS[name].fields if field.required or (field in plain and data.draw(st.booleans()))]
    if any(field not in plain for field in given_ones):
        return
    texts_without_colons = st.text(st.characters(exclude_characters=":", exclude_categories=["Cs"]), max_size=5).map(json.dumps)
    members = [f"{json.dumps(field.json_name)}: {data.draw(texts_without_colons if field.kind is Kind.STRING else RIGHT[field.kind])}" for field in given_ones]
    body = f"{{{', '.join(members)}}}".encode()
    assert same_as_the_long_way(name, body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"matchId": "a", "matchId": "b"}', b'{"matchId": "a", "match\\u0049d": "b"}', b'{"matchId": "a", "match_id": "b"}',
        b'{"\\u006datchId": "a", "matchId": "a"}', b'{"matchId": "a", "seat": 1, "seat": 1}', b'{"matchId": "\\ud800"}', b'{"matchId": null}',
        b'{"seat": null}', b'{"seat": 1e2}', b'{"seat": 2147483648}', b'{"seat": "1"}', b'{"seat": true}', b'{"omitView": 1}', b'{"omitView": "true"}',
        b'{"sneaky": 1}', b'{"matchId": "a"}\x00', b'{"matchId": "\x00"}', b"[]", b"null", b" ", b"{", b'\xef\xbb\xbf{"matchId": "a"}',
        b'{"matchId": "\xff"}', b'{"matchId": {"matchId": "a"}}',
    ],
)  # fmt: skip
def test_what_is_wrong_or_unusual_is_left_to_the_long_way(body: bytes) -> None:
    assert not same_as_the_long_way("GetMatchRequest", body)


@pytest.mark.parametrize("body", [b"", b"{}", b' { "seat" : -0 } ', b'{"\\u0073eat": 1, "omitView": false}'])
def test_a_path_and_a_body_that_agree_take_the_short_way(body: bytes) -> None:
    assert same_as_the_long_way("GetMatchRequest", body, {"match_id": "m"})


def test_a_field_in_the_path_and_in_the_body_is_left_to_the_long_way() -> None:
    assert not same_as_the_long_way("GetMatchRequest", b'{"matchId": "m"}', {"match_id": "m"})
    assert not same_as_the_long_way("GetMatchRequest", b"{}", {"match_id": "m", "seat": "1"})
    assert not same_as_the_long_way("GetMatchRequest", b"{}", {"sneaky": "m"})
