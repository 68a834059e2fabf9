"""Logs: one JSON object a line, or coloured text on a terminal."""

import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec
import structlog

_encode = msgspec.json.Encoder(enc_hook=repr).encode


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
        factory = structlog.BytesLoggerFactory(file=sys.stderr.buffer)
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=factory,
        cache_logger_on_first_use=True,
    )
    _redirect_standard_logging(sys.stderr)


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


def _redirect_standard_logging(_stream: TextIO) -> None:
    """Send what libraries log, from warnings on, the same way."""
    root = logging.getLogger()
    root.handlers = [_ToStructlog()]
    root.setLevel(logging.WARNING)
