"""The Reset Phase: the next round, or the end of the battle and perhaps of the match."""

from engines.kit.structs import Outcome
from engines.monster_mash_up.card_set import MonsterMashUpCards, Side
from engines.monster_mash_up.events import (
    ArenaMoved,
    BattleEnded,
    ChangeReason,
    DiscRemoved,
    HeadGained,
    MatchEnded,
    MonsterDied,
    ScientistFlipped,
    SeatResigned,
)
from engines.monster_mash_up.state import SEATS, BattleStep, Marks, MashUpTable, RoundStep, rival_of


def next_round(table: MashUpTable, cards: MonsterMashUpCards) -> None:
    """Both monsters are alive: the arena grows, and a new round starts (RESET-1)."""
    state = table.state
    _remove_discs(table)
    if state.arena < len(cards.levels):
        state.arena += 1
        table.emit(ArenaMoved(state.arena))
    state.step = RoundStep()


def end_battle(table: MashUpTable, dead: tuple[int, ...], reason: ChangeReason) -> None:
    """Monsters have died: heads are gained, the table is cleared, and the match ends or the next battle begins (RESET-2 to RESET-6, END-1)."""
    state = table.state
    for seat in dead:
        table.emit(MonsterDied(seat, reason))
    for seat in dead:
        _gain_head(table, rival_of(seat), state.seat(seat).front)
    _remove_discs(table)  # POW-4
    _discard_monsters(table, dead)
    state.last_winner = 0 if len(dead) > 1 else rival_of(dead[0])
    table.emit(BattleEnded(state.battle, state.last_winner, reason, state.round))
    winners = tuple([seat for seat in SEATS if len(state.seat(seat).heads) >= state.options.heads_to_win])
    if winners:
        end_match(table, "HEADS_BOTH" if len(winners) > 1 else "HEADS", winners)  # END-2 to END-4
        return
    if state.last_winner:
        _flip_scientist(table, state.last_winner, Side.A)  # RESET-3
        _flip_scientist(table, rival_of(state.last_winner), Side.B)
    state.step = BattleStep()


def end_match(table: MashUpTable, reason: str, winners: tuple[int, ...]) -> None:
    """End the match (END-1)."""
    state = table.state
    heads = tuple([len(own.heads) for own in state.seats])
    state.step = None
    state.outcome = Outcome(winners, reason, heads)
    table.emit(MatchEnded(reason, winners, heads))


def resign(table: MashUpTable, seat: int) -> None:
    """A seat gives up: the other one wins (END-7)."""
    table.emit(SeatResigned(seat))
    end_match(table, "RESIGNATION", (rival_of(seat),))


def _gain_head(table: MashUpTable, seat: int, head: str) -> None:
    heads = table.state.seat(seat).heads
    heads.append(head)
    table.emit(HeadGained(seat, head, len(heads)))  # RESET-2


def _remove_discs(table: MashUpTable) -> None:
    for seat in SEATS:
        marks = table.state.seat(seat).marks
        if marks.disc:
            marks.disc = False
            table.emit(DiscRemoved(seat, used=False))


def _discard_monsters(table: MashUpTable, dead: tuple[int, ...]) -> None:
    """Clear the table; a dead monster's head is in a score pile already (RESET-5)."""
    state = table.state
    for seat in SEATS:
        own = state.seat(seat)
        state.discard.append(own.back)
        if seat not in dead:
            state.discard.append(own.front)
        own.front = own.back = ""
        own.life = 0
        own.marks = Marks()


def _flip_scientist(table: MashUpTable, seat: int, side: Side) -> None:
    own = table.state.seat(seat)
    if own.scientist and own.side is not side:
        own.side = side
        table.emit(ScientistFlipped(seat, side))
