"""Card sets: the one that is released, and every way in which one can be invalid."""

import copy

import pytest

from engines.kit.cards import CardSetError
from engines.monster_mash_up import GAME
from engines.monster_mash_up.card_set import build_card_set
from engines.monster_mash_up.vocabulary import BoostAtLeast, DamageBonus, DiceGap, Flip, Reroll
from tests.engines.broken_set import change
from tests.engines.monster_mash_up.words import HOUSE

RELEASED = {"house": "sha256:8ade3727fdf584400e623f4891b9a01529a044fc68368ebbbe537d56b2c3800a"}


def test_released_sets_have_not_changed() -> None:
    assert {name: cards.digest for name, cards in GAME.card_sets.items()} == RELEASED


def test_the_cards_are_those_of_the_specification() -> None:
    cards = GAME.default_card_set
    assert len(cards.deck) == 24
    assert sorted(back.speed for back in cards.backs.values()) == list(range(1, 25))
    assert list(cards.scientists) == ["dr_chaos", "professor_voltage", "countess_sutura", "baron_bulwark"]
    assert cards.levels == (1, 2, 3, 4, 5, 6)
    assert cards.round_cap == 20
    assert cards.fronts["two_headed_ogrelet"][:3] == ("Two-Headed", 10, 4)
    assert cards.fronts["two_headed_ogrelet"].condition == DiceGap(4, 5)
    assert cards.fronts["electric_eelman"].condition == BoostAtLeast(3)
    assert cards.backs["clockwork_stomper"][:3] == ("Stomper", 5, 3)
    assert cards.backs["clockwork_stomper"].power.effects == (DamageBonus(3),)
    assert cards.backs["mothy_moonmoth"].power == ((Flip("any"),), ((1, 0), (2, 0), (0, 1), (0, 2)), True)
    assert cards.backs["howling_wolfkin"].power == ((Reroll("own", "both"),), ((0, 0),), True)


def test_the_catalogue_names_every_id_that_the_game_uses() -> None:
    cards = GAME.default_card_set
    ids = [card.id for card in cards.cards]
    assert len(set(ids)) == len(ids)
    assert {*cards.deck, *cards.scientists} <= set(ids)
    assert all(card.name and card.text for card in cards.cards)
    ogrelet = next(card for card in cards.cards if card.id == "two_headed_ogrelet")
    assert ogrelet.text == "If your dice differ by 4 to 5. Then: re-roll both your opponent's dice."
    assert dict(ogrelet.values)["life"] == 10


# Monster 0 is rotten_shambler, 1 howling_wolfkin, 2 fanged_batwing, 4 tentacled_krakenling; scientist 0 is dr_chaos, 3 baron_bulwark.
SET_6 = {"effect": "set", "face": 6}
FLIP = {"effect": "flip", "side": "any"}
BROKEN = {
    "23 monsters": (change("monster.23", None), "monster: 23 entries, not 24"),
    "3 scientists": (change("scientist.3", None), "scientist: 3 entries, not 4"),
    "a monster twice": (change("monster.1.id", "rotten_shambler"), "rotten_shambler: stands 2 times"),
    "a scientist twice": (change("scientist.1.id", "dr_chaos"), "dr_chaos: stands 2 times"),
    "a scientist with a monster's id": (change("scientist.1.id", "rotten_shambler"), "rotten_shambler: stands 2 times"),
    "no Life": (change("monster.0.front.life", 0), "monster rotten_shambler: .*front.life"),
    "more Life than the track": (change("monster.0.front.life", 16), "monster rotten_shambler: life 16 is more than life_track_max 15"),
    "too clever": (change("monster.0.front.intelligence", 9), "monster rotten_shambler: .*intelligence"),
    "less than stupid": (change("monster.0.front.intelligence", -1), "monster rotten_shambler: .*intelligence"),
    "no Special Attack": (change("monster.0.back.special_attack", 0), "monster rotten_shambler: .*special_attack"),
    "a Speed below 0": (change("monster.0.back.speed", -1), "monster rotten_shambler: .*speed"),
    "an unknown condition": (change("monster.0.front.if.kind", "full_moon"), "monster rotten_shambler: .*front.if"),
    "a condition with too much": (change("monster.0.front.if.face", 1), "monster rotten_shambler: .*face"),
    "a condition with too little": (change("monster.0.front.if.value", None), "monster rotten_shambler: .*value"),
    "a condition of another's parameters": (change("monster.4.front.if", {"kind": "dice_gap", "value": 1}), "monster tentacled_krakenling"),
    "a gap that no dice have": (change("monster.4.front.if", {"kind": "dice_gap", "min": 4, "max": 1}), "monster tentacled_krakenling: no dice differ by 4"),
    "more than the wire can carry": (change("monster.0.back.special_attack", 2**31), "monster rotten_shambler: .*special_attack"),
    "a level beyond all bounds": (change("arena.levels", [1, 2**40]), "levels"),
    "a shift beyond all bounds": (change("monster.0.back.then", [{"effect": "shift", "side": "own", "by": 2**40}]), "monster rotten_shambler: .*by"),
    "a seventh face to show": (change("monster.2.front.if.value", 7), "monster fanged_batwing: .*front.if.value"),
    "an unknown effect": (change("monster.0.back.then.0.effect", "explode"), "monster rotten_shambler: .*back.then"),
    "an effect with too much": (change("monster.0.back.then.0.side", "own"), "monster rotten_shambler: .*side"),
    "an effect with too little": (change("monster.0.back.then.0.amount", None), "monster rotten_shambler: .*amount"),
    "an effect of another's values": (change("monster.1.back.then.0.side", "any"), "monster howling_wolfkin: .*side"),
    "a seventh face to set": (change("monster.0.back.then", [{"effect": "set", "face": 7}]), "monster rotten_shambler: .*face"),
    "no amount": (change("monster.0.back.then.0.amount", 0), "monster rotten_shambler: .*amount"),
    "a shift by nothing": (change("monster.0.back.then", [{"effect": "shift", "side": "own", "by": 0}]), "monster rotten_shambler: a shift by 0"),
    "two dice to name": (change("monster.0.back.then", [SET_6, FLIP]), "monster rotten_shambler: more than one effect needs a named die"),
    "no effect": (change("monster.0.back.then", []), "monster rotten_shambler: it has no effect"),
    "a scientist without effect": (change("scientist.0.b.effects", []), "scientist dr_chaos, side b: it has no effect"),
    "a scientist who names two dice": (change("scientist.0.a.effects", [SET_6, FLIP]), "scientist dr_chaos, side a: more than one"),
    "a negative cost": (change("scientist.0.a.cost.life", -1), "scientist dr_chaos: .*a.cost.life"),
    "an unknown timing": (change("scientist.0.a.timing", "always"), "scientist dr_chaos: .*a.timing"),
    "dice in the damage window": (change("scientist.3.a.effects", [SET_6]), "scientist baron_bulwark, side a: dice are turned in the Roll Phase only"),
    "a missing side": (change("scientist.0.b", None), "scientist dr_chaos: .*b"),
    "no arena": (change("arena.levels", []), "levels"),
    "a level of 0": (change("arena.levels", [1, 0]), "levels"),
    "a first level of 2": (change("arena.levels", [2, 3]), "arena: the first level is 2"),
    "levels that go down": (change("arena.levels", [1, 3, 2]), "arena: the levels go down"),
    "no round": (change("limits.round_cap", 0), "round_cap"),
    "an unknown key": (change("speed", 1), "speed"),
    "an unknown key of a monster": (change("monster.0.colour", "green"), "monster rotten_shambler: .*colour"),
    "a monster without an id": (change("monster.2.id", None), "monster 3: .*id"),
    "an id in capitals": (change("monster.0.id", "ROTTEN"), "monster ROTTEN: .*id"),
    "a word for a number": (change("monster.0.back.speed", "fast"), "monster rotten_shambler: .*speed"),
    "another game": (change("game", "chess"), "game: 'chess'"),
    "another format": (change("format", 2), "format"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_invalid_set_is_refused_with_the_entry(name: str) -> None:
    breaking, said = BROKEN[name]
    content = copy.deepcopy(HOUSE)
    breaking(content)
    with pytest.raises(CardSetError, match=said):
        build_card_set(content, "sha256:0")


def test_equal_speeds_and_a_long_arena_are_allowed() -> None:
    content = copy.deepcopy(HOUSE)
    change("monster.0.back.speed", 19)(content)
    change("arena.levels", [1, 1, 2, 9])(content)
    cards = build_card_set(content, "sha256:0")
    assert cards.backs["rotten_shambler"].speed == cards.backs["howling_wolfkin"].speed
    assert cards.level(4) == 9
