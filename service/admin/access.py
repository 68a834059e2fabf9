"""What a verb works with: the store, the games, and where the store is."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from service.config import ConfigError
from service.matches.library import Library
from service.redis_address import RedisAddress, private_address, read_address
from service.store import Store

_NOWHERE = (
    "no private Redis of umpire serve runs in {}; name the Redis (UMPIRE_REDIS_URL or --redis-url) or its state directory (UMPIRE_STATE_DIR or --state-dir)"
)


class Access(NamedTuple):
    """The operator's access."""

    store: Store
    library: Library
    address: RedisAddress
    prefix: str


def find_redis(settings: Mapping[str, str]) -> RedisAddress:
    """Find the Redis that the settings name, else the private one of an ``umpire serve`` here.

    Raises:
        ConfigError: none is named and none is here, or the address cannot be read.
    """
    if settings["redis-url"]:
        return read_address(settings["redis-url"])
    address = private_address(Path(settings["state-dir"]))
    if address is None:
        raise ConfigError(_NOWHERE.format(settings["state-dir"]))
    return address
