"""One watcher of a match: its place in the log, and what wakes it."""

import asyncio

from service.credentials import Credential
from service.errors import ApiError
from service.matches.access import require_valid
from service.matches.match import Match
from service.matches.watching.looking import Looking
from service.matches.watching.watched import Failure, Step, Watched


class Watch:
    """A place in a match: ``version`` is the last step that was handed out; those above ``begun`` have happened since it watches. All methods but ``ring``
    are its own task's to call.
    """

    __slots__ = ("_beat", "_is_rung", "_looking", "_waiting", "begun", "credential", "failure", "version", "viewer", "watched")

    def __init__(self, looking: Looking, watched: Watched, credential: Credential, viewer: int) -> None:
        self._looking = looking
        self.watched = watched
        self.credential = credential
        self.viewer = viewer
        self.version = 0
        self.begun = 0
        self.failure: Failure | None = None
        self._beat = False
        self._is_rung = False
        self._waiting: asyncio.Future[None] | None = None

    @property
    def is_behind(self) -> bool:
        """Whether there are steps to be had."""
        return self.version < self.watched.version

    @property
    def is_over(self) -> bool:
        """Whether the match is over and all its steps were handed out."""
        return self.watched.is_over and not self.is_behind

    def check(self) -> None:
        """Say what has ended the watch.

        Raises:
            NotFound: MATCH_NOT_FOUND, MATCH_EXPIRED.
            Unauthenticated: CREDENTIAL_INVALID: the seat was given anew.
            Unavailable: SERVER_DRAINING, RULESET_UNKNOWN_HERE.
            SnapshotUnreadable: what lies there is no match any more.
        """
        failure = self.failure or self.watched.failure
        if failure is not None:
            raise failure()

    async def steps(self) -> list[Step]:
        """Hand out the next steps, those at hand and not too many of them; none if there are no more, or once the watch is over: between its last ``check`` and
        now its caller may have taken its time, and what is at hand may be for another's eyes, or of another match.

        Raises:
            StoreUnavailable: they had to be read, and could not be.
        """
        if not self.is_behind:
            return []
        found = self.watched.after(self.version)
        if found is None:
            found = await self._looking.read_on(self.watched, self.version)
        if self.failure is not None or self.watched.failure is not None:
            return []
        self.version = found[-1][0]
        return found

    async def match(self) -> Match:
        """Return the match as of the newest step that is known, which may not have been handed out yet.

        Raises:
            ApiError: as ``check``.
        """
        match = self.watched.match or await self._looking.read_again(self.watched)
        self.check()
        return match

    def beat(self) -> bool:
        """Whether a heartbeat is to be sent; asking takes it."""
        beat, self._beat = self._beat, False
        return beat

    def ring(self, *, beat: bool = False) -> None:
        """Wake the watcher: there is something to look at."""
        self._is_rung = True
        self._beat = self._beat or beat
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def wait(self) -> None:
        """Wait until it is rung, if it was not since the last time."""
        if not self._is_rung:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        self._is_rung = False

    def look_at_credential(self, match: Match) -> None:
        """End the watch if its credential does not open the match any more."""
        try:
            require_valid(match, self.credential, self.viewer)
        except ApiError as error:
            reason, message, kind = error.reason, error.message, type(error)
            self.failure = lambda: kind(reason, message)
