"""What happens in a match without anybody outside: default moves for those who are late or have left, and the answers of house bots."""

import time

from service.matches.match import Match

_MOST_STEPS = 32
_MOST_S = 0.005


def play_on(match: Match, now: int) -> bool:
    """Play until somebody outside is asked who still has time, the match is over, or it is enough for one commit; say whether more is to be done."""
    started = time.perf_counter()
    for _ in range(_MOST_STEPS):
        late = match.overdue(now)
        if late is not None:
            match.play_default(late, now)
        else:
            seat = match.to_move_by_itself()
            if seat is None:
                return False
            match.play_by_itself(seat, now)
        if time.perf_counter() - started > _MOST_S:
            break
    return match.overdue(now) is not None or match.to_move_by_itself() is not None
