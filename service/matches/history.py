"""What a finished match can be asked about its past: how it was at a version, and its proof.

Both take a walk through the whole log, so they are made beside the event loop, in one thread a worker.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakValueDictionary

import msgspec

from engines.kit.violation import NotAsked, Violation
from service import messages
from service.errors import FailedPrecondition, SnapshotUnreadable, VersionAhead
from service.matches.match import Match
from service.matches.proof import present_proof
from service.matches.replay import NotToBeRepeated, before_the_deal, repeat
from service.matches.repository import Repository
from service.messages import Cause

T = TypeVar("T")

_AT_ONCE = 2  # one reads from the store while another computes; who waits holds no log in memory
_PAGE = 500


class History:
    """Looks back at matches."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="history")
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._of_a_match: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()  # as long as somebody waits

    async def at_version(self, match: Match, version: int) -> Match:
        """Rebuild a match as it was at a version; 0 is before the deal.

        Raises:
            FailedPrecondition: MATCH_NOT_FINISHED.
            VersionAhead: it has fewer steps.
            NotFound: it was deleted meanwhile.
            SnapshotUnreadable: its log does not lead to it.
        """
        _require_over(match)
        if version > match.record.version:
            raise VersionAhead(match.record.version)
        return await self._beside_the_loop(match, version, lambda written: _rebuild(match, written))

    async def proof(self, match: Match) -> messages.GetProofResponse:
        """Lay a match open.

        Raises:
            FailedPrecondition: PROOF_WITHHELD, MATCH_NOT_FINISHED.
            NotFound, SnapshotUnreadable: as ``at_version``.
        """
        if match.record.without_proof:
            raise FailedPrecondition("PROOF_WITHHELD", "this match was created without a proof")
        _require_over(match)
        return await self._beside_the_loop(match, match.record.version, lambda written: present_proof(match, written))

    def close(self) -> None:
        """Begin nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _beside_the_loop(self, match: Match, steps: int, make: Callable[[Sequence[bytes]], T]) -> T:
        # Who asks for one match again and again waits behind himself, not before those who ask for others.
        of_this_match = self._of_a_match.setdefault(match.record.match_id, asyncio.Semaphore(_AT_ONCE))
        async with of_this_match, self._at_once:
            written: list[bytes] = []
            while len(written) < steps:
                page = await self._repository.written_entries(match, len(written), min(_PAGE, steps - len(written)))
                written += [data for _, data in page]
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, make, written)
            except msgspec.MsgspecError as error:
                raise SnapshotUnreadable(match.record.match_id) from error


def _require_over(match: Match) -> None:
    if not match.record.status.is_over:
        raise FailedPrecondition("MATCH_NOT_FINISHED", "the match is still being played; this is shown after its end")


def _rebuild(match: Match, written: Sequence[bytes]) -> Match:
    """Play a match again. Claims are no steps: until a seat was taken over it was claimed, as the deal waits for that; from then on it is as it is today."""
    again = before_the_deal(match)
    taken_over = set()
    for data in written:
        entry = match.hosted.decode_entry(data)
        try:
            is_the_same = repeat(again, entry) == entry
        except (NotAsked, Violation, NotToBeRepeated):
            is_the_same = False
        if not is_the_same:
            raise SnapshotUnreadable(match.record.match_id)
        if entry.cause is Cause.ADMIN:
            taken_over.add(entry.seat)
    for number, seat in enumerate(again.record.seats, 1):
        seat.claimed = seat.claimed or (again.dealt and number not in taken_over)
    return again
