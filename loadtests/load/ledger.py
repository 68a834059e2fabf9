"""What the clients of one match were told, and whether all of it can be true: pure, so that a doctored history can be put before it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from loadtests.load.seen import Step

PUBLIC = 0
LOST, CONTRADICTORY = "lost", "contradictory"


class Finding(NamedTuple):
    """Something that must never be: a move that was acknowledged and is gone, or answers that cannot both be true."""

    kind: str
    match_id: str
    what: str


class Acknowledged(NamedTuple):
    """A move that the service said it had applied."""

    seat: int
    decision_id: int
    move_id: str
    version: int


class Telling(NamedTuple):
    """Steps in the order in which one client was told them. ``is_whole``: it must reach the end of the match."""

    viewer: int
    source: str
    steps: Sequence[Step]
    is_whole: bool = False


class Ledger:
    """Keeps what was acknowledged and told, and compares it with the history in the end."""

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.acknowledged: list[Acknowledged] = []
        self.tellings: list[Telling] = []
        self.overtaken: list[tuple[int, int]] = []
        """Decisions, each with its seat, of which a move was told that they are closed."""
        self.endings: dict[str, str] = {}
        self._found: list[Finding] = []

    def contradicts(self, what: str) -> None:
        """Note a contradiction that a client saw by itself."""
        self._found.append(Finding(CONTRADICTORY, self.match_id, what))

    def judge(self, histories: Mapping[int, Sequence[Step]]) -> list[Finding]:
        """Compare everything with the histories, by viewer; there is one of the public."""
        public = histories[PUBLIC]
        contradictions = [
            what
            for viewer, history in histories.items()
            for what in (*_gaps(history, f"the history of {_name(viewer)}"), *_differences(history, public, viewer))
        ]
        contradictions += [*_answered_twice(public), *self._not_overtaken(public)]
        for telling in self.tellings:
            contradictions += _against(telling, histories)
        if len(set(self.endings.values())) > 1:
            contradictions.append("it ended in several ways: " + ", ".join(f"{source} says {ending}" for source, ending in sorted(self.endings.items())))
        lost = [Finding(LOST, self.match_id, what) for what in self._lost({step.version: step for step in public})]
        return [*self._found, *lost, *(Finding(CONTRADICTORY, self.match_id, what) for what in dict.fromkeys(contradictions))]

    def _lost(self, steps: Mapping[int, Step]) -> Iterator[str]:
        for move in self.acknowledged:
            step = steps.get(move.version)
            if step is None or step.seat != move.seat or (move.decision_id, move.seat) not in step.closed or step.cause != "CAUSE_PERSON":
                there = "nothing" if step is None else f"a step of seat {step.seat}, {step.cause}"
                yield f"seat {move.seat}'s {move.move_id} (decision {move.decision_id}) was acknowledged as version {move.version}, where there is {there}"

    def _not_overtaken(self, public: Sequence[Step]) -> Iterator[str]:
        closed_by = {closed: step.seat for step in public for closed in step.closed}
        for decision, seat in self.overtaken:
            if closed_by.get((decision, seat), seat) == seat:
                yield f"seat {seat} was told that its decision {decision} is closed, which nobody else's step had closed"


def _gaps(steps: Sequence[Step], where: str) -> Iterator[str]:
    first = steps[0].version if steps else 1
    for expected, step in enumerate(steps, first):
        if step.version != expected:
            yield f"{where} has version {step.version} where {expected} must follow"
            return


def _differences(history: Sequence[Step], public: Sequence[Step], viewer: int) -> Iterator[str]:
    if not history or history[0].version != 1:
        yield f"the history of {_name(viewer)} does not begin with version 1"
    for mine, theirs in zip(history, public, strict=False):
        if mine.outline != theirs.outline:
            yield f"version {theirs.version} is another step to {_name(viewer)} than to the public"


def _answered_twice(public: Sequence[Step]) -> Iterator[str]:
    closed = Counter(closed for step in public for closed in step.closed)
    for (decision, seat), times in closed.items():
        if times > 1:
            yield f"decision {decision} of seat {seat} was closed {times} times"


def _against(telling: Telling, histories: Mapping[int, Sequence[Step]]) -> Iterator[str]:
    where = f"{telling.source} of {_name(telling.viewer)}"
    yield from _gaps(telling.steps, where)
    own = {step.version: step for step in histories.get(telling.viewer, ())}
    public = {step.version: step for step in histories[PUBLIC]}
    for step in telling.steps:
        if step.version not in public:
            yield f"{where} told version {step.version}, which the history does not have"
        elif step.outline != public[step.version].outline:
            yield f"{where} told another version {step.version} than the public history"
        elif step.version in own and not step.says_the_same(own[step.version]):
            yield f"{where} told other contents of version {step.version} than the history"
    last = max(public, default=0)
    if telling.is_whole and (not telling.steps or telling.steps[-1].version != last):
        yield f"{where} ended before version {last}"


def _name(viewer: int) -> str:
    return "the public" if viewer == PUBLIC else f"seat {viewer}"
