"""What the settings in force mean for safety. Names of keys are shown, keys never."""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

from service.config import Settings
from service.doctor.finding import Finding, error, ok, warning
from service.redis_address import RedisAddress, is_loopback

_SHORTEST_API_KEY = 16
_FEWEST_DISTINCT_BYTES = 10


def judge_settings(command: str, settings: Settings, local_key: bytes | None) -> Iterator[Finding]:
    """Judge the settings of ``serve`` or ``worker``; ``local_key`` is the signing key that ``umpire serve`` has made itself in the state directory."""
    yield from _signing_keys(command, settings, local_key)
    yield from _api_keys(settings)
    yield _insecure(command, settings)
    yield _seeds(command, settings)
    yield from _origins(settings)
    yield _prefix(settings.key_prefix)
    yield _ports(command, settings)


def judge_address(address: RedisAddress) -> Finding:
    """Judge how Redis is reached."""
    if address.is_local:
        return ok("redis.address", f"{address.shown}, on this machine")
    if not address.is_encrypted:
        return warning("redis.address", f"{address.shown} is reached without TLS: whoever is on the way reads every hand", "use rediss://")
    return ok("redis.address", f"{address.shown}, with TLS")


def _signing_keys(command: str, settings: Settings, local_key: bytes | None) -> Iterator[Finding]:
    check, keys = "settings.signing_keys", settings.signing_keys
    if not keys:
        if command == "serve":
            yield ok(check, "none given: umpire serve makes one in its state directory and keeps it")
        else:
            found = "none: each worker makes one of its own, so its credentials open nothing at another worker or after a restart"
            yield warning(check, found, "set UMPIRE_SIGNING_KEYS to id:hex, made by `openssl rand -hex 32`, the same for all workers")
        return
    named = ", ".join(key.key_id for key in keys)
    twice = [key_id for key_id, count in Counter(key.key_id for key in keys).items() if count > 1]
    weak = [key.key_id for key in keys if len(set(key.secret)) < _FEWEST_DISTINCT_BYTES]
    if twice:
        yield error(check, f"the id {twice[0]} stands there twice: only its last key is accepted", "give each key an id of its own")
    if weak:
        yield error(check, f"the key {weak[0]} was not drawn at random", "make one by `openssl rand -hex 32`; this one can be guessed")
    if command == "worker" and local_key is not None and any(key.secret == local_key for key in keys):
        yield warning(check, "a key is the one that umpire serve made in the state directory here", "use one that was never on a machine for trying things out")
    if len({key.secret for key in keys}) < len(keys):
        yield warning(check, "two ids have the same key", "a new id shall have a new key")
    if not twice and not weak:
        yield ok(check, f"{named} ({keys[0].key_id} signs)")


def _api_keys(settings: Settings) -> Iterator[Finding]:
    check, keys = "settings.api_keys", settings.api_keys
    if not keys:
        if is_loopback(settings.host):
            yield ok(check, "none: anybody on this machine may create matches")
        else:
            yield warning(check, f"none: anybody who reaches {settings.host} may create matches", "set UMPIRE_API_KEYS to name:key")
        return
    short = [name for name, key in keys.items() if len(key) < _SHORTEST_API_KEY]
    if short:
        yield warning(check, f"the key of {short[0]} is shorter than {_SHORTEST_API_KEY} characters", "make one by `openssl rand -hex 16`")
    if len(set(keys.values())) < len(keys):
        yield warning(check, "two names have the same key: calls are counted under one of them", "give each name a key of its own")
    if not short:
        yield ok(check, ", ".join(keys))


def _insecure(command: str, settings: Settings) -> Finding:
    check = "settings.insecure"
    lacking = [name for name, given in (("signing keys", settings.signing_keys or command == "serve"), ("API keys", settings.api_keys)) if not given]
    if lacking and not is_loopback(settings.host):
        found = f"{settings.host} can be reached from outside, without {' and '.join(lacking)}"
        return error(check, found, "set them and leave --insecure (UMPIRE_INSECURE) off, or listen on 127.0.0.1")
    if settings.insecure and command == "worker":
        return warning(check, "on: missing keys do not stop a worker", "production leaves --insecure (UMPIRE_INSECURE) off")
    tls = "with TLS" if settings.tls else "TLS is the business of what stands before it"
    return ok(check, f"{'on' if settings.insecure else 'off'}, listening on {settings.host}; {tls}")


def _seeds(command: str, settings: Settings) -> Finding:
    if settings.allow_seeds and (command == "worker" or not is_loopback(settings.host)):
        return warning(
            "settings.allow_seeds", "on: a creator who names the seed knows every hidden card", "turn --allow-seeds (UMPIRE_ALLOW_SEEDS) off in production"
        )
    return ok("settings.allow_seeds", "on" if settings.allow_seeds else "off")


def _origins(settings: Settings) -> Iterator[Finding]:
    check = "settings.cors_origins"
    if "*" in settings.cors_origins:
        yield warning(check, "* stands for no origin here: no page is let in by it", "list the origins whose pages may call")
    bad = [origin for origin in settings.cors_origins if origin != "*" and not _is_origin(origin)]
    if bad:
        yield warning(
            check,
            f"entry {settings.cors_origins.index(bad[0]) + 1} is no origin and matches none",
            "an origin is https://host[:port], in small letters, without a path",
        )
    if not bad and "*" not in settings.cors_origins:
        yield ok(check, ", ".join(settings.cors_origins) or "none: pages of the same origin only")


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    is_bare = not (parts.path or parts.query or parts.fragment or "@" in parts.netloc)
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and is_bare and text == text.lower()


def _prefix(prefix: str) -> Finding:
    check = "settings.key_prefix"
    if "{" in prefix:
        return error(check, "has a brace, which Redis takes for the hash tag that Umpire sets itself", "choose one without braces")
    if not prefix:
        return warning(check, "empty: matches lie among whatever else is in this database", "choose one: --key-prefix or UMPIRE_KEY_PREFIX")
    return ok(check, prefix)


def _ports(command: str, settings: Settings) -> Finding:
    numbers = range(settings.workers) if command == "serve" else (settings.index,)
    ports = [settings.http_port, settings.grpc_port, *(settings.ops_port + number for number in numbers)]
    if 0 in ports:
        return error("settings.ports", "port 0 gives each worker another port, which nobody knows", "name all ports")
    if len(set(ports)) < len(ports) or max(ports) > 65_535:
        return error(
            "settings.ports", f"{', '.join(map(str, ports))}: they overlap or end beyond 65535", "choose ports apart: --http-port, --grpc-port, --ops-port"
        )
    return ok("settings.ports", f"HTTP {settings.http_port}, gRPC {settings.grpc_port}, ops {', '.join(map(str, ports[2:]))}")
