"""Addresses of a Redis as operators' commands use them: read with care, and shown without what opens them."""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from redis.asyncio import BlockingConnectionPool
from redis.connection import parse_url

from service.config import ConfigError

_SCHEMES = ("redis", "rediss", "unix")
_DATABASE = re.compile(r"/?\d*")
_OPTIONS = {"db", "ssl_ca_certs", "ssl_ca_path", "ssl_cert_reqs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname", "username", "password"}
_NAME = "--redis-url (UMPIRE_REDIS_URL)"
_UNREADABLE = f"{_NAME} cannot be read: it begins with redis://, rediss:// or unix://, and special characters of a password stand there as %XX"


class RedisAddress(NamedTuple):
    """Where a Redis is. ``url`` may hold a password; ``shown`` is what people and logs may see; local is what never leaves this machine."""

    url: str
    shown: str
    is_local: bool
    is_encrypted: bool
    has_password: bool


def read_address(url: str) -> RedisAddress:
    """Read an address of the forms that the store takes.

    Raises:
        ConfigError: it is none. The message repeats no part of it: what was read in the wrong place may be the password.
    """
    try:
        parts = urlsplit(url)
        options = parse_url(url)  # type: ignore[no-untyped-call]  # redis-py's
        if set(parse_qs(parts.query, keep_blank_values=True)) - _OPTIONS:
            raise ConfigError(f"{_NAME} takes no other options than {', '.join(sorted(_OPTIONS))}")
        BlockingConnectionPool.from_url(url).make_connection()  # type: ignore[no-untyped-call]  # redis-py's; does not connect
    except (ValueError, TypeError, AttributeError):
        raise ConfigError(_UNREADABLE) from None
    if parts.scheme not in _SCHEMES or "@" in parts.path + parts.query + parts.fragment:
        raise ConfigError(_UNREADABLE)
    has_password = bool(options.get("password"))
    if parts.scheme == "unix":
        return RedisAddress(url, f"unix://{parts.path}", is_local=True, is_encrypted=False, has_password=has_password)
    host = str(options.get("host", "localhost"))
    place = f"[{host}]" if ":" in host else host
    database = parts.path if _DATABASE.fullmatch(parts.path) else ""
    shown = f"{parts.scheme}://{place}:{options.get('port', 6379)}{database}"
    return RedisAddress(url, shown, is_loopback(host), parts.scheme == "rediss", has_password)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    return host in {"localhost", "::1"} or host.startswith("127.")


def private_address(state_dir: Path) -> RedisAddress | None:
    """Return where the private Redis of an ``umpire serve`` with this state directory listens, or None if none is there."""
    socket = state_dir.resolve() / "redis" / "redis.sock"
    return read_address(f"unix://{socket}") if socket.is_socket() else None
