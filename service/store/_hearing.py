"""Hearing channels of one server: one connection, made anew when it is lost. Serves ``listening``."""

import asyncio
import contextlib
from contextvars import Context
from typing import Any, Protocol

import structlog

from service.store._ear import Ear
from service.store._link import LOST
from service.store._node import Node

_log = structlog.get_logger("umpire.store")

_PAUSES_S = (0.05, 0.2, 0.5, 1.0)
_ASK_AGAIN_S = 0.1


class Told(Protocol):
    """Who is told what is heard."""

    def heard(self, channel: bytes) -> None:
        """Know that a channel is heard from now on."""

    def said(self, channel: bytes, content: bytes) -> None:
        """Take what was said on a channel."""

    def lost(self) -> None:
        """Know that a connection broke."""

    def trouble(self, node: Node, error: Exception | None) -> None:
        """Know that a server does not answer, that it refuses, or (None) that it has let a channel go."""


class Hearing:
    """Subscribes to channels of a server, for as long as it is kept open. Sharded ones: only the servers that have their slot pass them on."""

    def __init__(self, node: Node, told: Told, *, connect_timeout: float) -> None:
        self._node = node
        self._told = told
        self._connect_timeout = connect_timeout
        self._channels: dict[bytes, bool] = {}
        """Those wanted, and whether the server has said that it passes them on."""
        self._ear: Ear | None = None
        self._asking_again: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._task = asyncio.create_task(self._stay_connected(), name="listen to the store", context=Context())

    def listen(self, channel: bytes) -> None:
        """Begin to hear a channel."""
        self._channels[channel] = False
        if self._ear is not None:
            self._ear.say((b"SSUBSCRIBE", channel))

    def ignore(self, channel: bytes) -> None:
        """Stop hearing a channel."""
        if self._channels.pop(channel, None) is not None and self._ear is not None:
            self._ear.say((b"SUNSUBSCRIBE", channel))

    async def close(self) -> None:
        """End the connection for good."""
        self._is_closed = True
        if self._asking_again is not None:
            self._asking_again.cancel()
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _stay_connected(self) -> None:
        failures = 0
        while not self._is_closed:
            try:
                ear = await self._connect()
            except LOST as error:
                if failures == 0:
                    _log.warning("changes of matches are not heard", error=type(error).__name__, node=self._node.shown or None)
                self._told.trouble(self._node, error)
                await asyncio.sleep(_PAUSES_S[min(failures, len(_PAUSES_S) - 1)])
                failures += 1
                continue
            failures = 0
            self._ear = ear
            try:
                if self._is_closed:  # redis-py can connect all the same when it is cancelled
                    return
                self._channels = dict.fromkeys(self._channels, False)
                self._subscribe()
                await ear.until_lost()
                self._told.lost()
            finally:
                self._ear = None
                ear.end()

    async def _connect(self) -> Ear:
        connection = self._node.make_connection()
        try:
            async with asyncio.timeout(self._connect_timeout):
                await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
            return Ear(connection, self._take, self._refused)
        except BaseException:
            with contextlib.suppress(*LOST):
                await connection.disconnect(nowait=True)
            raise

    def _subscribe(self) -> None:
        """Ask for what is not heard yet: one command a channel, since one command takes one slot."""
        self._asking_again = None
        missing = [channel for channel, is_heard in self._channels.items() if not is_heard]
        if missing and self._ear is not None:
            self._ear.say(*[(b"SSUBSCRIBE", channel) for channel in missing])

    def _take(self, kind: bytes, channel: bytes, content: Any) -> None:
        if channel not in self._channels:
            return
        match kind:
            case b"smessage":
                self._told.said(channel, content)
            case b"ssubscribe":
                self._channels[channel] = True
                self._told.heard(channel)
            case b"sunsubscribe":  # its slot has gone elsewhere
                self._channels[channel] = False
                self._trouble(None)

    def _refused(self, error: Exception) -> None:
        self._trouble(error)

    def _trouble(self, error: Exception | None) -> None:
        if self._asking_again is None:
            self._asking_again = asyncio.get_running_loop().call_later(_ASK_AGAIN_S, self._subscribe)
        self._told.trouble(self._node, error)
