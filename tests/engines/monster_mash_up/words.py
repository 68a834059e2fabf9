"""How scenarios write Monster Mash-Up: cards are their ids, dice their faces, a choice of the Boost Phase ``BOOST:2``.

A position is that of the specification's BASE, with the round about to start: ``rolls`` starts it. ``round = 4`` is the round that will start;
``step = make`` goes back to the hands of BASE, with both seats asked for a monster. A front or back that is put changes places with the one it replaces.
"""

import tomllib
from pathlib import Path
from typing import Any

import msgspec

import engines.monster_mash_up
from engines.kit import play
from engines.kit.chance import ScriptedChance
from engines.kit.contract import Engine
from engines.kit.structs import Move
from engines.kit.table import Table
from engines.monster_mash_up import GAME
from engines.monster_mash_up.card_set import MonsterMashUpCards, Side, build_card_set
from engines.monster_mash_up.moves import Boost, ChooseScientist, Defend, MakeMonster, Panic, PassTurn, RerollBoth, RerollOne, UsePower, UseScientist
from engines.monster_mash_up.state import (
    SEATS,
    BoostChoice,
    GameMode,
    MakeStep,
    MonsterMashUpOptions,
    MonsterMashUpState,
    RollStep,
    RoundStep,
    SeatState,
    WindowStep,
)
from tests.engines.scenario import ScenarioError, Words

HOUSE = tomllib.loads((Path(engines.monster_mash_up.__file__).parent / "cards" / "house.toml").read_text())
CARDS = GAME.card_sets["house"]
HANDS = {1: ["stone_gargle", "clockwork_stomper", "mothy_moonmoth"], 2: ["slimy_oozeball", "swampy_lurker", "giggling_gremlin"]}
REST = [card for card in CARDS.deck if card not in HANDS[1] + HANDS[2]]
SCIENTISTS = {1: "dr_chaos", 2: "professor_voltage"}
ENERGY = {1: 4, 2: 5}


def zone_of(zone: str) -> tuple[int, str]:
    """Split a zone's name into its seat (0: the match's) and what it is."""
    seat, dot, name = zone.partition(".")
    return (int(seat), name) if dot and seat in {"1", "2"} else (0, zone)


def number(words: list[str]) -> int:
    [word] = words
    return int(word)


def said(value: object) -> list[str]:
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def choice_words(choice: BoostChoice | None) -> list[str]:
    return [] if choice is None else [f"{choice.kind}:{choice.fingers}"]


class MashUpWords(Words):
    unordered = frozenset({"hand", "discard"})
    refusals = {
        "NOT_ASKED FLOW-1": "NOT_ASKED",
        "MATCH_OVER END-1": "NOT_ASKED",
        "WRONG_MOVE FLOW-2": "WRONG_MOVE_FOR_DECISION FLOW-2",
    }

    def __init__(self, mode: GameMode = GameMode.DUEL) -> None:
        self.mode = mode

    def engine(self, cards: MonsterMashUpCards = CARDS) -> Engine[Any]:
        return next(mode for mode in GAME.modes if mode.id == self.mode).engine(cards)

    def engine_with(self, path: str, value: str) -> Engine[Any]:
        content = msgspec.json.decode(msgspec.json.encode(HOUSE))
        *way, last = path.split(".")
        here = content
        for part in way:
            here = next(entry for entry in here if entry["id"] == part) if isinstance(here, list) else here[part]
        assert last in here
        here[last] = int(value)
        return self.engine(build_card_set(content, "sha256:0"))

    # ---- matches

    def base(self) -> MonsterMashUpState:
        seats = []
        for seat in SEATS:
            front, back, third = HANDS[seat]
            own = SeatState(scientist=SCIENTISTS[seat], energy=ENERGY[seat], life=CARDS.fronts[front].life, front=front, back=back, hand=[third])
            seats.append(own)
        state = MonsterMashUpState(
            ruleset=GAME.ruleset,
            position=0,
            options=MonsterMashUpOptions(),
            mode=self.mode,
            seats=seats,
            step=RoundStep(),
            battle=1,
            deck=list(REST),
            discard=[],
        )
        if self.mode is GameMode.SOLO:
            state.deck = state.seat(2).hand + state.deck
            state.seat(2).hand, state.seat(2).scientist = [], ""
        return state

    def deal(self, engine: Engine[Any], table: Table[Any], what: str) -> None:
        """Set up ``duel`` or ``solo``; the deck will be that of BASE."""
        assert GameMode(what.upper()) is self.mode
        table.rng = ScriptedChance({"deck": HANDS[1] + HANDS[2] + REST})
        play.set_up(engine, table, 2, MonsterMashUpOptions(), GAME.ruleset)

    def chance(self, words: list[str]) -> list[object]:
        return [int(word) - 1 for word in words]

    # ---- positions

    def set(self, state: MonsterMashUpState, zone: str, words: list[str]) -> None:
        seat, name = zone_of(zone)
        if seat:
            self._set_seat(state, seat, name, words)
            return
        match name:
            case "round":
                state.round = number(words) - 1
            case "arena":
                state.arena = number(words)
            case "heads_to_win":
                state.options = GAME.fill_in_options(CARDS, {"heads_to_win": number(words)})
            case "step" if words == ["make"]:
                for each in SEATS:
                    state.seats[each - 1] = SeatState(scientist=SCIENTISTS[each], hand=list(HANDS[each]))
                state.step = MakeStep(list(SEATS), secret=True)
            case _:
                raise ScenarioError(f"no zone to set: {name}")

    def _set_seat(self, state: MonsterMashUpState, seat: int, name: str, words: list[str]) -> None:
        own = state.seat(seat)
        match name:
            case "energy" | "life":
                setattr(own, name, number(words))
            case "side":
                own.side = Side(words[0])
            case "scientist":
                own.scientist = words[0]
                assert own.scientist in CARDS.scientists
            case "heads":
                for card in words:
                    state.deck.remove(card)
                own.heads = words
            case "front" | "back":
                [card] = words
                self._replace(state, card, getattr(own, name))
                setattr(own, name, card)
                if name == "front":
                    own.life = CARDS.fronts[card].life
            case _:
                raise ScenarioError(f"no zone to set: {name}")

    def _replace(self, state: MonsterMashUpState, wanted: str, old: str) -> None:
        """Let the card that was there lie where the wanted one comes from."""
        for place in (state.deck, *[own.hand for own in state.seats]):
            if wanted in place:
                place[place.index(wanted)] = old
                return
        raise ScenarioError(f"{wanted} lies nowhere")

    def get(self, state: MonsterMashUpState, zone: str) -> list[str]:
        seat, name = zone_of(zone)
        if seat:
            return self._get_seat(state.seat(seat), name)
        match name:
            case "battle" | "round" | "arena" | "last_winner":
                return said(getattr(state, name))
            case "deck" | "discard":
                return list(getattr(state, name))
            case "passes" if isinstance(state.step, RollStep):
                return said(state.step.passes)
            case "totals" if isinstance(state.step, WindowStep):
                decision = self.engine().decisions(state)[0]
                return [str(total) for total in decision.question.totals]
            case "outcome":
                if state.outcome is None:
                    return []
                winners = [str(winner) for winner in state.outcome.winners]
                return [state.outcome.reason, "winners", *winners, "heads", "-".join(map(str, state.outcome.scores))]
        raise ScenarioError(f"no zone: {zone}")

    def _get_seat(self, own: SeatState, name: str) -> list[str]:
        match name:
            case "hand" | "heads":
                return list(getattr(own, name))
            case "commit":
                return list(own.committed)
            case "front" | "back" | "scientist":
                return [getattr(own, name)] if getattr(own, name) else []
            case "side" | "energy" | "life":
                return said(getattr(own, name))
            case "dice":
                return [str(face) for face in own.marks.dice]
            case "choice":
                return choice_words(own.marks.choice)
            case "disc":
                return said(own.marks.disc)
            case "speed" | "special_attack":
                return said(getattr(CARDS.backs[own.back], name))
        raise ScenarioError(f"no zone: {name}")

    # ---- views

    def seen(self, view: Any, zone: str) -> list[str]:
        seat, name = zone_of(zone)
        if not seat:
            return said(getattr(view, name))
        shown = view.seats[seat - 1]
        match name:
            case "committed" | "hand_count" | "energy":
                return said(getattr(shown, name))
            case "choice":
                return choice_words(shown.choice)
            case "front" | "back":
                return [] if shown.monster is None else [getattr(shown.monster, name)]
            case "hand" | "commit" | "own_choice" if shown.own is None:
                return ["hidden"]
            case "hand":
                return list(shown.own.hand)
            case "commit":
                monster = shown.own.committed_monster
                return [] if monster is None else [monster.front, monster.back]
            case "own_choice":
                return choice_words(shown.own.committed_choice)
        raise ScenarioError(f"no zone of a view: {zone}")

    def kept(self, words: list[str], zone: str) -> list[str]:  # noqa: ARG002 - nothing to strip
        return words

    # ---- moves and events

    def move(self, text: str) -> Move | None:  # noqa: C901 - one case a move
        match text.split():
            case ["choose", scientist]:
                return ChooseScientist(scientist)
            case ["make", front, back]:
                return MakeMonster(front, back)
            case ["reroll"]:
                return RerollBoth()
            case ["reroll", die]:
                return RerollOne(int(die))
            case ["power", own_die, opponent_die]:
                return UsePower(int(own_die), int(opponent_die))
            case ["scientist", own_die, opponent_die]:
                return UseScientist(int(own_die), int(opponent_die))
            case ["pass"]:
                return PassTurn()
            case ["boost", fingers]:
                return Boost(int(fingers))
            case ["defend"]:
                return Defend()
            case ["panic"]:
                return Panic()
            case ["resign"]:
                return None
        raise ScenarioError(f"no move: {text!r}")

    def event_fields(self, fields: dict[str, str]) -> dict[str, str]:
        return fields
