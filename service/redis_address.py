"""Addresses of a Redis as operators' commands use them: read with care, and shown without what opens them."""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from redis.asyncio import BlockingConnectionPool

from service.config import ConfigError
from service.redis_place import Address, Kind, Place, read_place

_DATABASE = re.compile(r"/?\d*")
_SERVICE = re.compile(r"/[\w.-]+(/\d*)?")
_OPTIONS = {"db", "ssl_ca_certs", "ssl_ca_path", "ssl_cert_reqs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname", "username", "password"}
_OPTIONS_OF_SENTINELS = {"sentinel_username", "sentinel_password"}
_NAME = "--redis-url (UMPIRE_REDIS_URL)"
_FORMS = "redis://, rediss://, unix://, redis+cluster://HOST:PORT,… or redis+sentinel://HOST:PORT,…/SERVICE (or rediss+…)"
_UNREADABLE = f"{_NAME} cannot be read: it is of the form {_FORMS}, and special characters of a password stand there as %XX"


class RedisAddress(NamedTuple):
    """Where a Redis is. ``url`` may hold a password; ``shown`` is what people and logs may see; local is what never leaves this machine."""

    url: str
    shown: str
    is_local: bool
    is_encrypted: bool
    has_password: bool
    kind: Kind = Kind.ONE


def read_address(url: str) -> RedisAddress:
    """Read an address of the forms that the store takes.

    Raises:
        ConfigError: it is none. The message repeats no part of it: what was read in the wrong place may be the password.
    """
    try:
        parts = urlsplit(url)
        place = read_place(url)
        options = _OPTIONS | _OPTIONS_OF_SENTINELS if place.kind is Kind.SENTINEL else _OPTIONS
        unknown = set(parse_qs(parts.query, keep_blank_values=True)) - options
        if not unknown:
            BlockingConnectionPool(**place.options).make_connection()  # type: ignore[no-untyped-call]  # redis-py's; does not connect
    except (ValueError, TypeError, AttributeError):
        raise ConfigError(_UNREADABLE) from None
    if "@" in parts.path + parts.query + parts.fragment:
        raise ConfigError(_UNREADABLE)
    if unknown:
        raise ConfigError(f"{_NAME} takes no other options than {', '.join(sorted(options))}")
    is_encrypted, has_password = parts.scheme.startswith("rediss"), bool(place.options.get("password"))
    if parts.scheme == "unix":
        return RedisAddress(url, f"unix://{parts.path}", is_local=True, is_encrypted=False, has_password=has_password)
    addresses = _addresses(place)
    shown = f"{parts.scheme}://{','.join(map(str, addresses))}{_shown_path(place, parts.path)}"
    return RedisAddress(url, shown, all(is_loopback(one.host) for one in addresses), is_encrypted, has_password, place.kind)


def _addresses(place: Place) -> tuple[Address, ...]:
    return place.addresses or (Address(str(place.options.get("host", "localhost")), int(place.options.get("port", 6379))),)


def _shown_path(place: Place, path: str) -> str:
    shape = _SERVICE if place.kind is Kind.SENTINEL else _DATABASE
    return path if shape.fullmatch(path) else ""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    return host in {"localhost", "::1"} or host.startswith("127.")


def private_address(state_dir: Path) -> RedisAddress | None:
    """Return where the private Redis of an ``umpire serve`` with this state directory listens, or None if none is there."""
    socket = state_dir.resolve() / "redis" / "redis.sock"
    return read_address(f"unix://{socket}") if socket.is_socket() else None
