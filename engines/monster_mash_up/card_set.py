"""A card set: what is in its file, what makes it valid, and what the rules read of it."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from engines.kit.cards import Card, CardSet, CardSetError, Provenance, read_as, read_entries
from engines.kit.structs import Choice
from engines.monster_mash_up.vocabulary import DICE_EFFECTS, NO_DIE, Amount, Condition, DiceGap, Effect, Number, Shift, Target, targets_of

_MONSTERS = 24
_SCIENTISTS = 4


class Timing(Choice):
    """When a scientist is used (SCI-3)."""

    ROLL = "roll"
    DAMAGE = "damage"


class Side(Choice):
    """A side of a scientist."""

    A = "A"
    B = "B"


# ---- the file

Id = Annotated[str, Meta(pattern="^[a-z0-9_]{1,40}$")]


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    pass


class LimitsEntry(_Entry):
    """What bounds Life and the length of a battle."""

    life_track_max: Amount
    round_cap: Amount
    provenance: Provenance


class ArenaEntry(_Entry):
    """The levels of the spaces, first space first."""

    levels: Annotated[list[Amount], Meta(min_length=1)]
    provenance: Provenance


class FrontEntry(_Entry):
    """The head of a monster card."""

    name: str
    life: Amount
    intelligence: Annotated[int, Meta(ge=0, le=8)]
    condition: Condition = msgspec.field(name="if")


class BackEntry(_Entry):
    """The tail of a monster card."""

    name: str
    special_attack: Amount
    speed: Number
    then: list[Effect]


class MonsterEntry(_Entry):
    """A monster card."""

    id: Id
    provenance: Provenance
    front: FrontEntry
    back: BackEntry


class CostEntry(_Entry):
    """What using a scientist costs."""

    life: Number
    energy: Number


class SideEntry(_Entry):
    """One side of a scientist."""

    timing: Timing
    cost: CostEntry
    effects: list[Effect]


class ScientistEntry(_Entry):
    """A scientist."""

    id: Id
    name: str
    provenance: Provenance
    a: SideEntry
    b: SideEntry


class SetFile(_Entry):
    """The whole file; its monsters and scientists are read one by one."""

    id: Id
    title: str
    game: str
    format: Annotated[int, Meta(ge=1, le=1)]
    limits: LimitsEntry
    arena: ArenaEntry
    monster: list[dict[str, Any]]
    scientist: list[dict[str, Any]]


# ---- the set


class Power(NamedTuple):
    """A list of effects: what can be named for it (POW-7), and whether dice are in it (POW-5)."""

    effects: tuple[Effect, ...]
    targets: tuple[Target, ...]
    is_about_dice: bool


class Front(NamedTuple):
    """What the rules read of a head."""

    name: str
    life: int
    intelligence: int
    condition: Condition


class Back(NamedTuple):
    """What the rules read of a tail."""

    name: str
    special_attack: int
    speed: int
    power: Power


class Ability(NamedTuple):
    """What the rules read of one side of a scientist."""

    timing: Timing
    life: int
    energy: int
    power: Power


class MonsterMashUpCards(CardSet):
    """What the rules read: heads and tails by the id of their card, abilities by scientist and side, the arena."""

    def __init__(self, content: SetFile, monsters: list[MonsterEntry], scientists: list[ScientistEntry], digest: str) -> None:
        super().__init__(content.id, content.title, digest, tuple(_catalogue(content, monsters, scientists)))
        self.deck = tuple(monster.id for monster in monsters)
        self.fronts = {monster.id: Front(*_values(monster.front)) for monster in monsters}
        self.backs = {monster.id: Back(monster.back.name, monster.back.special_attack, monster.back.speed, _power(monster.back.then)) for monster in monsters}
        self.scientists = {scientist.id: scientist.name for scientist in scientists}
        self.abilities = {
            (scientist.id, side): Ability(entry.timing, entry.cost.life, entry.cost.energy, _power(entry.effects))
            for scientist in scientists
            for side, entry in ((Side.A, scientist.a), (Side.B, scientist.b))
        }
        self.levels = tuple(content.arena.levels)
        self.round_cap = content.limits.round_cap

    def level(self, space: int) -> int:
        """Return the level of an arena space, counted from 1."""
        return self.levels[space - 1]

    def monster_name(self, front: str, back: str) -> str:
        """Name the monster that a front and a back make."""
        return f"{self.fronts[front].name} {self.backs[back].name}"


def build_card_set(content: dict[str, Any], digest: str) -> MonsterMashUpCards:
    """Make a card set from parsed TOML.

    Raises:
        CardSetError: the content is not of the format, or breaks a rule of validity; the entry is named.
    """
    file = read_as(content, SetFile)
    monsters = read_entries(file.monster, MonsterEntry, "monster")
    scientists = read_entries(file.scientist, ScientistEntry, "scientist")
    for problem in _problems(file, monsters, scientists):
        raise CardSetError(problem)
    return MonsterMashUpCards(file, monsters, scientists, digest)


def _problems(file: SetFile, monsters: list[MonsterEntry], scientists: list[ScientistEntry]) -> Iterator[str]:
    """Find what breaks the rules of validity."""
    if file.game != "monster_mash_up":
        yield f"game: {file.game!r} is another game"
    if len(monsters) != _MONSTERS:
        yield f"monster: {len(monsters)} entries, not {_MONSTERS}"
    if len(scientists) != _SCIENTISTS:
        yield f"scientist: {len(scientists)} entries, not {_SCIENTISTS}"
    for repeated, count in Counter([monster.id for monster in monsters] + [scientist.id for scientist in scientists]).items():
        if count > 1:
            yield f"{repeated}: stands {count} times"
    yield from _arena_problems(file.arena.levels)
    for monster in monsters:
        if monster.front.life > file.limits.life_track_max:
            yield f"monster {monster.id}: life {monster.front.life} is more than life_track_max {file.limits.life_track_max}"
        yield from _condition_problems(f"monster {monster.id}", monster.front.condition)
        yield from _effect_problems(f"monster {monster.id}", monster.back.then)
    for scientist in scientists:
        yield from _side_problems(f"scientist {scientist.id}, side a", scientist.a)
        yield from _side_problems(f"scientist {scientist.id}, side b", scientist.b)


def _arena_problems(levels: list[int]) -> Iterator[str]:
    if levels[0] != 1:
        yield f"arena: the first level is {levels[0]}, not 1"
    if levels != sorted(levels):
        yield "arena: the levels go down"


def _side_problems(where: str, entry: SideEntry) -> Iterator[str]:
    yield from _effect_problems(where, entry.effects)
    if entry.timing is not Timing.ROLL and _power(entry.effects).is_about_dice:
        yield f"{where}: dice are turned in the Roll Phase only, but its timing is {entry.timing}"


def _condition_problems(where: str, condition: Condition) -> Iterator[str]:
    if isinstance(condition, DiceGap) and condition.min > condition.max:
        yield f"{where}: no dice differ by {condition.min} or more and {condition.max} or less"


def _effect_problems(where: str, effects: list[Effect]) -> Iterator[str]:
    if not effects:
        yield f"{where}: it has no effect"
    if sum(targets_of(effect) != (NO_DIE,) for effect in effects) > 1:
        yield f"{where}: more than one effect needs a named die"
    if any(isinstance(effect, Shift) and effect.by == 0 for effect in effects):
        yield f"{where}: a shift by 0 does nothing"


def _power(effects: list[Effect]) -> Power:
    named = [targets_of(effect) for effect in effects if targets_of(effect) != (NO_DIE,)]
    return Power(tuple(effects), named[0] if named else (NO_DIE,), any(isinstance(effect, DICE_EFFECTS) for effect in effects))


def _values(entry: msgspec.Struct) -> tuple[Any, ...]:
    return tuple(msgspec.structs.astuple(entry))


# ---- the catalogue


def _catalogue(file: SetFile, monsters: list[MonsterEntry], scientists: list[ScientistEntry]) -> Iterator[Card]:
    for monster in monsters:
        front, back = monster.front, monster.back
        values = (
            ("front", front.name),
            ("life", front.life),
            ("intelligence", front.intelligence),
            ("if", front.condition.text),
            ("back", back.name),
            ("special_attack", back.special_attack),
            ("speed", back.speed),
            ("then", _say(back.then)),
        )
        text = f"If {front.condition.text}. Then: {_say(back.then)}."
        yield Card(monster.id, "MONSTER", f"{front.name} {back.name}", text, values, 1, monster.provenance)
    for scientist in scientists:
        sides = (("Side A", scientist.a), ("Side B", scientist.b))
        text = " ".join(f"{name}, once a round, {_say_ability(entry)}." for name, entry in sides)
        words = tuple((name.lower().replace(" ", "_"), _say_ability(entry)) for name, entry in sides)
        yield Card(scientist.id, "SCIENTIST", scientist.name, text, words, 1, scientist.provenance)
    spaces = tuple((f"space_{space}", level) for space, level in enumerate(file.arena.levels, 1))
    yield Card("ARENA", "ARENA", "Arena", "The level of each space.", (*spaces, ("round_cap", file.limits.round_cap)), 1, file.arena.provenance)


def _say(effects: list[Effect]) -> str:
    return ", then ".join([effect.text for effect in effects])


def _say_ability(entry: SideEntry) -> str:
    when = {Timing.ROLL: "on your turn in the Roll Phase", Timing.DAMAGE: "before damage"}[entry.timing]
    costs = [f"{amount} {what}" for amount, what in ((entry.cost.life, "Life"), (entry.cost.energy, "Energy")) if amount]
    price = f"pay {' and '.join(costs)}, then " if costs else ""
    return f"{when}: {price}{_say(entry.effects)}"
