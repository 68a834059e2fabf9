"""Card sets: the one that is released, and every way in which one can be invalid."""

import copy
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import engines.goldn_crash
from engines.goldn_crash import GAME
from engines.goldn_crash.card_set import build_card_set
from engines.kit.cards import CardSetError
from tests.engines.broken_set import change

ARENA = tomllib.loads((Path(engines.goldn_crash.__file__).parent / "cards" / "arena.toml").read_text())
RELEASED = {"arena": "sha256:c97a7631f08d698fa80d3c3919cc28eb654bbaa79c629a2a09226a1920c9c466"}


def test_released_sets_have_not_changed() -> None:
    assert {name: cards.digest for name, cards in GAME.card_sets.items()} == RELEASED


def test_the_deck_is_that_of_the_specification() -> None:
    cards = GAME.default_card_set
    assert cards.crews == ("OCTOPIRATE", "MEOWMURAI")
    for crew in cards.crews:
        deck = cards.decks[crew]
        assert len(deck) == 36
        assert sum(cards.gold_of[card] for card in deck) == 76
        assert Counter(cards.type_of[card] for card in deck) == dict.fromkeys(("BOMB", "BOARD", "FISH", "REINFORCE", "SECURE", "GOLD"), 6)
    assert cards.robustness == (1, 2, 3)
    assert {guest.id: (guest.requirement.kind.value, guest.requirement.count, guest.requirement.type, guest.gold) for guest in cards.guests.values()} == {
        "COUNTESS": ("GOLD_IN_COLUMN", 9, "", 5),
        "JOCKEY": ("PLAYED_THIS_TURN", 2, "", 4),
        "ARCHITECT": ("CARDS_IN_COLUMN", 5, "", 6),
        "COLLECTOR": ("DIFFERENT_TYPES", 4, "", 5),
        "GOURMET": ("CARDS_OF_TYPE", 3, "FISH", 5),
        "DUELLIST": ("CARDS_OF_TYPE", 3, "BOARD", 5),
        "GENERAL": ("CARDS_OF_TYPE", 3, "REINFORCE", 5),
        "BANKER": ("CARDS_OF_TYPE", 2, "GOLD", 5),
    }


def test_the_catalogue_names_every_id_that_the_game_uses() -> None:
    cards = GAME.default_card_set
    ids = [card.id for card in cards.cards]
    assert len(set(ids)) == len(ids)
    assert {*cards.order, *cards.guests, *cards.crews} <= set(ids)
    assert all(card.name for card in cards.cards)
    assert all(card.text for card in cards.cards if card.kind in {"CREW_CARD", "GUEST"})


def test_the_catalogue_says_how_often_a_card_is_in_each_deck_of_several() -> None:
    content = copy.deepcopy(ARENA)
    content["deck"].append(copy.deepcopy(content["deck"][0]) | {"id": "other"})
    bomb = next(face for face in content["deck"][1]["cards"] if (face["type"], face["value"]) == ("BOMB", 1))
    in_standard, bomb["copies"] = bomb["copies"], 9
    content["crew"][1]["deck"] = "other"
    cards = {card.id: card for card in build_card_set(content, "sha256:0").cards}
    assert cards["BOMB_1"].copies == in_standard + 9
    assert dict(cards["BOMB_1"].values).items() >= {"copies_in_standard": in_standard, "copies_in_other": 9}.items()
    assert "copies_in_standard" not in dict(next(card for card in GAME.default_card_set.cards if card.id == "BOMB_1").values)


BROKEN = {
    "a crew without its deck": (change("crew.1.deck", "other"), "crew MEOWMURAI: there is no deck 'other'"),
    "one crew": (change("crew.1", None), "crew: 1 entries"),
    "two crews alike": (change("crew.1.id", "OCTOPIRATE"), "crew OCTOPIRATE: stands 2 times"),
    "a missing card type": (change("card_type.2", None), "card_type FISH: is missing"),
    "a card type twice": (change("card_type.2.id", "BOMB"), "card_type BOMB: stands 2 times"),
    "a card type of its own": (change("card_type.2.id", "SHARK"), "card_type"),
    "an unknown effect": (change("card_type.0.play_effect", "EXPLODE"), r"card_type\[0\].play_effect|\$.card_type"),
    "a discard effect to play": (change("card_type.0.play_effect", "LOOT"), "card_type BOMB: LOOT is no play effect"),
    "a play effect to discard": (change("card_type.0.discard_effect", "BOMB_ZEPPELIN"), "card_type BOMB: BOMB_ZEPPELIN is no discard effect"),
    "a small deck": (change("deck.0.cards", [{"type": "BOMB", "value": 1, "copies": 10}]), "deck standard: 10 cards, fewer than 11"),
    "a value of 0": (change("deck.0.cards.2.value", 0), r"\$.deck\[0\].cards\[2\].value|deck\[...\]"),
    "a value of 10": (change("deck.0.cards.2.value", 10), r"\$.deck|value"),
    "no copies": (change("deck.0.cards.2.copies", 0), "copies"),
    "a face twice": (change("deck.0.cards.1.value", 1), "deck standard: BOMB_1 stands 2 times"),
    "a face of no type": (change("deck.0.cards.0.type", "SHARK"), "deck standard: 'SHARK' is no card type"),
    "two robustness values": (change("zeppelins.robustness", [1, 2]), "robustness"),
    "a robustness of 10": (change("zeppelins.robustness", [1, 2, 10]), "robustness"),
    "five guests": (change("guest", ARENA["guest"][:5]), "guest: 5 entries, fewer than 6"),
    "a guest twice": (change("guest.1.id", "COUNTESS"), "guest COUNTESS: stands 2 times"),
    "an unknown requirement": (change("guest.0.requirement.kind", "LUCK"), "kind"),
    "more copies than anybody prints": (change("deck.0.cards.2.copies", 100), "copies"),
    "a count of 0": (change("guest.0.requirement.count", 0), "count"),
    "too much gold": (change("guest.0.gold", 10), "gold"),
    "a requirement of no type": (change("guest.2.requirement.type", "SHARK"), "guest GENERAL: 'SHARK' is no card type"),
    "a type that is not counted": (change("guest.0.requirement.type", "FISH"), "guest COUNTESS: GOLD_IN_COLUMN counts no type"),
    "a guest with a card's id": (change("guest.0.id", "BOMB_1"), "guest BOMB_1: has the id of a crew card"),
    "a guest with a crew's id": (change("guest.0.id", "MEOWMURAI"), "guest MEOWMURAI: has the id of a crew"),
    "a guest with a zeppelin's id": (change("guest.0.id", "ZEPPELIN_2"), "guest ZEPPELIN_2: has the id of a zeppelin"),
    "a crew with a card's id": (change("crew.0.id", "GOLD_4"), "crew GOLD_4: has the id of a crew card"),
    "an unknown key": (change("speed", 1), "speed"),
    "a missing key": (change("zeppelins", None), "zeppelins"),
    "a word for a number": (change("guest.0.gold", "five"), "gold"),
    "another game": (change("game", "chess"), "game: 'chess'"),
    "another format": (change("format", 2), "format"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_an_invalid_set_is_refused_with_the_entry(name: str) -> None:
    breaking, said = BROKEN[name]
    content = copy.deepcopy(ARENA)
    breaking(content)
    with pytest.raises(CardSetError, match=said):
        build_card_set(content, "sha256:0")
