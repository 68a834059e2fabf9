"""A game that has no module of its own."""

import itertools
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from tests.clients.terminal.table import cards, text, view, voice_of, words
from umpire.goldn_crash.v1 import goldn_crash_pb2 as gc
from umpire_terminal.games import find_face
from umpire_terminal.games.generic import Face, inner

FACE = find_face("acorns")
F = FieldDescriptorProto


def message(name: str, *fields: tuple[str, int, Any], oneof: bool = False) -> DescriptorProto:
    made = DescriptorProto(name=name)
    for number, (field, label, kind) in enumerate(fields, 1):
        added = made.field.add(name=field, number=number, label=label)
        if isinstance(kind, str):
            added.type, added.type_name = F.TYPE_MESSAGE, f".acorns.{kind}"
        else:
            added.type = kind
        if oneof:
            added.oneof_index = 0
    if oneof:
        made.oneof_decl.add(name="choice")
    return made


@pytest.fixture(scope="module")
def acorns() -> dict[str, Any]:
    """The messages of another game: a view with piles, an event, a question."""
    file = FileDescriptorProto(name="acorns.proto", package="acorns", syntax="proto3")
    file.message_type.extend(
        [
            message("Pile", ("acorns", F.LABEL_OPTIONAL, F.TYPE_INT32), ("cards", F.LABEL_REPEATED, F.TYPE_STRING), ("ripe", F.LABEL_OPTIONAL, F.TYPE_BOOL)),
            message("View", ("round", F.LABEL_OPTIONAL, F.TYPE_INT32), ("piles", F.LABEL_REPEATED, "Pile"), ("sun", F.LABEL_OPTIONAL, "Pile")),
            message(
                "AcornsTaken",
                ("seat", F.LABEL_OPTIONAL, F.TYPE_INT32),
                ("from_seat", F.LABEL_OPTIONAL, F.TYPE_INT32),
                ("count", F.LABEL_OPTIONAL, F.TYPE_INT32),
            ),
            message("Event", ("acorns_taken", F.LABEL_OPTIONAL, "AcornsTaken"), oneof=True),
            message("TakeQuestion", ("at_most", F.LABEL_OPTIONAL, F.TYPE_INT32)),
            message("Question", ("take", F.LABEL_OPTIONAL, "TakeQuestion"), oneof=True),
        ]
    )
    pool = DescriptorPool()
    pool.Add(file)
    return {made.name: GetMessageClass(pool.FindMessageTypeByName(f"acorns.{made.name}")) for made in file.message_type}


def test_it_is_shown_generically() -> None:
    assert type(FACE) is Face
    assert type(find_face("../secret")) is Face


def test_its_table_is_drawn_field_by_field_with_stars(acorns: dict[str, Any]) -> None:
    now = acorns["View"](round=2, piles=[acorns["Pile"](acorns=5), acorns["Pile"](acorns=7, cards=["BOMB_1"], ripe=True)], sun=acorns["Pile"](acorns=1))
    before = acorns["View"](round=1, piles=[acorns["Pile"](acorns=5), acorns["Pile"](acorns=9, cards=["BOMB_1"], ripe=True)], sun=acorns["Pile"](acorns=1))
    drawing = words(FACE.draw(now, before, voice_of(1), full=False))
    assert "round 2 * piles 1 · acorns 5 piles 2 · acorns 7 * piles 2 · cards Bomb 1 piles 2 · ripe yes sun · acorns 1" in drawing


def test_its_events_and_questions_are_told(acorns: dict[str, Any]) -> None:
    event = acorns["Event"](acorns_taken=acorns["AcornsTaken"](seat=1, from_seat=2, count=3))
    assert FACE.tell(event, voice_of(1)) == "Acorns taken: you; from seat: the bot; count 3."
    assert FACE.tell(acorns["Event"](), voice_of(1)) is None
    assert FACE.ask("TAKE", acorns["Question"](take=acorns["TakeQuestion"](at_most=3)), voice_of(1)) == "Your decision: take (at most 3)."
    assert FACE.heading("take_acorns") == "Take acorns"
    assert FACE.reason("NO_ACORNS") == "no acorns"


def test_a_view_that_this_release_does_not_know_leaves_the_moves() -> None:
    assert "moves are listed" in words(FACE.draw(None, None, voice_of(1), full=False))
    assert "moves are listed" in words(find_face("goldn_crash").draw(None, None, voice_of(1), full=False))


def test_a_large_view_fits_80_columns_and_loses_nothing() -> None:
    drawing = text(FACE.draw(view(), None, voice_of(1), full=False))
    assert max(map(len, drawing.splitlines())) <= 80
    assert "Bomb 2, Reinforce 2 and Gold 6" in drawing
    assert "The Countess" in drawing


def test_every_event_of_a_known_contract_can_be_told_generically() -> None:
    for field in gc.Event.DESCRIPTOR.oneofs_by_name["event"].fields:
        event = gc.Event()
        getattr(event, field.name).SetInParent()
        told = FACE.tell(event, voice_of(1))
        assert told
        assert told.startswith(field.name.replace("_", " ").capitalize()[:5])


def test_each_kind_of_card_has_one_colour() -> None:
    styles = FACE.styles(cards())
    by_kind = {kind: {styles[card.card] for card in of_kind} for kind, of_kind in itertools.groupby(cards().values(), key=lambda card: card.kind)}
    assert all(len(found) == 1 for found in by_kind.values())
    assert len({next(iter(found)) for found in by_kind.values()}) == 3


def test_only_a_oneof_is_opened() -> None:
    assert inner(gc.Event(turn_passed=gc.TurnPassed(seat=2))) == gc.TurnPassed(seat=2)
    assert inner(gc.Event()) is None
    optional = gc.ColumnView(guest="COUNTESS")
    assert inner(optional) is optional
