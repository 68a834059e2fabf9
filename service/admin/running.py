"""Running a verb: its lines as they come, and whatever ends it as one line."""

import argparse
import asyncio
import importlib
import sys
from collections.abc import Mapping

import msgspec

from engines.registry import games
from service.admin.access import Access, find_redis
from service.admin.errors import AdminError
from service.errors import ApiError
from service.matches.library import Library
from service.redis_address import RedisAddress
from service.store import Corrupt, Store, StoreUnavailable, is_match_id

_UNREADABLE = "what is stored of this match cannot be read; nothing is guessed"


def run_verb(verb: str, options: argparse.Namespace, settings: Mapping[str, str]) -> int:
    """Run a verb on a match; returns the exit status: 1 if it cannot be done, 2 if the command line is wrong.

    Raises:
        ConfigError: no Redis is named that could be asked.
    """
    try:
        if not is_match_id(options.match):
            # Not repeated: it may be a credential that was pasted here.
            raise AdminError("MATCH is no match id, which looks like 1a2-abcdefghijklmnopqrstuvwx", status=2)  # noqa: TRY301 - one place that says it
        address = find_redis(settings)
        asyncio.run(_print(verb, options, address, settings["key-prefix"]))
    except AdminError as error:
        return _say(str(error), error.status)
    except ApiError as error:
        return _say(error.message, 1)
    except (Corrupt, msgspec.MsgspecError):
        return _say(_UNREADABLE, 1)
    except StoreUnavailable as error:
        return _say(f"{address.shown}: {error}", 1)
    return 0


async def _print(verb: str, options: argparse.Namespace, address: RedisAddress, prefix: str) -> None:
    store = Store(address.url, prefix=prefix)
    try:
        access = Access(store, Library(games()), address, prefix)
        async for line in importlib.import_module(f"service.admin.{verb}").run(access, options):
            sys.stdout.write(line + "\n")
    finally:
        await store.close()


def _say(message: str, status: int) -> int:
    sys.stderr.write(f"umpire: {message}\n")
    return status
