"""A server that speaks just enough of Redis's protocol to answer what a test wants, or nothing."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Self

import hiredis

Answer = Callable[[list[bytes]], bytes | None]

_HANDSHAKE = {b"HELLO": b"%1\r\n$5\r\nproto\r\n:3\r\n", b"CLIENT": b"+OK\r\n"}


class ScriptedRedis:
    """Listens on a unix socket in ``folder``. ``answer`` gets each command after the handshake; None is silence."""

    def __init__(self, folder: Path, answer: Answer, *, greets: bool = True, delay_s: float = 0.0) -> None:
        self.url = f"unix://{folder}/scripted.sock"
        self.connections = 0
        self.commands: list[list[bytes]] = []
        self._answer = answer
        self._greets = greets
        self._delay_s = delay_s
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._serve, self.url.removeprefix("unix://"))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.hang_up()
        self._server.close()

    def hang_up(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        parser = hiredis.Reader()
        while data := await reader.read(65_536):
            parser.feed(data)
            while (command := parser.gets()) is not False:
                greeting = _HANDSHAKE.get(command[0])
                if greeting is None:
                    await asyncio.sleep(self._delay_s)
                    self.commands.append(command)
                answer = self._answer(command) if greeting is None else greeting if self._greets else None
                if answer is not None:
                    writer.write(answer)
