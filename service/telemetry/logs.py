"""Logs: one JSON object a line, or coloured text on a terminal."""

import logging
import sys
from typing import Any, TextIO

import msgspec
import structlog

_encode = msgspec.json.Encoder(enc_hook=repr).encode


def set_up_logs(level: str, **bound: object) -> None:
    """Configure logging for this process; ``bound`` stands in every line (which worker it is).

    Tracebacks are plain: the values of variables can be secrets.
    """
    processors: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _bind(bound),
    ]
    factory: Any
    if sys.stderr.isatty():
        processors.append(structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback))
        factory = structlog.PrintLoggerFactory(file=sys.stderr)
    else:
        processors += [structlog.processors.format_exc_info, structlog.processors.EventRenamer("message"), _render]
        factory = structlog.BytesLoggerFactory(file=sys.stderr.buffer)
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=factory,
        cache_logger_on_first_use=True,
    )
    _redirect_standard_logging(sys.stderr)


def _bind(bound: dict[str, object]) -> Any:
    def add(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
        event.update(bound)
        return event

    return add


def _render(_logger: Any, _method: str, event: dict[str, Any]) -> bytes:
    try:
        return _encode(event)
    except UnicodeEncodeError:  # a lone surrogate from outside: a log must take anything
        return _encode({key: ascii(value) for key, value in event.items()})


class _ToStructlog(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger(record.name).log(record.levelno, record.getMessage(), exc_info=record.exc_info)


def _redirect_standard_logging(_stream: TextIO) -> None:
    """Send what libraries log, from warnings on, the same way."""
    root = logging.getLogger()
    root.handlers = [_ToStructlog()]
    root.setLevel(logging.WARNING)
