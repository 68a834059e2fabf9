"""Gold'n Crash. Read RULES.md, then ``moves``, ``events``, ``state``, ``rules``, ``effects``, ``view``, ``bots``."""

from pathlib import Path

from engines.goldn_crash.bots import keen_bot
from engines.goldn_crash.card_set import build_card_set
from engines.goldn_crash.events import EVENTS
from engines.goldn_crash.moves import MOVES
from engines.goldn_crash.rules import GoldnCrash
from engines.goldn_crash.state import QUESTIONS, GoldnCrashOptions, GoldnCrashState
from engines.goldn_crash.view import GoldnCrashView
from engines.kit.bots import random_bot
from engines.kit.contract import Game, Mode

GAME = Game(
    id="goldn_crash",
    title="Gold'n Crash",
    modes=(Mode("DUEL", "Duel", 2, 2, GoldnCrash),),
    ruleset=1,
    state=GoldnCrashState,
    options=GoldnCrashOptions,
    option_values={"seat_1_crew": lambda cards: cards.crews},
    moves=MOVES,
    events=EVENTS,
    questions=QUESTIONS,
    view=GoldnCrashView,
    end_reasons=("ZEPPELINS_DESTROYED", "DECK_EMPTY", "ROUND_LIMIT", "RESIGNATION"),
    bots={"random": random_bot, "keen": keen_bot},
    folder=Path(__file__).parent,
    build_card_set=build_card_set,
)
