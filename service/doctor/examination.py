"""One check after the other."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engines.registry import games
from service.codec import CodecError
from service.config import ConfigError, Settings, read_settings
from service.contract import ContractError, load_contract
from service.doctor.finding import Finding, error, ok
from service.doctor.judge_group import judge_group, together
from service.doctor.judge_keeping import judge_durability, judge_keeping
from service.doctor.judge_keys import judge_keys
from service.doctor.judge_machine import judge_machine, judge_server_program, read_local_key
from service.doctor.judge_server import judge_server
from service.doctor.judge_settings import judge_address, judge_settings
from service.doctor.look_at_group import Master, look_at_group
from service.doctor.look_at_keys import look_at_keys
from service.doctor.look_at_machine import look_at_machine
from service.doctor.look_at_redis import NoAnswer, connected, look_at_redis
from service.matches.library import Library
from service.redis_address import RedisAddress, private_address, read_address

UNUSABLE = "settings"
"""The check of findings about settings that stop a command from starting."""

_ANSWER = "start it, or wait until it has loaded; else see to address, firewall, user and password"


def examine(command: str, options: Mapping[str, Any], environment: Mapping[str, str]) -> Iterator[Finding]:
    """Examine what ``umpire serve`` or ``umpire worker`` would run on, with these options and this environment."""
    try:
        settings = read_settings(command, options, environment)
    except ConfigError as problem:
        hint = "; for a machine that runs umpire serve, say --as serve" if command == "worker" and "--redis-url" in str(problem) else ""
        yield error(UNUSABLE, str(problem), f"umpire {command} does not start like this{hint}")
        lenient = _leniently(command, options, environment)
        if lenient is None:
            return
        settings = lenient
    else:
        yield ok(UNUSABLE, f"umpire {command} takes them")
    machine = look_at_machine(command, settings)
    workers = settings.workers if command == "serve" else 1
    yield from judge_settings(command, settings, read_local_key(machine.key.content))
    yield from judge_machine(command, machine, workers)
    yield _release()
    if command == "serve" and not settings.redis_url:
        yield judge_server_program(machine)
    if command == "serve" or settings.redis_url:
        yield from _redis(settings, workers)


def _leniently(command: str, options: Mapping[str, Any], environment: Mapping[str, str]) -> Settings | None:
    """Read the settings again as if nothing were required, so that what is missing does not hide what else is wrong; None if that is not what is wrong."""
    redis_url = options.get("redis_url") or environment.get("UMPIRE_REDIS_URL") or ""
    try:
        settings = read_settings(command, {**options, "redis_url": redis_url or "unix://", "insecure": True}, environment)
    except ConfigError:
        return None
    return msgspec.structs.replace(settings, redis_url=redis_url, insecure=False)  # what it lacks, it lacks because this is off


def _release() -> Finding:
    try:
        load_contract(games())
    except (ContractError, CodecError) as problem:
        return error("release", str(problem), "install the release again, or `make contract` in a checkout")
    known = ", ".join(f"{game.id} (ruleset {game.ruleset}, {' and '.join(game.card_sets)})" for game in games().values())
    return ok("release", known)


def _redis(settings: Settings, workers: int) -> Iterator[Finding]:
    try:
        address = read_address(settings.redis_url) if settings.redis_url else private_address(settings.state_dir)
    except ConfigError as problem:
        yield error(UNUSABLE, str(problem), "no worker gets to Redis like this")
        return
    if address is None:
        yield ok("redis.address", "a private Redis, which umpire serve starts; it does not run now")
        return
    yield judge_address(address)
    try:
        group = look_at_group(address.url)
        yield from judge_group(group)
        if len(group.masters) == 1:
            yield from _master(settings, address, group.masters[0], workers)
            return
    except NoAnswer as problem:
        if address.url != settings.redis_url:
            yield ok("redis.answer", "the private Redis does not run now; umpire serve starts it")
        else:
            yield error("redis.answer", f"{problem}", _ANSWER)
        return
    found = []
    for master in group.masters:
        try:
            found.append((master.shown, list(_master(settings, address, master, workers))))
        except NoAnswer as problem:
            found.append((master.shown, [error("redis.answer", f"{problem}", _ANSWER)]))
    yield from together(found)


def _master(settings: Settings, address: RedisAddress, master: Master, workers: int) -> Iterator[Finding]:
    make_id = master.ids(settings.key_prefix)
    if make_id is None:
        yield ok("redis.cluster", "it has none of the slots in which matches lie")
        return
    with connected(master.options) as client:
        facts = look_at_redis(client, settings.key_prefix, make_id)
        keys = look_at_keys(client, settings.key_prefix, Library(games()))
    yield from judge_server(address, facts, workers)
    yield from judge_keeping(facts)
    yield judge_durability(settings.durability, facts)
    yield from judge_keys(keys)
