"""The game: who is asked for what, what may be answered, and what each answer does.

Each phase of the rulebook is a file, in the order of play: ``making``, ``rolling``, ``boosting``, ``damage``, ``reset``; ``powers`` and ``checkpoint`` serve
several of them; ``entropy`` plays Dr. Entropy. Rule ids are those of RULES.md.
"""

from typing import ClassVar

from engines.kit.chance import Chance
from engines.kit.contract import Engine
from engines.kit.structs import Decision, Move, Outcome, View
from engines.kit.violation import Violation
from engines.monster_mash_up import boosting, damage, entropy, making, powers, rolling
from engines.monster_mash_up.card_set import MonsterMashUpCards
from engines.monster_mash_up.events import MatchStarted
from engines.monster_mash_up.moves import Boost, ChooseScientist, Defend, MakeMonster, Panic, PassTurn, RerollBoth, RerollOne, UsePower, UseScientist
from engines.monster_mash_up.reset import resign
from engines.monster_mash_up.state import (
    DICE,
    ENTROPY,
    BattleStep,
    BoostQuestion,
    BoostStep,
    DealStep,
    GameMode,
    MakeStep,
    MashUpTable,
    MonsterMashUpOptions,
    MonsterMashUpState,
    MonsterQuestion,
    RollQuestion,
    RollStep,
    RoundStep,
    ScientistQuestion,
    ScientistStep,
    SeatState,
    WindowQuestion,
    WindowStep,
    rival_of,
)
from engines.monster_mash_up.view import build_view, redeal


class MonsterMashUp(Engine[MonsterMashUpState]):
    """The rules, with one card set."""

    mode: ClassVar[GameMode]
    answers = {  # noqa: RUF012 - the contract declares it
        "CHOOSE_SCIENTIST": (ChooseScientist,),
        "MAKE_MONSTER": (MakeMonster,),
        "ROLL_TURN": (RerollBoth, RerollOne, UsePower, UseScientist, PassTurn),
        "BOOST": (Boost, Defend, Panic),
        "DAMAGE_WINDOW": (UsePower, UseScientist, PassTurn),
    }
    wrong_move_rule = "FLOW-2"
    cards: MonsterMashUpCards

    def set_up(self, table: MashUpTable, seats: int, options: MonsterMashUpOptions, ruleset: int) -> None:
        table.state = MonsterMashUpState(
            ruleset=ruleset,
            position=0,
            options=options,
            mode=self.mode,
            seats=[SeatState() for _ in range(seats)],  # SET-2
            step=ScientistStep(1),  # SET-4
            deck=[],
            discard=[],
        )
        table.emit(MatchStarted(self.mode, options.heads_to_win))

    def decisions(self, state: MonsterMashUpState) -> list[Decision]:
        step = state.step
        match step:
            case RollStep(seat, passes):
                return [Decision(seat, seat, "ROLL_TURN", RollQuestion(passes))] if seat in state.asked_seats else []
            case BoostStep():
                return [Decision(seat, seat, "BOOST", BoostQuestion()) for seat in boosting.choosers(state)]
            case WindowStep():
                question = WindowQuestion(damage.attack_totals(state))
                asked = [seat for seat in damage.eligible(state, step, self.cards) if seat in state.asked_seats]
                return [Decision(seat, seat, "DAMAGE_WINDOW", question, step.offer) for seat in asked]
            case MakeStep():
                return [Decision(seat, seat, "MAKE_MONSTER", MonsterQuestion(step.secret)) for seat in making.makers(state, step)]
            case ScientistStep(seat):
                return [Decision(seat, seat, "CHOOSE_SCIENTIST", ScientistQuestion())]
            case _:
                return []

    def candidates(self, state: MonsterMashUpState, seat: int) -> list[Move]:
        own = state.seat(seat)
        match state.step:
            case RollStep():
                return rolling.turns_of(own, self.cards)
            case BoostStep():
                return list(boosting.CHOICES)
            case WindowStep():
                return damage.window_moves(own, self.cards)
            case MakeStep():
                return making.monsters_of(own)
            case ScientistStep():
                return [ChooseScientist(scientist) for scientist in self.cards.scientists]
            case _:
                return []

    def violation(self, state: MonsterMashUpState, seat: int, move: Move) -> Violation | None:
        own = state.seat(seat)
        match move:
            case PassTurn() | Defend() | Panic():
                return None
            case UsePower(own_die, opponent_die):
                return powers.power_violation(state, seat, (own_die, opponent_die), self.cards)
            case UseScientist(own_die, opponent_die):
                return powers.scientist_violation(state, seat, (own_die, opponent_die), self.cards)
            case RerollBoth():
                return rolling.both_violation(own)
            case RerollOne(die):
                return rolling.one_violation(own, die)
            case Boost(fingers):
                return boosting.boost_violation(own, fingers)
            case MakeMonster(front, back):
                return making.monster_violation(own, front, back)
            case ChooseScientist(scientist):
                return making.scientist_violation(state, scientist, self.cards)
        raise TypeError(f"{move} is no move of this game")

    def apply(self, table: MashUpTable, seat: int, move: Move) -> None:  # noqa: C901 - one case a move
        step = table.state.step
        match move:
            case PassTurn():
                if isinstance(step, RollStep):
                    rolling.pass_turn(table, seat, step)
                elif isinstance(step, WindowStep):
                    damage.pass_window(table, seat, step)
            case UsePower(own_die, opponent_die):
                powers.use_power(table, seat, (own_die, opponent_die), self.cards)
            case UseScientist(own_die, opponent_die):
                powers.use_scientist(table, seat, (own_die, opponent_die), self.cards)
            case RerollBoth():
                rolling.reroll(table, seat, DICE, self.cards)
            case RerollOne(die):
                rolling.reroll(table, seat, (die,), self.cards)
            case Boost(fingers):
                boosting.choose(table, seat, boosting.boost(fingers))
            case Defend():
                boosting.choose(table, seat, boosting.DEFEND)
            case Panic():
                boosting.choose(table, seat, boosting.PANIC)
            case MakeMonster(front, back):
                making.commit_monster(table, seat, front, back, secret=isinstance(step, MakeStep) and step.secret)
            case ChooseScientist(scientist):
                making.choose_scientist(table, seat, scientist)

    def advance(self, table: MashUpTable) -> bool:  # noqa: C901 - one case a step
        state = table.state
        step = state.step
        match step:
            case RollStep(seat):
                if seat in state.asked_seats:
                    return False
                entropy.take_turn(table, step, self.cards)
            case BoostStep():
                if boosting.choosers(state):
                    return False
                if state.mode is GameMode.SOLO:
                    entropy.choose(table)
                boosting.reveal(table, self.cards)
            case WindowStep():
                return self._close_window(table, step)
            case RoundStep():
                rolling.start_round(table, self.cards)
            case MakeStep():
                return making.place_monsters(table, step, self.cards)
            case BattleStep():
                making.start_battle(table)
            case DealStep():
                making.deal(table, self.cards)
            case _:
                return False
        return True

    def view(self, state: MonsterMashUpState, viewer: int) -> View:
        return build_view(state, viewer, self.cards)

    def redeal(self, state: MonsterMashUpState, viewer: int, rng: Chance) -> MonsterMashUpState:
        return redeal(state, viewer, rng)

    def default_move(self, table: MashUpTable, seat: int) -> Move:
        """Take the first scientist; make a drawn monster, so that nothing is told of the hand; Pass; Boost 0."""
        state = table.state
        match state.step:
            case RollStep() | WindowStep():
                return PassTurn()
            case BoostStep():
                return Boost(0)
            case MakeStep():
                return table.rng.pick(making.monsters_of(state.seat(seat)), "default monster")
            case _:
                return next(move for move in self.candidates(state, seat) if self.violation(state, seat, move) is None)

    def leave(self, table: MashUpTable, seat: int) -> None:
        resign(table, seat)

    def label(self, move: Move, state: MonsterMashUpState) -> str:  # noqa: C901 - one case a move
        match move:
            case PassTurn():
                return "Pass"
            case UsePower(own_die, opponent_die):
                return f"Use your monster's power{_on_dice(state, own_die, opponent_die)}"
            case UseScientist(own_die, opponent_die):
                return f"Use your scientist{_on_dice(state, own_die, opponent_die)}"
            case RerollBoth():
                return "Re-roll both dice for 1 Energy"
            case RerollOne(die):
                return f"Re-roll one die for 2 Energy{_on_dice(state, die, 0)}"
            case Boost(fingers):
                return f"Boost {fingers}"
            case Defend():
                return "Defend"
            case Panic():
                return "Hit the Panic Button"
            case MakeMonster(front, back):
                return f"Make the {self.cards.monster_name(front, back)}"
            case ChooseScientist(scientist):
                return f"Choose {self.cards.scientists[scientist]}"
        raise TypeError(f"{move} is no move of this game")

    def outcome(self, state: MonsterMashUpState) -> Outcome | None:
        return state.outcome

    def _close_window(self, table: MashUpTable, step: WindowStep) -> bool:
        """Dr. Entropy answers first; when nobody is left to ask, the damage follows (section "The damage window" in RULES.md)."""
        eligible = damage.eligible(table.state, step, self.cards)
        if not eligible:
            damage.take_damage(table, self.cards)
            return True
        if table.state.mode is GameMode.SOLO and ENTROPY in eligible:
            entropy.answer_window(table, step, self.cards)
            return True
        return False


class Duel(MonsterMashUp):
    """Two seats that are asked."""

    mode = GameMode.DUEL


class Solo(MonsterMashUp):
    """One seat against Dr. Entropy."""

    mode = GameMode.SOLO


def _on_dice(state: MonsterMashUpState, own_die: int, opponent_die: int) -> str:
    named = [_die(state, "your", own_die, is_own=True)] if own_die else []
    named += [_die(state, "your opponent's", opponent_die, is_own=False)] if opponent_die else []
    return f": {' and '.join(named)}" if named else ""


def _die(state: MonsterMashUpState, whose: str, die: int, *, is_own: bool) -> str:
    """Name a die, and its face where it is clear who is asked: on a turn of the Roll Phase."""
    if not isinstance(state.step, RollStep) or die not in DICE:
        return f"{whose} die {die}"
    seat = state.step.seat if is_own else rival_of(state.step.seat)
    return f"{whose} die {die}, a {state.seat(seat).marks.dice[die - 1]}"
