"""Events, questions, moves and ends of Monster Mash-Up in sentences."""

import re
from typing import Any

import pytest

from tests.clients.terminal.mash import cards, view, voice_of
from tests.clients.terminal.table import words
from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire.v1.catalog_pb2 import Card
from umpire.v1.game_pb2 import Move
from umpire.v1.match_pb2 import Outcome
from umpire_terminal.games.generic import inner
from umpire_terminal.games.monster_mash_up import FACE, events, questions
from umpire_terminal.lookup import show_cards
from umpire_terminal.telling import tell_outcome

BOOST_2 = mm.BoostChoice(kind=mm.BOOST_KIND_BOOST, fingers=2)
TOLD: list[tuple[dict[str, Any], str]] = [
    ({"match_started": mm.MatchStarted(mode=mm.GAME_MODE_DUEL, heads_to_win=3)}, "A duel of mad scientists: 3 heads win."),
    ({"match_started": mm.MatchStarted(mode=mm.GAME_MODE_SOLO, heads_to_win=2)}, "Solo against Dr. Entropy: 2 heads win."),
    ({"scientist_chosen": mm.ScientistChosen(seat=2, scientist="dr_chaos", side=mm.SIDE_A)}, "The bot chose Dr. Chaos, side A up."),
    ({"deck_shuffled": mm.DeckShuffled(count=24)}, "The deck was shuffled: 24 monster cards."),
    ({"battle_started": mm.BattleStarted(battle=2, arena=1)}, "Battle 2 begins, on space 1 of the arena."),
    ({"cards_drawn": mm.CardsDrawn(seat=1, count=2, cards=["stone_gargle", "mothy_moonmoth"])}, "You drew Stone Gargle and Mothy Moonmoth."),
    ({"cards_drawn": mm.CardsDrawn(seat=2, count=2)}, "The bot drew 2 cards."),
    ({"cards_drawn": mm.CardsDrawn(seat=2, count=1)}, "The bot drew a card."),
    ({"cards_drawn": mm.CardsDrawn(seat=1, count=0)}, "You drew no card."),
    ({"monster_committed": mm.MonsterCommitted(seat=2)}, "The bot chose a monster, in secret."),
    (
        {"monster_placed": mm.MonsterPlaced(seat=2, front="swampy_lurker", back="stone_gargle", life=11)},
        "The bot sent the Swampy Gargle into the arena: Life 11.",
    ),
    ({"energy_changed": mm.EnergyChanged(seat=1, delta=-2, energy=3, reason=mm.CHANGE_REASON_REROLL)}, "You paid 2 Energy for a re-roll: 3 now."),
    ({"energy_changed": mm.EnergyChanged(seat=2, delta=-1, energy=0, reason=mm.CHANGE_REASON_POWER)}, "The bot lost 1 Energy by a monster's power: 0 now."),
    ({"energy_changed": mm.EnergyChanged(seat=2, delta=4, energy=8, reason=mm.CHANGE_REASON_DEFEND)}, "The bot gained 4 Energy for defending: 8 now."),
    ({"life_changed": mm.LifeChanged(seat=1, delta=-3, life=6, reason=mm.CHANGE_REASON_DAMAGE)}, "Your monster lost 3 Life as damage of the round: 6 now."),
    ({"life_changed": mm.LifeChanged(seat=2, delta=1, life=9, reason=mm.CHANGE_REASON_SCIENTIST)}, "The bot's monster gained 1 Life by a scientist: 9 now."),
    ({"round_started": mm.RoundStarted(battle=1, round=2, arena=2)}, "Round 2 of battle 1, on space 2 of the arena: damage 2."),
    ({"dice_rolled": mm.DiceRolled(seat=1, rolled=[1, 2], dice=[3, 4], reason=mm.CHANGE_REASON_INITIAL)}, "You rolled 3 and 4."),
    ({"dice_rolled": mm.DiceRolled(seat=1, rolled=[1, 2], dice=[3, 4], reason=mm.CHANGE_REASON_REROLL)}, "You re-rolled both dice: 3 and 4 now."),
    ({"dice_rolled": mm.DiceRolled(seat=2, rolled=[2], dice=[3, 4], reason=mm.CHANGE_REASON_REROLL)}, "The bot re-rolled die 2: 3 and 4 now."),
    (
        {"dice_rolled": mm.DiceRolled(seat=1, rolled=[1, 2], dice=[3, 4], reason=mm.CHANGE_REASON_PANIC)},
        "Your dice were re-rolled by the Panic Button: 3 and 4 now.",
    ),
    (
        {"dice_rolled": mm.DiceRolled(seat=2, rolled=[1], dice=[3, 4], reason=mm.CHANGE_REASON_POWER)},
        "The bot's die 1 was re-rolled by a monster's power: 3 and 4 now.",
    ),
    (
        {"die_changed": mm.DieChanged(seat=1, die=2, face_from=6, face_to=1, reason=mm.CHANGE_REASON_SCIENTIST)},
        "Your die 2 was turned from 6 to 1 by a scientist.",
    ),
    ({"one_shown": mm.OneShown(seat=2)}, "The bot's dice show a 1, for the first time this round."),
    ({"disc_placed": mm.DiscPlaced(seat=1)}, "The If of your monster is met: the disc lies on it, the power is ready."),
    ({"disc_removed": mm.DiscRemoved(seat=1, used=True)}, "Your disc went back, the power is used."),
    ({"disc_removed": mm.DiscRemoved(seat=2, used=False)}, "The bot's disc went back, the power was not used."),
    ({"power_used": mm.PowerUsed(seat=1, own_die=1, opponent_die=2)}, "Your monster used its power on your die 1 and the bot's die 2."),
    ({"power_used": mm.PowerUsed(seat=2)}, "The bot's monster used its power."),
    ({"scientist_used": mm.ScientistUsed(seat=2, opponent_die=1)}, "The bot's scientist went to work on your die 1."),
    ({"bonus_added": mm.BonusAdded(seat=1, bonus=mm.BONUS_ATTACK_BONUS, amount=2)}, "Your Attack Total is 2 higher this round."),
    (
        {"bonus_added": mm.BonusAdded(seat=2, bonus=mm.BONUS_DAMAGE_BONUS, amount=3)},
        "The bot's monster deals 3 more damage this round, if the other side loses.",
    ),
    ({"bonus_added": mm.BonusAdded(seat=1, bonus=mm.BONUS_SHIELD, amount=3)}, "Your monster takes 3 less damage this round, if it loses."),
    ({"passed": mm.Passed(seat=2)}, "The bot passed."),
    ({"boost_phase_started": mm.BoostPhaseStarted(round=2)}, "The dice of round 2 stay: now Boost, Defend or Panic, in secret."),
    ({"choice_committed": mm.ChoiceCommitted(seat=2)}, "The bot chose, in secret."),
    ({"entropy_rolled": mm.EntropyRolled(first=3)}, "Dr. Entropy rolled his Boost Die: 3."),
    ({"entropy_rolled": mm.EntropyRolled(first=5, second=2)}, "Dr. Entropy rolled his Boost Die: 5, then 2."),
    (
        {"choices_revealed": mm.ChoicesRevealed(choices=[BOOST_2, mm.BoostChoice(kind=mm.BOOST_KIND_DEFEND)])},
        "Revealed: you: Boost 2; the bot: Defend.",
    ),
    (
        {"round_result": mm.RoundResult(totals=[9, 12], winner=2, damage=[mm.SeatDamage(seat=1, damage=4)])},
        "Attack Totals: you 9 and the bot 12. The bot won the round. Your monster takes 4 damage.",
    ),
    ({"round_result": mm.RoundResult(totals=[9, 9])}, "Attack Totals: you 9 and the bot 9. Nobody won the round."),
    (
        {"round_result": mm.RoundResult(totals=[9, 5], damage=[mm.SeatDamage(seat=1, damage=0), mm.SeatDamage(seat=2, damage=3)])},
        "Attack Totals: you 9 and the bot 5. Nobody won the round. Your monster takes 0 damage and the bot's monster takes 3 damage.",
    ),
    ({"arena_moved": mm.ArenaMoved(arena=4)}, "The arena cube moved to space 4: a round now costs 4."),
    ({"monster_died": mm.MonsterDied(seat=2, reason=mm.CHANGE_REASON_PANIC)}, "The bot's monster died, by the Panic Button!"),
    ({"monster_died": mm.MonsterDied(seat=1, reason=mm.CHANGE_REASON_LIFE)}, "Your monster died, with no Life left!"),
    ({"monster_died": mm.MonsterDied(seat=1, reason=mm.CHANGE_REASON_EXHAUSTION)}, "Your monster died, of exhaustion!"),
    ({"head_gained": mm.HeadGained(seat=1, card="stone_gargle", heads=1)}, "You won the Stone head: 1 head now."),
    ({"battle_ended": mm.BattleEnded(battle=1, winner=1, rounds=4)}, "Battle 1 is over after 4 rounds: won by you."),
    ({"battle_ended": mm.BattleEnded(battle=3, rounds=1)}, "Battle 3 is over after 1 round: nobody won it."),
    ({"scientist_flipped": mm.ScientistFlipped(seat=2, side=mm.SIDE_B)}, "The bot's scientist was turned over to side B."),
    ({"seat_resigned": mm.SeatResigned(seat=2)}, "The bot gave up."),
    (
        {"match_ended": mm.MatchEnded(reason="HEADS", winners=[1], heads=[2, 1])},
        "The match is over, the last head that was needed is won. Won by you; heads: you 2 and the bot 1.",
    ),
    (
        {"match_ended": mm.MatchEnded(reason="HEADS_BOTH", winners=[1, 2], heads=[2, 2])},
        "The match is over, both monsters died at once, and both seats have the heads that they need. Won by you and the bot; heads: you 2 and the bot 2.",
    ),
]


@pytest.mark.parametrize(("event", "sentence"), TOLD, ids=[sentence[:40] for _, sentence in TOLD])
def test_an_event_is_told_as_seat_1_saw_it(event: dict[str, Any], sentence: str) -> None:
    assert FACE.tell(mm.Event(**event), voice_of()) == sentence


def test_every_event_of_the_contract_is_worded_and_tested() -> None:
    kinds = {field.name for field in mm.Event.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert set(events.EVENTS) == kinds
    assert {kind for event, _ in TOLD for kind in event} == kinds


def test_every_reason_bonus_and_choice_of_the_contract_has_words_of_its_own() -> None:
    reasons = [value.number for value in mm.ChangeReason.DESCRIPTOR.values if value.number]
    assert {*events.WHY} == {*reasons}
    assert len({*events.WHY.values()}) == len(reasons)
    bonuses = {FACE.tell(mm.Event(bonus_added=mm.BonusAdded(seat=1, bonus=value.number)), voice_of()) for value in mm.Bonus.DESCRIPTOR.values}  # type: ignore[arg-type]
    assert len(bonuses) == len(mm.Bonus.DESCRIPTOR.values)
    choices = {events.choice_in_words(mm.BoostChoice(kind=value.number)) for value in mm.BoostKind.DESCRIPTOR.values}  # type: ignore[arg-type]
    assert len(choices) == len(mm.BoostKind.DESCRIPTOR.values)


def test_what_is_newer_than_this_release_is_told_all_the_same() -> None:
    assert FACE.tell(mm.Event(), voice_of()) is None
    newer = mm.Event(energy_changed=mm.EnergyChanged(seat=1, delta=1, energy=2, reason=99))  # type: ignore[arg-type]
    assert FACE.tell(newer, voice_of()) == "You gained 1 Energy: 2 now."
    assert FACE.ask("BARTER", mm.Question(), voice_of()) == "Your decision: barter."
    assert FACE.reason("SHARKS_CAME") == "sharks came"
    assert FACE.note(mm.Move(), view(), voice_of()) == ""
    assert FACE.note(None, view(), voice_of()) == ""
    assert FACE.note(mm.Move(boost=mm.Boost(fingers=1)), None, voice_of()) == ""


def test_every_question_of_the_contract_is_worded() -> None:
    kinds = {field.name for field in mm.Question.DESCRIPTOR.oneofs_by_name["question"].fields}
    assert set(questions.QUESTIONS) == kinds
    for kind in kinds:
        question = mm.Question()
        getattr(question, kind).SetInParent()
        asked = FACE.ask(kind.upper(), question, voice_of())
        assert asked.endswith("?"), asked
        assert not re.search(r"[a-z]_|_[a-z]|Your decision", asked), asked


def test_questions_say_what_they_are_about() -> None:
    assert "in secret" in FACE.ask("MAKE_MONSTER", mm.Question(make_monster=mm.MonsterQuestion(secret=True)), voice_of())
    assert "openly" in FACE.ask("MAKE_MONSTER", mm.Question(make_monster=mm.MonsterQuestion()), voice_of())
    passed = FACE.ask("ROLL_TURN", mm.Question(roll_turn=mm.RollQuestion(passes=1)), voice_of())
    assert passed.startswith("The bot passed: if you pass too, the dice stay.")
    assert "passed" not in FACE.ask("ROLL_TURN", mm.Question(roll_turn=mm.RollQuestion()), voice_of())
    window = mm.Question(damage_window=mm.WindowQuestion(totals=[9, 12]))
    assert "totals of you 9 and the bot 12" in FACE.ask("DAMAGE_WINDOW", window, voice_of())


def test_every_kind_of_move_has_a_heading() -> None:
    assert set(questions.HEADINGS) == {field.name for field in mm.Move.DESCRIPTOR.oneofs_by_name["move"].fields}


@pytest.mark.parametrize(
    ("move", "note"),
    [
        (
            {"choose_scientist": mm.ChooseScientist(scientist="baron_bulwark")},
            "Side A, before damage: you take 1 less damage. Side B, before damage",
        ),
        ({"make_monster": mm.MakeMonster(front="mothy_moonmoth", back="swampy_lurker")}, "Life 8, Int 4, Special Attack 4, Speed 7"),
        ({"use_power": mm.UsePower()}, "you take 3 less damage if you lose this round"),
        ({"use_scientist": mm.UseScientist()}, "on your turn in the Roll Phase: pay 1 Life, then you gain 3 Energy"),
        ({"boost": mm.Boost(fingers=0)}, "costs nothing"),
        ({"boost": mm.Boost(fingers=3)}, "costs 3 Energy"),
        ({"defend": mm.Defend()}, "gain 2 Energy, lose the round, take half the damage"),
        ({"panic": mm.Panic()}, "all four dice are rolled anew; you die if the other seat defends"),
        ({"pass_turn": mm.PassTurn()}, ""),
    ],
)
def test_moves_say_what_they_would_mean(move: dict[str, Any], note: str) -> None:
    typed = Move(monster_mash_up=mm.Move(**move))
    assert FACE.note(inner(typed), view(), voice_of()).startswith(note)
    assert bool(FACE.note(inner(typed), view(), voice_of())) == bool(note)
    assert FACE.note(inner(typed), view(), voice_of(0)) == ""


def test_an_ability_that_cannot_be_told_by_sides_is_shown_whole() -> None:
    voice = voice_of()
    voice.cards_by_id["dr_chaos"] = Card(card="dr_chaos", kind="SCIENTIST", name="Dr. Chaos", text="Something altogether new.")  # type: ignore[index]
    assert FACE.note(mm.Move(use_scientist=mm.UseScientist()), view(), voice) == "Something altogether new."


def test_a_card_is_told_once_with_its_values() -> None:
    told = words(show_cards(cards(), "stone", voice_of())).strip()
    assert told == ("Stone Gargle If you Defend. Then: you take 3 less damage if you lose this round. (life 12, intelligence 1, special attack 4, speed 6)")


@pytest.mark.parametrize(
    ("winners", "reason", "begins"),
    [
        ([1], "HEADS", "You have won: the last head"),
        ([2], "RESIGNATION", "Dr. Entropy won: a seat gave up"),
        ([1, 2], "HEADS_BOTH", "You and Dr. Entropy won: both monsters died at once"),
    ],
)
def test_the_outcome_says_who_won_and_why_and_the_heads(winners: list[int], reason: str, begins: str) -> None:
    told = tell_outcome(Outcome(winners=winners, reason=reason, scores=[2, 1]), FACE, voice_of(solo=True))
    assert told.startswith(begins)
    assert told.endswith("Heads: you 2 and Dr. Entropy 1.")
