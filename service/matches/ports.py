"""What the use cases need of the outside, as they see it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from service.messages import Cause
from service.store import CommitResult, Stored, Timing

if TYPE_CHECKING:
    from service.matches.match import Match


class MatchStore(Protocol):
    """Where matches are kept (``service.store.Store``). All methods raise StoreUnavailable when it does not answer."""

    async def load(self, match_id: str) -> Stored | None: ...
    async def revision(self, match_id: str) -> int | None: ...
    async def commit(
        self,
        match_id: str,
        expected_revision: int,
        new_revision: int,
        version_before: int,
        snapshot: bytes,
        entries: Sequence[bytes],
        ttl_ms: int,
        timing: Timing,
    ) -> CommitResult: ...
    async def forget_due(self, match_id: str) -> None: ...
    def first_revision(self, match_id: str = "") -> int: ...
    async def entries(self, match_id: str, after: int, up_to: int, count: int) -> list[tuple[int, bytes]]: ...
    async def delete(self, match_id: str) -> bool: ...
    def now_ms(self, match_id: str = "") -> int: ...


class Notices(Protocol):
    """Who hears of matches that change, wherever it happens (``service.store.Listening``). Hints: they may be lost."""

    def tell(self, changed: Callable[[str, int], None], heard: Callable[[str], None]) -> None: ...
    def listen(self, bucket: str) -> None: ...
    def ignore(self, bucket: str) -> None: ...


class Witness(Protocol):
    """Who sees this worker's own commits. ``match`` is None if nothing was committed, or nobody knows; it is not changed any more."""

    def commit_begins(self, match_id: str) -> None: ...
    def commit_ends(self, match_id: str, revision: int, match: "Match | None") -> None: ...
    def deleted(self, match_id: str) -> None: ...


class WatchObserver(Protocol):
    """Who wants to know how many watch."""

    def watchers_are(self, number: int) -> None: ...


class EngineObserver(Protocol):
    """Who wants to know how many seconds a game's rules took to "apply" a move, list "legal_moves", make a "view" or choose for a "bot"; ``kind`` is the
    kind of decision that a move answers.
    """

    def engine_took(self, game: str, step: str, seconds: float, kind: str = "") -> None: ...


class NobodyAsks:
    """An EngineObserver for those who do not want to know."""

    def engine_took(self, game: str, step: str, seconds: float, kind: str = "") -> None: ...


class Observer(Protocol):
    """Who wants to know what happened to matches, for metrics. Never told what was chosen: that can be a secret."""

    def match_created(self, game: str, mode: str) -> None: ...
    def match_finished(self, game: str, mode: str, reason: str) -> None: ...
    def move_applied(self, game: str, kind: str, cause: Cause) -> None: ...
    def decision_answered(self, game: str, kind: str, seconds: float) -> None: ...
    def deadline_missed(self, game: str, kind: str) -> None: ...
    def commit_ended(self, game: str, outcome: str) -> None: ...
    def commit_conflicted(self, game: str) -> None: ...
