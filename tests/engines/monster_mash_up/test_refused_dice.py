"""Which die of a use is to blame (POW-7): the contract lets a refusal name the field of the move."""

import pytest

from engines.kit import play
from engines.kit.chance import ScriptedChance
from engines.kit.table import Table
from engines.kit.violation import Violation
from engines.monster_mash_up.card_set import Side
from engines.monster_mash_up.moves import UsePower, UseScientist
from tests.engines.monster_mash_up.words import MashUpWords

SET_TO_6 = "molten_magmaslug"
FLIP_ANY = "mothy_moonmoth"
TURN_THEIRS = "snapping_crabclaw"
SWAP = "tentacled_krakenling"
BOTH_OWN = "howling_wolfkin"


def refused(back: str, own_die: int, opponent_die: int) -> Violation:
    """Use the power of a monster with this back, whose condition is met by the first roll, on these dice."""
    words = MashUpWords()
    engine = words.engine()
    table = Table(ScriptedChance({}, [5, 1, 4, 4]))
    table.state = words.base()
    words.set(table.state, "1.front", ["fanged_batwing"])
    words.set(table.state, "1.back", [back])
    play.run_on(engine, table)
    with pytest.raises(Violation) as caught:
        play.check(engine, table.state, 1, UsePower(own_die, opponent_die))
    assert (caught.value.code, caught.value.rule) == ("BAD_TARGET", "POW-7")
    return caught.value


@pytest.mark.parametrize(("back", "own_die", "opponent_die", "field"), [
    (SET_TO_6, 0, 0, "own_die"),
    (SET_TO_6, 3, 0, "own_die"),
    (SET_TO_6, 0, 1, "own_die"),
    (SET_TO_6, 1, 2, "opponent_die"),
    (TURN_THEIRS, 0, 0, "opponent_die"),
    (TURN_THEIRS, 1, 2, "own_die"),
    (SWAP, 2, 0, "opponent_die"),
    (SWAP, 0, 2, "own_die"),
    (BOTH_OWN, 1, 0, "own_die"),
    (BOTH_OWN, 0, 1, "opponent_die"),
    (FLIP_ANY, 7, 0, "own_die"),
    (FLIP_ANY, 0, -1, "opponent_die"),
])  # fmt: skip
def test_the_first_die_that_no_target_has_is_to_blame(back: str, own_die: int, opponent_die: int, field: str) -> None:
    assert refused(back, own_die, opponent_die).field == field


@pytest.mark.parametrize(("own_die", "opponent_die"), [(0, 0), (1, 2)])
def test_where_either_die_could_be_to_blame_none_is_named(own_die: int, opponent_die: int) -> None:
    assert refused(FLIP_ANY, own_die, opponent_die).field == ""


def test_a_scientist_is_judged_alike() -> None:
    words = MashUpWords()
    engine = words.engine()
    table = Table(ScriptedChance({}, [2, 2, 1, 5]))
    table.state = words.base()
    table.state.seat(1).side = Side.B
    play.run_on(engine, table)
    with pytest.raises(Violation) as caught:
        play.check(engine, table.state, 1, UseScientist(0, 3))
    assert (caught.value.code, caught.value.rule, caught.value.field) == ("BAD_TARGET", "POW-7", "opponent_die")
