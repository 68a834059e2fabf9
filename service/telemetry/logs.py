"""Logs: one JSON object a line, or coloured text on a terminal."""

import asyncio
import contextlib
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Any, BinaryIO, cast

import msgspec
import structlog
from msgspec import UNSET, UnsetType

_encode = msgspec.json.Encoder(enc_hook=repr).encode
_LEVELS = logging.getLevelNamesMapping()


class CallLine(msgspec.Struct, frozen=True):
    """The one line of a call. Never anything of the call's content: a move, a view and a credential are secrets. ``sent``: a stream's messages.

    ``trace_id`` and ``span_id`` find the call's trace: the id that its caller sent, if it is not traced here.
    """

    timestamp: datetime
    level: str
    message: str
    request_id: str
    rpc: str
    transport: str
    game: str
    match: str
    code: str
    reason: str
    ms: float
    sent: int | UnsetType = UNSET
    trace_id: str | UnsetType = UNSET
    span_id: str | UnsetType = UNSET


class CallLog:
    """Writes the lines of calls the short way: they are most of a log, and every call pays for its own.

    Made when logs are set up; where lines are for a person's eyes, they go the way of all others.
    """

    def __init__(self) -> None:
        self._all = structlog.get_logger("umpire.call").bind()  # bound once: an unbound one is made anew at each line
        self._wanted = _short_way.level <= logging.INFO
        self._stream = _short_way.stream
        self._tail = _short_way.tail
        self._lines: list[bytes] = []

    def write(
        self,
        *,
        request_id: str,
        rpc: str,
        transport: str,
        game: str,
        match: str,
        code: str,
        reason: str,
        seconds: float,
        sent: int | UnsetType = UNSET,
        trace_id: str | UnsetType = UNSET,
        span_id: str | UnsetType = UNSET,
    ) -> None:
        """Write a call's line."""
        if not self._wanted:
            return
        ms = round(seconds * 1000, 3)
        line = CallLine(datetime.now(UTC), "info", "call", request_id, rpc, transport, game, match, code, reason, ms, sent, trace_id, span_id)
        if self._stream is None:
            values = {field: getattr(line, field) for field in CallLine.__struct_fields__[3:]}
            self._all.info("call", **{field: value for field, value in values.items() if value is not UNSET})
            return
        if not self._lines:
            asyncio.get_running_loop().call_soon(self._flush)
        self._lines += _encode(line)[:-1], self._tail

    def _flush(self) -> None:
        """Write the lines of one turn of the loop at once."""
        lines, self._lines = self._lines, []
        if self._stream is not None:
            self._stream.write(b"".join(lines))
            self._stream.flush()


class _Forgiving:
    """A stream that takes what it can: a full disk or a reader that has gone must cost lines, never calls or the worker."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(data)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()


class _ShortWay(msgspec.Struct):
    """Where the lines of calls go (None: not the short way), from which level on, and how each ends."""

    level: int = logging.INFO
    stream: _Forgiving | None = None
    tail: bytes = b"}\n"


_short_way = _ShortWay()


def set_up_logs(level: str, **bound: object) -> None:
    """Configure logging for this process; ``bound`` stands in every line (which worker it is).

    Tracebacks are plain: the values of variables can be secrets.
    """
    processors: list[Any]
    factory: Any
    if sys.stderr.isatty():
        renderer = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        processors = [structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True), renderer]
        factory = structlog.PrintLoggerFactory(file=sys.stderr)
    else:
        processors = [structlog.processors.format_exc_info, _json_line(bound)]
        stream = _Forgiving(sys.stderr.buffer)
        factory = structlog.BytesLoggerFactory(file=cast(Any, stream))
        _short_way.stream = stream
        _short_way.tail = b"".join(b"," + _encode({key: value})[1:-1] for key, value in bound.items()) + b"}\n"
    _short_way.level = _LEVELS[level.upper()]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level.upper()]),
        logger_factory=factory,
        cache_logger_on_first_use=True,
    )
    _redirect_standard_logging()


def end_logs() -> None:
    """Let go of what could not be written, so that Python does not end with a complaint about it (status 120)."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)


def _json_line(bound: dict[str, object]) -> Any:
    """Make the step that turns an event into its line: one for what structlog does in four, since every call of every worker pays for it."""

    def line(_logger: Any, method: str, event: dict[str, Any]) -> bytes:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        whole = {"timestamp": now, "level": method, "message": event.pop("event"), **event, **bound}
        try:
            return _encode(whole)
        except UnicodeEncodeError:  # a lone surrogate from outside: a log must take anything
            return _encode({key: ascii(value) for key, value in whole.items()})

    return line


class _ToStructlog(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger(record.name).log(record.levelno, record.getMessage(), exc_info=record.exc_info)


def _redirect_standard_logging() -> None:
    """Send what libraries log, from warnings on, the same way."""
    root = logging.getLogger()
    root.handlers = [_ToStructlog()]
    root.setLevel(logging.WARNING)
