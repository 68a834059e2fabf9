"""Mint-Tin Monster Mash-Up. Read RULES.md, then ``moves``, ``events``, ``state``, ``rules`` and the phases that it names, ``entropy``, ``view``, ``bots``."""

from pathlib import Path

from engines.kit.bots import random_bot
from engines.kit.contract import Game, Mode
from engines.monster_mash_up.bots import keen_bot
from engines.monster_mash_up.card_set import build_card_set
from engines.monster_mash_up.events import EVENTS
from engines.monster_mash_up.moves import MOVES
from engines.monster_mash_up.rules import Duel, Solo
from engines.monster_mash_up.state import ENTROPY, QUESTIONS, MonsterMashUpOptions, MonsterMashUpState
from engines.monster_mash_up.view import MonsterMashUpView

GAME = Game(
    id="monster_mash_up",
    title="Mint-Tin Monster Mash-Up",
    modes=(Mode("DUEL", "Duel", 2, 2, Duel), Mode("SOLO", "Solo against Dr. Entropy", 1, 1, Solo, automata=(ENTROPY,))),
    ruleset=1,
    state=MonsterMashUpState,
    options=MonsterMashUpOptions,
    moves=MOVES,
    events=EVENTS,
    questions=QUESTIONS,
    view=MonsterMashUpView,
    end_reasons=("HEADS", "HEADS_BOTH", "RESIGNATION"),
    bots={"random": random_bot, "keen": keen_bot},
    folder=Path(__file__).parent,
    build_card_set=build_card_set,
)
