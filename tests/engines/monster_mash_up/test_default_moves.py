"""What is made for a seat that does not answer in time ("A seat that does not answer in time" in RULES.md)."""

from engines.kit import play
from engines.kit.chance import Draw, ScriptedChance
from engines.kit.structs import Move
from engines.kit.table import Table
from engines.monster_mash_up.moves import Boost, ChooseScientist, MakeMonster, PassTurn
from tests.engines.monster_mash_up.words import HANDS, MashUpWords

WORDS = MashUpWords()
ENGINE = WORDS.engine()


def dealt() -> Table:
    table: Table = Table(ScriptedChance({}))
    WORDS.deal(ENGINE, table, "duel")
    return table


def in_the_first_round(*dice: int) -> Table:
    table: Table = Table(ScriptedChance({}, [face - 1 for face in dice]))
    table.state = WORDS.base()
    play.run_on(ENGINE, table)
    return table


def default(table: Table, seat: int) -> Move:
    move = ENGINE.default_move(table, seat)
    play.check(ENGINE, table.state, seat, move)
    return move


def test_the_first_scientist_that_nobody_has_is_taken() -> None:
    table = dealt()
    assert default(table, 1) == ChooseScientist("dr_chaos")
    play.play(ENGINE, table, 1, ChooseScientist("dr_chaos"))
    assert default(table, 2) == ChooseScientist("professor_voltage")


def test_the_monster_is_drawn_from_all_that_the_hand_can_make() -> None:
    table = dealt()
    for seat, scientist in ((1, "dr_chaos"), (2, "professor_voltage")):
        play.play(ENGINE, table, seat, ChooseScientist(scientist))
    every = play.legal_moves(ENGINE, table.state, 2)
    assert every == [MakeMonster(front, back) for front in HANDS[2] for back in HANDS[2] if front != back]
    for index, monster in enumerate(every):
        table.rng = ScriptedChance({"default monster": monster})
        assert default(table, 2) == monster
        assert table.rng.draws == [Draw("default monster", (index,))]


def test_a_turn_is_passed_and_nothing_is_boosted() -> None:
    table = in_the_first_round(3, 4, 2, 6)
    assert default(table, 1) == PassTurn()
    play.play(ENGINE, table, 1, PassTurn())
    play.play(ENGINE, table, 2, PassTurn())
    assert default(table, 1) == default(table, 2) == Boost(0)


def test_the_window_is_passed() -> None:
    table = in_the_first_round(5, 5, 2, 2)
    for seat, move in ((2, PassTurn()), (1, PassTurn()), (1, Boost(0)), (2, Boost(0))):
        play.play(ENGINE, table, seat, move)
    assert play.open_decision(ENGINE, table.state, 2).kind == "DAMAGE_WINDOW"
    assert default(table, 2) == PassTurn()
