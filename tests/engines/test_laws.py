"""The laws of the engine contract, on random play of every registered game and mode."""

import random
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec import UNSET

from engines.kit import play
from engines.kit.contract import Engine, Game, Mode
from engines.kit.digest import chain
from engines.kit.notation import write_move
from engines.kit.table import Emitted, Table
from engines.kit.violation import WRONG_MOVE_FOR_DECISION, NotAsked, Violation
from tests.engines.random_play import IDS, MODES, Position, chance, copied, deal, positions, stepped

pytestmark = pytest.mark.parametrize(("game", "mode"), MODES, ids=IDS)

MANY_MATCHES = range(2_000)
MATCHES = range(30)
LEAK_MATCHES = range(12)

OPEN_GAMES: frozenset[str] = frozenset()
"""The games that hide nothing from anybody, not even the order of a deck: nothing in them can be dealt anew."""


def viewers(at: Position) -> range:
    return range(at.seats + 1)


def shown(engine: Engine[Any], state: Any, viewer: int) -> tuple[bytes, Any, Any, Any]:
    """All that a viewer gets of a state: the view's bytes, the open decisions, its candidates with their violations, the labels of those that are legal."""
    judged = play.judge(engine, state, viewer) if viewer else []
    labels = [engine.label(move, state) for move, violation in judged if violation is None]
    return msgspec.json.encode(engine.view(state, viewer)), engine.decisions(state), judged, labels


def test_matches_end_with_an_outcome_of_the_catalog(game: Game, mode: Mode) -> None:
    for seed in MANY_MATCHES:
        *_, (engine, last) = positions(game, mode, seed)
        outcome = engine.outcome(last.state)
        assert outcome is not None
        assert outcome.reason in game.end_reasons
        assert set(outcome.winners) <= set(range(1, last.seats + 1))


def test_legal_moves_are_the_candidates_that_pass_the_check_and_all_others_are_refused(game: Game, mode: Mode) -> None:
    rules = {rule.rule for rule in game.rules}
    for seed in MATCHES:
        for engine, at in positions(game, mode, seed):
            for seat in range(1, at.seats + 1):
                judged = play.judge(engine, at.state, seat)
                legal = play.legal_moves(engine, at.state, seat)
                assert legal == [move for move, violation in judged if violation is None]
                asked = play.open_decision(engine, at.state, seat)
                assert bool(legal) is (asked is not None), "a seat that is asked can answer; one that is not cannot"
                moves = [move for move, _ in judged]
                assert len(set(moves)) == len(moves)
                if asked:
                    assert all(type(move) in engine.answers[asked.kind] for move in moves)
                for move, violation in judged:
                    if violation is None:
                        engine.check(at.state, seat, move)
                        continue
                    assert violation.rule in rules
                    assert violation.code.isupper()
                    assert violation.message.endswith(".")
                    assert violation.field in {"", *type(move).__struct_fields__}
                    with pytest.raises(Violation) as refused:
                        engine.check(at.state, seat, move)
                    assert refused.value == violation


def test_every_legal_move_can_be_applied_and_a_refused_one_changes_nothing(game: Game, mode: Mode) -> None:
    for seed in LEAK_MATCHES:
        for engine, at in positions(game, mode, seed):
            before = msgspec.msgpack.encode(at.state)
            for move, violation in play.judge(engine, at.state, at.seat):
                if violation is None:
                    stepped(engine, copied(game, at.state), at.seat, move)
                else:
                    with pytest.raises(Violation):
                        stepped(engine, at.state, at.seat, move)
            assert msgspec.msgpack.encode(at.state) == before


def test_a_move_that_nobody_asked_for_is_refused(game: Game, mode: Mode) -> None:
    for seed in MATCHES:
        for engine, at in positions(game, mode, seed):
            asked = {decision.seat: decision for decision in engine.decisions(at.state)}
            for seat in range(1, at.seats + 1):
                if seat not in asked and at.move is not None:
                    with pytest.raises(NotAsked):
                        play.check(engine, at.state, seat, at.move)
            for decision in asked.values():
                others = {kind for kinds in engine.answers.values() for kind in kinds} - set(engine.answers[decision.kind])
                for move in _some_moves(others):
                    with pytest.raises(Violation) as refused:
                        play.check(engine, at.state, decision.seat, move)
                    assert (refused.value.code, refused.value.rule) == (WRONG_MOVE_FOR_DECISION, engine.wrong_move_rule)


def _some_moves(kinds: set[type]) -> list[Any]:
    values = {int: 1, str: "x"}
    return [kind(**{field.name: values.get(field.type) or next(iter(field.type)) for field in msgspec.structs.fields(kind)}) for kind in kinds]


def test_a_state_survives_being_stored_between_any_two_moves(game: Game, mode: Mode) -> None:
    for seed in MATCHES:
        for engine, at in positions(game, mode, seed):
            copy = copied(game, at.state)
            assert msgspec.msgpack.encode(copy) == msgspec.msgpack.encode(at.state)
            for viewer in viewers(at):
                assert shown(engine, copy, viewer) == shown(engine, at.state, viewer)


def test_replay_gives_the_same_digests(game: Game, mode: Mode) -> None:
    for seed in MATCHES:
        moves = [(at.seat, at.move) for _, at in positions(game, mode, seed) if at.move is not None]
        assert _digest(game, mode, seed, moves) == _digest(game, mode, seed, moves)


def _digest(game: Game, mode: Mode, seed: int, moves: list[Any]) -> bytes:
    engine, table, *_ = deal(game, mode, seed)
    digest = chain(b"", msgspec.msgpack.encode([table.events, table.rng.draws]))
    for seat, move in moves:
        # Each step starts from what is stored, as in a service.
        state, events, draws = stepped(engine, copied(game, table.state), seat, move, seed)
        table.state = state
        digest = chain(digest, msgspec.msgpack.encode([events, draws, state]))
    return digest


def test_a_redealing_looks_the_same_to_its_viewer(game: Game, mode: Mode) -> None:
    for seed in LEAK_MATCHES:
        for number, (engine, at) in enumerate(positions(game, mode, seed)):
            before = msgspec.msgpack.encode(at.state)
            for viewer in viewers(at):
                other = engine.redeal(at.state, viewer, chance(number))
                assert shown(engine, other, viewer) == shown(engine, at.state, viewer)
            assert msgspec.msgpack.encode(at.state) == before


def test_a_redealing_deals_something_else(game: Game, mode: Mode) -> None:
    """Else the law above would say nothing."""
    changed = looks = 0
    for engine, at in positions(game, mode, 1):
        for viewer in viewers(at):
            looks += 1
            changed += msgspec.msgpack.encode(engine.redeal(at.state, viewer, chance(1))) != msgspec.msgpack.encode(at.state)
    assert game.id in OPEN_GAMES or changed > looks / 2


def test_what_others_do_with_what_the_viewer_knows_looks_the_same_after_a_redealing(game: Game, mode: Mode) -> None:
    """A move of the viewer, or one that is legal in both states, shows the viewer the same: its bytes may differ only by cards that the move itself reveals
    to it, and those are chance to the viewer. So what is compared are moves whose events, in the true state, show the viewer no card that was closed to it."""
    compared = looks = 0
    for seed in LEAK_MATCHES:
        for number, (engine, at) in enumerate(positions(game, mode, seed)):
            if at.move is None:
                continue
            for viewer in viewers(at):
                looks += 1
                other = engine.redeal(at.state, viewer, chance(number))
                if at.seat != viewer and at.move not in play.legal_moves(engine, other, at.seat):
                    continue  # the other seat does not hold what it plays in this world
                mine, my_events, _ = stepped(engine, copied(game, at.state), at.seat, at.move)
                theirs, their_events, _ = stepped(engine, other, at.seat, at.move)
                seen = [event for emitted in my_events if (event := emitted.seen_by(viewer)) is not None]
                if seen != [event for emitted in their_events if (event := emitted.seen_by(viewer)) is not None]:
                    continue  # the move has shown the viewer something new
                compared += 1
                assert shown(engine, mine, viewer) == shown(engine, theirs, viewer)
    assert compared > looks / 2


def test_a_viewer_gets_no_byte_of_a_field_that_is_closed_to_it(game: Game, mode: Mode) -> None:
    for seed in LEAK_MATCHES:
        for _, at in positions(game, mode, seed):
            for emitted in at.events:
                for viewer in viewers(at):
                    scrambled = {name: _scrambled(getattr(emitted.event, name)) for name, seats in emitted.private.items() if viewer not in seats}
                    other = Emitted(msgspec.structs.replace(emitted.event, **scrambled), emitted.seats, emitted.private)
                    assert other.seen_by(viewer) == emitted.seen_by(viewer)
                    seen = emitted.seen_by(viewer)
                    assert seen is None or all(getattr(seen, name) is UNSET for name in scrambled)


def _scrambled(value: Any) -> Any:
    match value:
        case tuple():
            return tuple(f"not {item}" for item in value)
        case int():
            return value + 1
        case _:
            return f"not {value}"


def test_bots_choose_legal_moves_and_from_their_view_alone(game: Game, mode: Mode) -> None:
    for name, bot in game.bots.items():
        for number, (engine, at) in enumerate(positions(game, mode, 5)):
            decision = play.open_decision(engine, at.state, at.seat)
            if decision is None:
                continue
            legal = play.legal_moves(engine, at.state, at.seat)
            chosen = bot(engine.view(at.state, at.seat), decision, legal, chance(number))
            assert chosen in legal, name
            for again in range(3):
                other = engine.redeal(at.state, at.seat, chance(1_000 * number + again))
                its = play.open_decision(engine, other, at.seat)
                assert its is not None
                assert bot(engine.view(other, at.seat), its, play.legal_moves(engine, other, at.seat), chance(number)) == chosen, name


def test_moves_have_one_text_each_and_labels_tell_them_apart(game: Game, mode: Mode) -> None:
    for seed in MATCHES:
        for engine, at in positions(game, mode, seed):
            moves = [move for move, _ in play.judge(engine, at.state, at.seat)]
            texts = [write_move(move) for move in moves]
            assert len(set(texts)) == len(texts)
            assert [game.move_reader.read(text) for text in texts] == moves
            labels = [engine.label(move, at.state) for move in moves]
            assert all(labels)
            assert len(set(labels)) == len(labels)


def test_default_moves_are_legal_and_bring_a_match_to_its_end(game: Game, mode: Mode) -> None:
    for seed in range(5):
        engine, table, *_ = deal(game, mode, seed)
        while decisions := engine.decisions(table.state):
            move = engine.default_move(table, decisions[0].seat)
            assert move in play.legal_moves(engine, table.state, decisions[0].seat)
            play.play(engine, table, decisions[0].seat, move)
        assert engine.outcome(table.state) is not None


def test_a_default_move_tells_others_nothing_of_what_its_seat_holds(game: Game, mode: Mode) -> None:
    """Its kind follows from what is public, and the same chance is drawn for it, unless what is hidden decides which kinds of move there are at all."""
    compared = looks = 0
    for seed in LEAK_MATCHES:
        for number, (engine, at) in enumerate(positions(game, mode, seed)):
            for decision in engine.decisions(at.state):
                for viewer in viewers(at):
                    if viewer == decision.seat:
                        continue
                    looks += 1
                    mine = _default(engine, copied(game, at.state), decision.seat, number)
                    theirs = _default(engine, engine.redeal(at.state, viewer, chance(number)), decision.seat, number)
                    if mine.kinds != theirs.kinds:
                        continue
                    compared += 1
                    assert (mine.kind, mine.is_drawn) == (theirs.kind, theirs.is_drawn)
    assert compared > looks / 2


class _Default(NamedTuple):
    kind: type
    is_drawn: bool
    kinds: list[type]


def _default(engine: Engine[Any], state: Any, seat: int, seed: int) -> _Default:
    kinds = list(dict.fromkeys(type(move) for move in play.legal_moves(engine, state, seat)))
    table: Table[Any] = Table(chance(seed, state.position))
    table.state = state
    return _Default(type(engine.default_move(table, seat)), bool(table.rng.draws), kinds)


def test_a_seat_may_leave_at_any_time(game: Game, mode: Mode) -> None:
    for seed in range(3):
        for number, (engine, at) in enumerate(positions(game, mode, seed)):
            if at.move is None or number % 5:
                continue
            for seat in range(1, at.seats + 1):
                if seat in mode.automata:
                    continue
                table: Table[Any] = Table(chance(seed, at.state.position))
                table.state = copied(game, at.state)
                play.leave(engine, table, seat)
                outcome = engine.outcome(table.state)
                assert engine.decisions(table.state) or outcome is not None
                assert outcome is None or (outcome.reason == "RESIGNATION" and seat not in outcome.winners)


def test_a_random_walk_never_depends_on_anything_but_its_seed(game: Game, mode: Mode) -> None:
    first = [(at.seat, at.move) for _, at in positions(game, mode, 9)]
    random.seed(1)
    assert first == [(at.seat, at.move) for _, at in positions(game, mode, 9)]
