"""The generator, against vectors and against a second making of it from the documentation alone."""

import hashlib
import hmac
import json
from collections import Counter
from pathlib import Path

import pytest

from engines.kit.chance import Generator, ScriptedChance, bot_key, commitment, match_key

VECTORS = json.loads(Path(__file__).with_name("chance_vectors.json").read_text())


def independent_below(key: bytes, position: int, bound: int) -> tuple[int, int]:
    """``below`` in a few plain lines, as the documentation says it."""
    limit = 2**64 - 2**64 % bound
    while True:
        block = hmac.new(key, position.to_bytes(8, "big"), hashlib.sha256).digest()
        position += 1
        value = int.from_bytes(block[:8], "big")
        if value < limit:
            return value % bound, position


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vectors(vector: dict) -> None:
    seed = bytes.fromhex(vector["seed"])
    assert commitment(seed) == vector["commitment"]
    mixed = b"".join(hashlib.sha256(text.encode()).digest() for text in vector["clientSeeds"])
    key = hmac.new(seed, b"umpire/1" + mixed, hashlib.sha256).digest()
    assert match_key(seed, vector["clientSeeds"]) == key == bytes.fromhex(vector["key"])
    generator, position = Generator(key), 0
    for bound, expected in vector["below"]:
        value, position = independent_below(key, position, bound)
        assert generator.below(bound, "n") == value == expected
    assert generator.position == position
    order = list(range(len(vector["shuffle"])))
    for last in range(len(order) - 1, 0, -1):
        index, position = independent_below(key, position, last + 1)
        order[last], order[index] = order[index], order[last]
    assert generator.shuffle(range(len(order)), "s") == order == vector["shuffle"]
    assert generator.position == position == vector["position"]


def test_bot_keys_differ_by_seat_and_version() -> None:
    seed = bytes(32)
    assert len({bot_key(seed, seat, version) for seat in (1, 2) for version in (1, 2)} | {match_key(seed)}) == 5


def test_a_generator_goes_on_from_its_position() -> None:
    whole = Generator(bytes(32))
    drawn = [whole.below(1000, "n") for _ in range(20)]
    parts = Generator(bytes(32))
    first = [parts.below(1000, "n") for _ in range(8)]
    rest = Generator(bytes(32), parts.position)
    assert first + [rest.below(1000, "n") for _ in range(12)] == drawn


def test_draws_are_recorded_by_name() -> None:
    generator = Generator(bytes(32))
    value, order = generator.below(6, "die"), generator.shuffle("abc", "letters")
    assert [(draw.name, len(draw.results)) for draw in generator.draws] == [("die", 1), ("letters", 2)]
    assert generator.draws[0].results == (value,)
    again = list("abc")
    for last, index in zip((2, 1), generator.draws[1].results, strict=True):
        again[last], again[index] = again[index], again[last]
    assert again == order


def test_a_bound_that_does_not_divide_the_blocks_is_still_uniform() -> None:
    generator = Generator(b"k" * 32)
    counts = Counter(generator.below(3, "n") for _ in range(30_000))
    assert all(abs(count - 10_000) < 500 for count in counts.values())


def test_nothing_can_be_drawn_from_nothing() -> None:
    with pytest.raises(ValueError, match="bound 0"):
        Generator(bytes(32)).below(0, "n")


def test_scripted_chance_hands_out_named_outcomes() -> None:
    chance = ScriptedChance({"die": 3, "letters": ["c", "a", "b"], "one": "b"})
    assert chance.below(6, "die") == 3
    assert chance.shuffle("abc", "letters") == ["c", "a", "b"]
    assert chance.pick(["a", "b"], "one") == "b"
    with pytest.raises(ValueError, match="'die' is not scripted"):
        chance.below(6, "die")


def test_scripted_chance_hands_out_what_is_coming_to_draws_that_are_not_named() -> None:
    chance = ScriptedChance({"letters": ["b", "a"]}, coming=[3, 0])
    assert (chance.below(6, "die"), chance.shuffle("ab", "letters"), chance.below(6, "die")) == (3, ["b", "a"], 0)
    assert chance.coming == []
    with pytest.raises(ValueError, match="'die' is not scripted"):
        chance.below(6, "die")


@pytest.mark.parametrize(("draw", "outcome"), [("below", 6), ("below", "x"), ("shuffle", ["a", "b"]), ("pick", "z")])
def test_scripted_chance_refuses_what_the_draw_could_not_give(draw: str, outcome: object) -> None:
    chance = ScriptedChance({"n": outcome})
    with pytest.raises(ValueError, match="draw 'n'"):
        {"below": lambda: chance.below(6, "n"), "shuffle": lambda: chance.shuffle("abc", "n"), "pick": lambda: chance.pick(["a"], "n")}[draw]()
