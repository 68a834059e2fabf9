"""MatchService's streams: watching a match, and playing one."""

import asyncio

from msgspec import UNSET

from service import messages
from service.api import shape
from service.api.context import Context, Needs, Receive, Send, needs
from service.api.playing import Playing
from service.errors import InvalidRequest
from service.matches import access, present
from service.matches.continuing import Continuing
from service.matches.repository import Repository
from service.matches.watching import Hub, Watch
from service.telemetry.metrics import Metrics


class LiveApi:
    """Handlers of the streams of ``umpire.v1.MatchService``; ``patience`` (seconds) is how long PlayMatch waits for its caller to say who it is."""

    def __init__(self, hub: Hub, repository: Repository, continuing: Continuing, metrics: Metrics, patience: float) -> None:
        self._hub = hub
        self._repository = repository
        self._continuing = continuing
        self._metrics = metrics
        self._patience = patience

    @needs(Needs.CREDENTIAL)
    async def watch_match(self, context: Context, request: messages.WatchMatchRequest, send: Send) -> None:
        access.require_match(context.credential, request.match_id)
        since = None if request.since_version is UNSET else request.since_version
        shape.refuse(shape.not_negative("since_version", since or 0))
        viewer = access.viewing_seat(context.credential, request.seat)
        watch, match = await self._hub.watch(request.match_id, context.credential, viewer, since)
        try:
            context.game = match.record.game
            first = present.present_match(match, viewer, with_view=request.with_view) if since is None else None
            del match  # it is large, and a watcher may wait for long
            if first is not None or not watch.is_behind:  # a heartbeat, where there is nothing to say: then the caller knows that it is heard
                await send(messages.WatchMatchResponse(version=watch.version, match=first))
            context.version = watch.version
            del first
            await self._steps(context, watch, send, with_view=request.with_view)
            while not watch.is_over:
                await watch.wait()
                watch.check()
                is_beat = watch.beat()
                if watch.is_behind:
                    await self._steps(context, watch, send, with_view=request.with_view)
                elif is_beat:
                    await send(messages.WatchMatchResponse(version=watch.version))
        finally:
            self._hub.leave(watch)

    async def _steps(self, context: Context, watch: Watch, send: Send, *, with_view: bool) -> None:
        while watch.is_behind:
            for version, entry in await watch.steps():
                message = await self._step(watch, version, present.present_update(version, entry, watch.viewer), with_view=with_view)
                if version > watch.begun:
                    self._metrics.update_lagged((self._repository.now(watch.watched.match_id) - entry.time) / 1_000)
                await send(message)
                self._metrics.update_sent()
                context.version = version
            watch.check()

    async def _step(self, watch: Watch, version: int, update: messages.Update, *, with_view: bool) -> messages.WatchMatchResponse:
        """Make the message of a step; the newest one has the view, the last one the outcome."""
        is_newest = version == watch.watched.version
        if not is_newest or not (with_view or watch.watched.is_over):
            return messages.WatchMatchResponse(version=version, update=update)
        match = await watch.match()
        if match.record.version != version:  # it was the newest until now
            return messages.WatchMatchResponse(version=version, update=update)
        view = match.view(watch.viewer) if with_view else None
        return messages.WatchMatchResponse(version=version, update=update, view=view, outcome=present.present_outcome(match))

    @needs(Needs.CREDENTIAL)
    async def play_match(self, context: Context, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._patience):
                first = await receive()
        except TimeoutError:
            raise InvalidRequest(("open", f"must come within {self._patience:g} s")) from None
        if first is None or first.open is None:
            raise InvalidRequest(("open", "must be the first message"))
        opened: messages.PlayOpen = first.open
        access.require_match(context.credential, opened.match_id)
        seat = access.acting_seat(context.credential, opened.seat)
        shape.refuse(shape.not_negative("open.since_version", opened.since_version))
        watch, match = await self._hub.watch(opened.match_id, context.credential, seat, opened.since_version)
        try:
            context.game = match.record.game
            del match
            await Playing(self._repository, self._continuing, self._metrics, context, watch, receive, send, with_view=not opened.omit_view).play()
        finally:
            self._hub.leave(watch)
