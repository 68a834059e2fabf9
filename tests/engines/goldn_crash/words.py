"""How scenarios write Gold'n Crash: ``Bomb2`` is a card, ``2x`` a destroyed zeppelin of robustness 2, ``2s`` one that its owner has seen."""

import re
from typing import Any

import msgspec
from msgspec import UNSET

from engines.goldn_crash import GAME
from engines.goldn_crash.moves import CallBackFrom, DiscardCard, Draw, Manoeuvre, PassTurn, Place, PlaceObserved, PlayCard, SecureFrom
from engines.goldn_crash.state import BombStrength, GoldnCrashState, SeatState, TurnStep, Zeppelin
from engines.kit import play
from engines.kit.contract import Engine
from engines.kit.structs import Move
from engines.kit.table import Table
from tests.engines.scenario import ScenarioError, Words

CARDS = GAME.default_card_set
DECK = ["Bomb1", "Board1", "Fish1", "Reinforce1", "Secure1", "Gold4"]

_CARD = re.compile(r"(Bomb|Board|Fish|Reinforce|Secure|Gold)([1-9])")
_ZEPPELIN = re.compile(r"([1-9])([xs]?)")
_NUMBERS = frozenset({"turn", "active", "actions"})
_COUNTS = frozenset({"hand_count", "deck_count", "observed_count", "treasure_count", "treasure_locked"})


def card(word: str) -> str:
    found = _CARD.fullmatch(word)
    if found:
        return f"{found[1].upper()}_{found[2]}"
    if word in CARDS.guests:
        return word
    raise ScenarioError(f"no card: {word!r}")


def word(card_id: str) -> str:
    kind, _, value = card_id.partition("_")
    return card_id if card_id in CARDS.guests else f"{kind.capitalize()}{value}"


def zone_of(zone: str) -> tuple[int, str]:
    """Split a zone's name into its seat (0: the match's) and what it is."""
    seat, dot, name = zone.partition(".")
    return (int(seat), name) if dot and seat in {"1", "2"} else (0, zone)


class GoldnCrashWords(Words):
    unordered = frozenset({"hand"})
    refusals = {"WRONG_ANSWER TURN-7": "WRONG_MOVE_FOR_DECISION TURN-7", "NOT_YOUR_DECISION TURN-1": "NOT_ASKED"}

    def base(self) -> GoldnCrashState:
        return GoldnCrashState(
            ruleset=GAME.ruleset,
            position=0,
            options=GAME.options(),
            seats=[self._seat(crew) for crew in CARDS.crews],
            turn=5,
            active=1,
            last_turn=False,
            plays=[0, 0, 0],
            box=[],
            stack=[TurnStep(2)],
        )

    def _seat(self, crew: str) -> SeatState:
        return SeatState(
            crew=crew,
            deck=[card(each) for each in reversed(DECK)],
            deck_seen=[False] * len(DECK),
            hidden=[],
            shown=[],
            observed=[],
            discard=[],
            treasure=[],
            columns=[[], [], []],
            zeppelins=[Zeppelin(1), Zeppelin(2), Zeppelin(3)],
            guests=["", "", ""],
        )

    def deal(self, engine: Engine[Any], table: Table[Any], what: str) -> None:
        """Deal a match that this seat begins (0: leave it to chance)."""
        play.set_up(engine, table, 2, GAME.fill_in_options(CARDS, {"first_seat": int(what)}), GAME.ruleset)

    # ---- positions

    def set(self, state: GoldnCrashState, zone: str, words: list[str]) -> None:
        seat, name = zone_of(zone)
        if seat == 0:
            self._set_match(state, name, words)
        else:
            self._set_seat(state.seat(seat), name, words)

    def _set_match(self, state: GoldnCrashState, name: str, words: list[str]) -> None:
        option = name.removeprefix("option.")
        if name != option:
            value = BombStrength(words[0]) if option == "bomb_strength" else int(words[0])
            state.options = GAME.fill_in_options(CARDS, msgspec.structs.asdict(state.options) | {option: value})
        elif name == "turn":
            state.turn = int(words[0])
        elif name == "active":
            state.active = int(words[0])
        elif name == "actions":
            state.stack = [TurnStep(int(words[0]))]
        elif name == "last_turn":
            state.last_turn = {"true": True, "false": False}[words[0]]
        elif name == "plays":
            state.plays = [int(each) for each in words]
        else:
            raise ScenarioError(f"no zone to set: {name}")

    def _set_seat(self, own: SeatState, name: str, words: list[str]) -> None:
        match name:
            case "hand":
                own.hidden, own.shown = [card(each) for each in words], []
            case "deck":
                own.deck, own.deck_seen = [card(each) for each in reversed(words)], [False] * len(words)
            case "discard" | "treasure":
                setattr(own, name, [card(each) for each in words])
            case "col1" | "col2" | "col3":
                own.columns[int(name[-1]) - 1] = [card(each) for each in words]
            case "zep":
                found = [_ZEPPELIN.fullmatch(each) for each in words]
                assert len(found) == 3 and all(found)
                own.zeppelins = [Zeppelin(int(each[1]), destroyed=each[2] == "x", seen=each[2] == "s") for each in found if each]
            case "guests":
                assert len(words) == 3
                own.guests = ["" if each == "-" else card(each) for each in words]
            case _:
                raise ScenarioError(f"no zone to set: {name}")

    def get(self, state: GoldnCrashState, zone: str) -> list[str]:
        seat, name = zone_of(zone)
        if seat:
            return self._get_seat(state.seat(seat), name)
        match name:
            case "turn" | "active":
                return [str(getattr(state, name))]
            case "actions":
                return [str(step.actions_left) for step in state.stack if isinstance(step, TurnStep)]
            case "last_turn":
                return [str(state.last_turn).lower()]
            case "plays":
                return [str(each) for each in state.plays]
            case "box":
                return list(state.box)
            case "outcome":
                if state.outcome is None:
                    return []
                winners = [str(winner) for winner in state.outcome.winners] or ["nobody"]
                return [state.outcome.reason, "winner", *winners, "gold", "-".join(map(str, state.outcome.scores))]
        raise ScenarioError(f"no zone: {zone}")

    def _get_seat(self, own: SeatState, name: str) -> list[str]:
        match name:
            case "hand":
                return [word(each) for each in (*own.hidden, *own.shown)]
            case "deck":
                return [word(each) for each in reversed(own.deck)]
            case "discard" | "treasure" | "observed":
                return [word(each) for each in getattr(own, name)]
            case "col1" | "col2" | "col3":
                return [word(each) for each in own.column(int(name[-1]))]
            case "zep":
                return [f"{each.robustness}{'x' if each.destroyed else 's' if each.seen else ''}" for each in own.zeppelins]
            case "guests":
                return [each or "-" for each in own.guests]
        raise ScenarioError(f"no zone: {name}")

    # ---- views

    def seen(self, view: Any, zone: str) -> list[str]:
        seat, name = zone_of(zone)
        assert seat, f"no zone of a view: {zone}"
        shown = view.seats[seat - 1]
        if name in _COUNTS:
            return [str(getattr(shown, name))]
        match name:
            case "hand" | "observed":
                return ["hidden"] if shown.own is None else [word(each) for each in getattr(shown.own, name)]
            case "known_deck":
                return ["hidden"] if shown.own is None else [f"{known.position}:{word(known.card)}" for known in shown.own.known_deck]
            case "treasure":
                return ["hidden"] if shown.treasure is None else [word(each) for each in shown.treasure.cards]
            case "gold":
                return ["hidden"] if shown.treasure is None else [str(shown.treasure.gold)]
            case "zep":
                return [f"{'?' if each.robustness is UNSET else each.robustness}{'x' if each.destroyed else ''}" for each in shown.columns]
            case "withstood":
                return [str(each.withstood) for each in shown.columns]
        raise ScenarioError(f"no zone of a view: {zone}")

    def kept(self, words: list[str], zone: str) -> list[str]:
        return [each.rstrip("xs") for each in words] if zone_of(zone)[1] == "zep" else words

    # ---- moves and events

    def move(self, text: str) -> Move | None:
        match text.split():
            case ["draw"]:
                return Draw()
            case ["play", face, column]:
                return PlayCard(card(face), int(column))
            case ["discard", column]:
                return DiscardCard(int(column))
            case ["pass"]:
                return PassTurn()
            case ["secure", column]:
                return SecureFrom(int(column))
            case ["callback", column]:
                return CallBackFrom(int(column))
            case ["manoeuvre", from_column, to_column]:
                return Manoeuvre(int(from_column), int(to_column))
            case ["place", index, place]:
                return PlaceObserved(int(index), Place(place))
            case ["resign"]:
                return None
        raise ScenarioError(f"no move: {text!r}")

    def event_fields(self, fields: dict[str, str]) -> dict[str, str]:
        turned: dict[str, str] = {}
        kind = fields.get("type")
        for name, value in fields.items():
            match name:
                case "type":
                    continue
                case "value":
                    assert kind, "a value stands with its type"
                    turned["card"] = f"{kind}_{value}"
                case "cause":
                    turned["reason"] = value
                case "cards" | "card" if value != "absent":
                    turned[name] = "+".join(card(each) for each in value.split("+"))
                case _:
                    turned[name] = value
        return turned
