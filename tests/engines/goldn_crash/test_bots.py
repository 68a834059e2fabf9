"""The house bots play by every valid card set, not only by the released one."""

import copy

from engines.goldn_crash import GAME
from engines.goldn_crash.card_set import build_card_set
from engines.goldn_crash.moves import DiscardCard
from engines.goldn_crash.rules import GoldnCrash
from engines.kit import play
from engines.kit.chance import Generator, match_key
from tests.engines.goldn_crash.test_card_set import ARENA
from tests.engines.goldn_crash.words import GoldnCrashWords


def test_the_keen_bot_weighs_a_secure_card_that_loots_nothing() -> None:
    content = copy.deepcopy(ARENA)
    types = {card_type["id"]: card_type for card_type in content["card_type"]}
    types["SECURE"]["discard_effect"], types["FISH"]["discard_effect"] = "CALL_BACK", "LOOT"
    engine, words = GoldnCrash(build_card_set(content, "sha256:test")), GoldnCrashWords()
    state = words.base()
    words.set(state, "1.col1", ["Gold4", "Secure1"])  # the rival's discard pile is empty
    (decision,), legal = engine.decisions(state), play.legal_moves(engine, state, 1)
    assert DiscardCard(1) in legal
    assert GAME.bots["keen"](engine.view(state, 1), decision, legal, Generator(match_key(bytes(32)))) in legal
