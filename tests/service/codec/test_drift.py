"""A contract and structs that have drifted apart end the start, with an error that names both sides."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, UnsetType

from engines.kit import structs
from engines.kit.structs import Choice
from service.messages import Message
from tests.service.codec import acorns
from tests.service.codec.wired import CodecError

# What is changed in the protos, and what the error says.
CONTRACT_DRIFTS = {
    "a field that the struct lacks": ("  int32 seats = 1;", "  int32 seats = 1;\n  int32 more = 2;", r"umpire\.v1\.Started\.more"),
    "a field that the contract lacks": ("  int32 seats = 1;", "", r"umpire\.v1\.Started\.seats"),
    "another scalar type": ("bool omit_view", "string omit_view", r"AskRequest\.omit_view"),
    "a type that the contract never uses": ("int32 page_size", "int64 page_size", r"AskRequest\.page_size"),
    "a map": ("bool omit_view", "map<string, string> omit_view", r"AskRequest\.omit_view"),
    "a scalar for a message": ("google.protobuf.Duration ttl", "int32 ttl", r"AskRequest\.ttl"),
    "another time": ("google.protobuf.Duration ttl", "google.protobuf.Timestamp ttl", r"AskRequest\.ttl"),
    "an enum for a word": ("string display_name = 1", "umpire.acorns.v1.Nut display_name = 1", r"Part\.display_name"),
    "a word for an enum": ("optional Nut nut = 2", "optional string nut = 2", r"Gather\.nut"),
    "a value that the words lack": ("  NUT_BEECH = 2;", "  NUT_BEECH = 2;\n  NUT_HAZEL = 3;", r"Nut.*HAZEL"),
    "a word that the values lack": ("  NUT_BEECH = 2;\n", "", r"Nut.*BEECH"),
    "values without the prefix": ("NUT_BEECH", "BEECH", r"prefix NUT_"),
    "no UNSPECIFIED": ("NUT_UNSPECIFIED", "NUT_NONE", r"NUT_UNSPECIFIED = 0"),
    "a member without a class": ("    Eat eat = 2;", "    Eat eat = 2;\n    Eat nap = 3;", r"acorns\.v1\.Move\.nap"),
    "a class without a member": ("    Eat eat = 2;\n", "", r"acorns\.v1\.Move\.eat.*Eat"),
    "another tag": ("    Eat eat = 2;", "    Eat nibble = 2;", r"acorns\.v1\.Move\.(eat|nibble)"),
    "an event of the match without a class": ("    Started started = 1;", "    Started started = 1;\n    Started over = 2;", r"MatchEvent\.over"),
    "a union that holds more than its oneof": ("    Hungry hungry = 1;\n  }", "    Hungry hungry = 1;\n  }\n  int32 much = 2;", r"acorns\.v1\.Question"),
    "a list of a single value": ("  bool omit_view", "  repeated bool omit_view", r"AskRequest\.omit_view"),
    "a single value of a list": ("  repeated Nut heap", "  Nut heap", r"View\.heap"),
    "a required field that the contract cannot see missing": ("optional bool quietly", "bool quietly", r"Gather\.quietly"),
    "absence that the contract cannot say": ("optional int32 stash", "int32 stash", r"Gathered\.stash"),
    "a message without a class": ("message Started {", "message Spare {}\n\nmessage Started {", r"umpire\.v1\.Spare"),
    "a keyword of Python as a name": ("bool omit_view", "bool class", r"AskRequest\.(class|omit_view)"),
}


def test_the_protos_as_they_stand_are_bound(tmp_path: Path) -> None:
    _, files = acorns.compiled(tmp_path)
    assert set(acorns.codec(files).names()) == {f"umpire.v1.{name}" for name in ("LegalMove", "AskRequest", "Part", "AskResponse")}


@pytest.mark.parametrize("drift", CONTRACT_DRIFTS)
def test_a_contract_that_has_drifted_is_refused(tmp_path: Path, drift: str) -> None:
    old, new, error = CONTRACT_DRIFTS[drift]
    _, files = acorns.compiled(tmp_path, {old: new})
    with pytest.raises(CodecError, match=error):
        acorns.codec(files)


class _Nut3(Choice):
    OAK = "OAK"
    BEECH = "BEECH"
    HAZEL = "HAZEL"


class PartWithDefault(Message, frozen=True):
    display_name: str = "nobody"
    house: bool = False


class PartWithTruth(Message, frozen=True):
    display_name: str = ""
    house: bool = True


class PartWithNone(Message, frozen=True):
    display_name: str | None = None
    house: bool = False


class PartUnset(Message, frozen=True):
    display_name: str | UnsetType = UNSET
    house: bool = False


class Stray(Message, frozen=True):
    """No message has this name."""


class GatherAlmost(structs.Move, frozen=True, tag="gather"):
    from_tree: int
    nut: _Nut3
    quietly: bool
    note: str


class Nap(structs.Move, frozen=True):
    pass


STRUCT_DRIFTS = {
    "a default that is not empty": ({"namespace": acorns.classes(Part=PartWithDefault)}, r"Part\.display_name.*nobody"),
    "a default of true": ({"namespace": acorns.classes(Part=PartWithTruth)}, r"Part\.house.*True"),
    "None for a scalar": ({"namespace": acorns.classes(Part=PartWithNone)}, r"Part\.display_name"),
    "UNSET for what is always there": ({"namespace": acorns.classes(Part=PartUnset)}, r"Part\.display_name"),
    "no class of a message's name": ({"namespace": acorns.classes(AskRequest=None)}, r"AskRequest"),
    "a class that no message has the name of": ({"namespace": acorns.classes(Stray=Stray)}, r"Stray"),
    "words that the enum lacks": ({"games": {"acorns": acorns.game(moves=(GatherAlmost, acorns.Eat))}}, r"Nut.*HAZEL"),
    "a move without a member": ({"games": {"acorns": acorns.game(moves=(acorns.Gather, acorns.Eat, Nap))}}, r"Move\.nap.*Nap"),
    "a member without a move": ({"games": {"acorns": acorns.game(moves=(acorns.Gather,))}}, r"Move\.eat"),
    "a game without a member": ({"games": {"acorns": acorns.game(), "beeches": acorns.game(id="beeches")}}, r"umpire\.v1\.\w+: .*beeches"),
    "a member without a game": ({"games": {}}, r"umpire\.v1\.\w+\.acorns"),
    "a view with other fields": ({"games": {"acorns": acorns.game(view=acorns.Store)}}, r"acorns\.v1\.View"),
}


@pytest.mark.parametrize("drift", STRUCT_DRIFTS)
def test_structs_that_have_drifted_are_refused(tmp_path: Path, drift: str) -> None:
    changes, error = STRUCT_DRIFTS[drift]
    _, files = acorns.compiled(tmp_path)
    with pytest.raises(CodecError, match=error):
        acorns.codec(files, **changes)


def test_a_message_that_holds_itself_is_refused(tmp_path: Path) -> None:
    class Store(structs.View, frozen=True):
        notes: tuple[str, ...]
        inner: Any

    Store.__annotations__["inner"] = Store | None
    _, files = acorns.compiled(tmp_path, {"message Store {": "message Store {\n  Store inner = 2;"})

    class View(structs.View, frozen=True):
        options: acorns.AcornsOptions
        heap: tuple[acorns.Nut, ...]
        stores: tuple[Store, ...]
        own: Store | None

    with pytest.raises(CodecError, match="holds itself"):
        acorns.codec(files, games={"acorns": acorns.game(view=View)})
