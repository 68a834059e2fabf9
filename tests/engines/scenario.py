"""Scenarios as data: a position, moves, and what must then be true, one statement a line. Shared by all games; a game gives its words (``Words``).

A file holds blocks, each from ``#### S01 title`` to the next. The statements:

- ``given zone = words; zone = words`` sets the position; ``instead`` does so from the beginning again; ``new what`` deals a match, the game says which.
- ``cards path = value`` plays by a card set with one value changed; ``rolls dice`` is what chance will give, in this order, and lets the game run on.
- ``do seat move`` is legal and is carried out; ``refused seat move = CODE RULE`` is refused and changes nothing;
  ``legal seat = move, move`` is the whole list.
- ``then zone = words; …`` is the full truth, ``size zone = number`` how many words it has; the zone ``asks`` is the open decisions.
- ``events event(field=value;…), …`` are all events of the last ``do`` or ``rolls``, with some of their fields; ``some`` are among them, in this order;
  ``no event, event`` are not; ``sees viewer event(…), …`` are all of these names as that viewer gets them.
- ``view viewer zone = words; …`` is what its view has, ``hidden`` what it has not; ``keeps viewer zone = words`` holds in every re-dealing (``?``: anything).

After every statement a re-dealing for each viewer must look the same to it. Whatever cannot be read is an error: nothing is skipped.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from engines.kit import play
from engines.kit.chance import Chance, Generator, ScriptedChance, match_key
from engines.kit.contract import Engine
from engines.kit.structs import Event, Move
from engines.kit.table import Table
from engines.kit.violation import NotAsked, Violation

_REDEALS = 3
_KEPT_REDEALS = 40

_TITLE = re.compile(r"#### (S\d\d) (.+)")
_EVENT = re.compile(r"([a-z_]+)(?:\(([^()]*)\))?")


class ScenarioError(ValueError):
    """A scenario that cannot be read."""


class Statement(NamedTuple):
    line: int
    verb: str
    text: str


class Scenario(NamedTuple):
    id: str
    title: str
    statements: tuple[Statement, ...]


def read_scenarios(folder: Path) -> list[Scenario]:
    """Read every ``*.scenario`` of a folder, in order."""
    scenarios = [scenario for path in sorted(folder.glob("*.scenario")) for scenario in parse(path.read_text(encoding="utf-8"))]
    ids = [scenario.id for scenario in scenarios]
    if len(set(ids)) != len(ids):
        raise ScenarioError(f"an id stands twice in {folder}")
    return scenarios


def parse(text: str) -> Iterator[Scenario]:
    """Split a file's text into its scenarios."""
    title: re.Match[str] | None = None
    statements: list[Statement] = []
    for number, line in enumerate([*text.splitlines(), "#### S00 end"], 1):
        if new_title := _TITLE.fullmatch(line):
            if title is not None:
                if not statements:
                    raise ScenarioError(f"{title[1]} has no statement")
                yield Scenario(title[1], title[2], tuple(statements))
            title, statements = new_title, []
        elif line.strip():
            verb, _, rest = line.partition(" ")
            if title is None or verb not in VERBS or not rest:
                raise ScenarioError(f"line {number} cannot be read: {line!r}")
            statements.append(Statement(number, verb, rest))


def split_assignments(text: str) -> list[tuple[str, list[str]]]:
    """Split ``zone = words; zone = words``; ``none`` is no word at all."""
    found = []
    for part in text.split("; "):
        zone, equals, words = part.partition(" = ")
        if not equals or not zone.strip() or not words.strip():
            raise ScenarioError(f"no assignment: {part!r}")
        found.append((zone, [] if words == "none" else words.split()))
    return found


def split_events(text: str) -> list[tuple[str, dict[str, str]]]:
    """Split ``event(field=value;field=value), event``."""
    found = []
    for part in text.split(", "):
        event = _EVENT.fullmatch(part)
        if event is None:
            raise ScenarioError(f"no event: {part!r}")
        fields = {}
        for field in (event[2] or "").split(";") if event[2] else []:
            name, equals, value = field.partition("=")
            if not equals or not name or not value or name in fields:
                raise ScenarioError(f"no field of an event: {field!r}")
            fields[name] = value
        found.append((event[1], fields))
    return found


class Words(ABC):
    """A game's words: how its zones, moves and events are written in scenarios. Zones are lists of words."""

    unordered: frozenset[str] = frozenset()
    """The zones (without their seat) whose words have no order."""

    refusals: dict[str, str] = {}
    """Refusals as scenarios write them, to what the rules say; ``NOT_ASKED`` is a seat that has no open decision."""

    @abstractmethod
    def base(self) -> Any:
        """Make the state from which a scenario starts."""

    @abstractmethod
    def deal(self, engine: Engine[Any], table: Table[Any], what: str) -> None:
        """Deal a match; ``what`` says which, in the game's own words."""

    def chance(self, words: list[str]) -> list[object]:
        """Say what chance shall give, for games that roll."""
        raise ScenarioError(f"this game does not roll: {words}")

    def engine_with(self, path: str, value: str) -> Engine[Any]:
        """Make the engine with a card set that differs in one value."""
        raise ScenarioError(f"this game has one card set only: {path} = {value}")

    @abstractmethod
    def set(self, state: Any, zone: str, words: list[str]) -> None:
        """Put a zone of the state."""

    @abstractmethod
    def get(self, state: Any, zone: str) -> list[str]:
        """Say a zone of the state."""

    @abstractmethod
    def seen(self, view: Any, zone: str) -> list[str]:
        """Say a zone of a view; ``["hidden"]`` if the view has it not."""

    @abstractmethod
    def kept(self, words: list[str], zone: str) -> list[str]:
        """Strip from a zone's words what ``keeps`` does not speak about."""

    @abstractmethod
    def move(self, text: str) -> Move | None:
        """Read a move; None is to leave the match."""

    @abstractmethod
    def event_fields(self, fields: dict[str, str]) -> dict[str, str]:
        """Turn an event's fields and values as written into those of the engine."""


class Runner:
    """Runs one scenario."""

    def __init__(self, words: Words, engine: Engine[Any], seats: int, seed: int = 0) -> None:
        self.words = words
        self.engine = engine
        self.viewers = range(seats + 1)
        self.seed = seed
        self.table = self._base()

    def run(self, scenario: Scenario) -> None:
        for statement in scenario.statements:
            try:
                VERBS[statement.verb](self, statement.text)
                self._looks_the_same_when_redealt()
            except Exception as error:
                error.add_note(f"{scenario.id}, line {statement.line}: {statement.verb} {statement.text}")
                raise
        self._rolled_all()

    # ---- statements

    def new(self, text: str) -> None:
        self.table = Table(Generator(match_key(self.seed.to_bytes(32, "big"))))
        self.words.deal(self.engine, self.table, text)

    def given(self, text: str) -> None:
        for zone, words in split_assignments(text):
            self.words.set(self.table.state, zone, words)

    def instead(self, text: str) -> None:
        self._rolled_all()
        self.table = self._base()
        self.given(text)

    def cards(self, text: str) -> None:
        path, _, value = text.partition(" = ")
        self.engine = self.words.engine_with(path, value)

    def rolls(self, text: str) -> None:
        if not isinstance(self.table.rng, ScriptedChance):
            raise ScenarioError("the chance of this match is not scripted")
        self.table.rng.coming += self.words.chance(text.split())
        self.table.events.clear()
        play.run_on(self.engine, self.table)

    def do(self, text: str) -> None:
        seat, move = self._seat_and_move(text)
        self.table.events.clear()
        if move is None:
            play.leave(self.engine, self.table, seat)
            return
        assert move in play.legal_moves(self.engine, self.table.state, seat)
        play.play(self.engine, self.table, seat, move)

    def refused(self, text: str) -> None:
        attempt, _, refusal = text.partition(" = ")
        seat, move = self._seat_and_move(attempt)
        assert move is not None
        before = msgspec.msgpack.encode(self.table.state)
        try:
            play.play(self.engine, self.table, seat, move)
        except Violation as violation:
            said = f"{violation.code} {violation.rule}"
            assert violation.message.endswith("."), violation
        except NotAsked:
            said = "NOT_ASKED"
        else:
            raise AssertionError("was carried out")
        assert said == self.words.refusals.get(refusal, refusal)
        assert msgspec.msgpack.encode(self.table.state) == before

    def legal(self, text: str) -> None:
        seat, _, listed = text.partition(" = ")
        expected = [] if listed == "none" else [self.words.move(move) for move in listed.split(", ")]
        assert play.legal_moves(self.engine, self.table.state, int(seat)) == expected

    def then(self, text: str) -> None:
        for zone, words in split_assignments(text):
            self._same(self._zone(zone), words, zone)

    def size(self, text: str) -> None:
        for zone, words in split_assignments(text):
            assert [str(len(self._zone(zone)))] == words, zone

    def events(self, text: str) -> None:
        expected = split_events(text)
        happened = [emitted.event for emitted in self.table.events]
        assert [_name(event) for event in happened] == [name for name, _ in expected]
        for event, (_, fields) in zip(happened, expected, strict=True):
            self._has_fields(event, fields)

    def some(self, text: str) -> None:
        happened = iter([emitted.event for emitted in self.table.events])
        for name, fields in split_events(text):
            assert any(_name(event) == name and self._written(event, fields) == self.words.event_fields(fields) for event in happened), (name, fields)

    def no(self, text: str) -> None:
        happened = [_name(emitted.event) for emitted in self.table.events]
        assert not {name for name, _ in split_events(text)} & set(happened), happened

    def sees(self, text: str) -> None:
        viewer, _, event_text = text.partition(" ")
        expected = split_events(event_text)
        names = {name for name, _ in expected}
        seen = [event for emitted in self.table.events if (event := emitted.seen_by(int(viewer))) is not None and _name(event) in names]
        assert [_name(event) for event in seen] == [name for name, _ in expected], seen
        for event, (_, fields) in zip(seen, expected, strict=True):
            self._has_fields(event, fields)

    def view(self, text: str) -> None:
        viewer, _, rest = text.partition(" ")
        view = self.engine.view(self.table.state, int(viewer))
        for zone, words in split_assignments(rest):
            self._same(self.words.seen(view, zone), words, zone)

    def keeps(self, text: str) -> None:
        viewer, _, rest = text.partition(" ")
        for zone, words in split_assignments(rest):
            for seed in range(_KEPT_REDEALS):
                other = self.engine.redeal(self.table.state, int(viewer), _chance(seed))
                found = self.words.kept(self.words.get(other, zone), zone)
                if _kind(zone) in self.words.unordered:
                    for word in words:
                        found.remove(word)
                else:
                    assert [new if old != "?" else "?" for old, new in zip(words, found, strict=True)] == words

    # ---- their parts

    def _seat_and_move(self, text: str) -> tuple[int, Move | None]:
        seat, _, move = text.partition(" ")
        return int(seat), self.words.move(move)

    def _zone(self, zone: str) -> list[str]:
        if zone != "asks":
            return self.words.get(self.table.state, zone)
        decisions = self.engine.decisions(self.table.state)
        return [word for decision in decisions for word in (str(decision.seat), decision.kind)] or ["nobody"]

    def _same(self, found: list[str], expected: list[str], zone: str) -> None:
        if _kind(zone) in self.words.unordered:
            found, expected = sorted(found), sorted(expected)
        assert found == expected, zone

    def _has_fields(self, event: Event, fields: dict[str, str]) -> None:
        assert self._written(event, fields) == self.words.event_fields(fields)

    def _written(self, event: Event, fields: dict[str, str]) -> dict[str, str]:
        return {name: _write(getattr(event, name)) for name in self.words.event_fields(fields)}

    def _base(self) -> Table[Any]:
        # A match in progress draws nothing that a scenario does not script.
        table: Table[Any] = Table(ScriptedChance({}))
        table.state = self.words.base()
        return table

    def _rolled_all(self) -> None:
        if isinstance(self.table.rng, ScriptedChance) and self.table.rng.coming:
            raise ScenarioError(f"never rolled: {self.table.rng.coming}")

    def _looks_the_same_when_redealt(self) -> None:
        for viewer in self.viewers:
            for seed in range(_REDEALS):
                other = self.engine.redeal(self.table.state, viewer, _chance(seed))
                assert appearance(self.engine, other, viewer) == appearance(self.engine, self.table.state, viewer)


def appearance(engine: Engine[Any], state: Any, viewer: int) -> tuple[bytes, Any, Any]:
    """Everything that a state shows to a viewer: its view's bytes, all open decisions, its own candidates with the violations that forbid them."""
    return msgspec.json.encode(engine.view(state, viewer)), engine.decisions(state), play.judge(engine, state, viewer)


VERBS = {verb.__name__: verb for verb in (
    Runner.new, Runner.given, Runner.instead, Runner.cards, Runner.rolls, Runner.do, Runner.refused, Runner.legal, Runner.then, Runner.size, Runner.events,
    Runner.some, Runner.no, Runner.sees, Runner.view, Runner.keeps,
)}  # fmt: skip


def _chance(seed: int) -> Chance:
    return Generator(match_key(b"redeal" + seed.to_bytes(26, "big")))


def _kind(zone: str) -> str:
    return zone.rpartition(".")[2]


def _name(event: Event) -> str:
    return str(type(event).__struct_config__.tag)


def _write(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return "+".join(map(_write, value)) or "none"
        case msgspec.Struct():
            return ":".join(map(_write, msgspec.structs.astuple(value)))
        case _ if value is UNSET:
            return "absent"
        case _:
            return str(value)
