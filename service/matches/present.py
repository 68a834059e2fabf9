"""From a match in the hand to the messages of the contract, for one viewer."""

from collections.abc import Iterable

from engines.kit.chance import commitment
from engines.kit.notation import write_move
from engines.kit.structs import Decision as EngineDecision
from service import messages
from service.matches.library import Entry
from service.matches.match import Match, events_of
from service.matches.record import OpenDecision


def present_match(match: Match, viewer: int, *, with_view: bool = True) -> messages.Match:
    """Show a match to a viewer."""
    record = match.record
    return messages.Match(
        match_id=record.match_id,
        game=record.game,
        mode=record.mode,
        version=record.version,
        status=record.status,
        seats=tuple(
            messages.Seat(
                seat=number,
                display_name=seat.display_name,
                metadata=seat.metadata,
                controller=seat.controller,
                house_bot=seat.house_bot,
                claimed=seat.claimed,
                left=seat.left,
            )
            for number, seat in enumerate(record.seats, 1)
        ),
        decisions=tuple(present_decision(held, decision) for held, decision in match.decisions()),
        view=match.view(viewer) if with_view and match.dealt else None,
        outcome=present_outcome(match),
        ruleset=record.ruleset,
        card_set=record.card_set,
        card_set_digest=record.card_set_digest,
        seed_commitment=commitment(record.seed),
        seed_source=record.seed_source,
        create_time=messages.Timestamp(record.created),
        update_time=messages.Timestamp(record.updated),
        expire_time=messages.Timestamp(record.expires),
        viewer=viewer,
        move_timeout=messages.Duration(record.move_timeout) if record.move_timeout else None,
    )


def present_outcome(match: Match) -> messages.Outcome | None:
    """Show how a match ended, or None."""
    outcome = match.record.outcome
    return None if outcome is None else messages.Outcome(winners=outcome.winners, reason=outcome.reason, scores=outcome.scores)


def present_decision(held: OpenDecision, decision: EngineDecision) -> messages.Decision:
    """Show an open decision."""
    return messages.Decision(
        decision_id=held.decision_id,
        seat=decision.seat,
        as_seat=decision.as_seat,
        kind=decision.kind,
        question=decision.question,
        deadline=_time(held.deadline),
    )


def _time(milliseconds: int) -> messages.Timestamp | None:
    return messages.Timestamp(milliseconds) if milliseconds else None


def present_own_decision(match: Match, seat: int) -> messages.Decision | None:
    """Show a seat's open decision, or None."""
    if match.decision_id(seat) is None:
        return None
    return next(present_decision(held, decision) for held, decision in match.decisions() if decision.seat == seat)


def present_legal_moves(match: Match, seat: int) -> tuple[messages.LegalMove, ...]:
    """List a seat's legal moves; none if it is not asked."""
    if match.decision_id(seat) is None:
        return ()
    engine, state = match.engine, match.state
    return tuple([messages.LegalMove(move_id=write_move(move), move=move, label=engine.label(move, state)) for move in match.legal_moves(seat)])


def present_all_moves(match: Match, seat: int) -> tuple[tuple[messages.LegalMove, ...], tuple[messages.IllegalMove, ...]]:
    """List a seat's legal moves, and the others each with the rule that forbids it."""
    if match.decision_id(seat) is None:
        return (), ()
    engine, state = match.engine, match.state
    legal, illegal = [], []
    for move, violation in match.judged_moves(seat):
        label = engine.label(move, state)
        if violation is None:
            legal.append(messages.LegalMove(move_id=write_move(move), move=move, label=label))
        else:
            why = messages.Violation(code=violation.code, rule=violation.rule, message=violation.message, field=violation.field)
            illegal.append(messages.IllegalMove(move_id=write_move(move), move=move, label=label, violation=why))
    return tuple(legal), tuple(illegal)


def present_updates(entries: Iterable[tuple[int, Entry]], viewer: int) -> tuple[messages.Update, ...]:
    """Show log entries to a viewer."""
    return tuple([present_update(version, entry, viewer) for version, entry in entries])


def present_update(version: int, entry: Entry, viewer: int) -> messages.Update:
    """Show a log entry to a viewer."""
    return messages.Update(
        version=version,
        cause=entry.cause,
        seat=entry.seat,
        events=events_of(entry, viewer),
        decisions_opened=tuple(
            [
                messages.Decision(
                    decision_id=version,
                    seat=opened.seat,
                    as_seat=opened.as_seat,
                    kind=opened.kind,
                    question=opened.question,
                    deadline=_time(opened.deadline),
                )
                for opened in entry.opened
            ]
        ),
        decisions_closed=tuple([messages.ClosedDecision(decision_id=held.decision_id, seat=held.seat) for held in entry.closed]),
    )
