"""Refusals name the field of the move that is to blame, so that a client can mark it."""

from engines.goldn_crash import violations
from engines.goldn_crash.moves import DiscardCard, PlayCard
from engines.goldn_crash.rules import GoldnCrash
from engines.kit import play
from engines.kit.structs import fields_of
from tests.engines.goldn_crash.words import CARDS, GoldnCrashWords

EFFECTS_WITHOUT_TARGET = {
    "BOMB-2": {"1.hand": ["Bomb1"], "2.zep": ["1x", "2", "3"]},
    "BOARD-2": {"1.hand": ["Board1"]},
    "FISH-2": {"1.hand": ["Fish1"]},
    "REINF-2": {"1.hand": ["Reinforce1"], "1.deck": []},
    "SEC-2": {"1.hand": ["Secure1"]},
    "CRACK-2": {"1.col1": ["Bomb1"]},
    "MAN-2": {"1.col1": ["Board1"]},
    "CALL-2": {"1.col1": ["Fish1"]},
    "OBS-4": {"1.col1": ["Reinforce1"], "1.deck": []},
    "LOOT-2": {"1.col1": ["Secure1"]},
    "GOLD-2": {"1.col1": ["Gold4"]},
}


def test_an_effect_without_a_target_blames_a_field_of_the_move() -> None:
    for rule, zones in EFFECTS_WITHOUT_TARGET.items():
        words = GoldnCrashWords()
        state = words.base()
        for zone, cards in zones.items():
            words.set(state, zone, cards)
        refused = [(move, why) for move, why in play.judge(GoldnCrash(CARDS), state, 1) if why is not None and why.rule == rule]
        assert refused, rule
        for move, why in refused:
            assert isinstance(move, PlayCard | DiscardCard)
            assert why.field in fields_of(type(move)), (rule, move)


def test_a_guarded_treasure_blames_the_column_like_an_empty_one() -> None:
    words = GoldnCrashWords()
    state = words.base()
    words.set(state, "1.col1", ["Bomb1"])
    words.set(state, "2.treasure", ["JOCKEY"])
    assert dict(play.judge(GoldnCrash(CARDS), state, 1))[DiscardCard(1)] == violations.TREASURE_LOCKED
    assert violations.TREASURE_LOCKED.field == violations.TREASURE_EMPTY.field == "column"
