"""Configuration: every setting, its option, its environment variable. Nothing else in this service reads the environment."""

import argparse
import os
import re
import ssl
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from service.credentials import SigningKey

_SHORTEST_SECRET = 32
_SHORTEST_HEARTBEAT_S, _LONGEST_HEARTBEAT_S = 1, 15

_PLACES = "redis://, rediss:// or unix://; redis+cluster://host:port,…; redis+sentinel://host:port,…/service (or rediss+…)"


class ConfigError(ValueError):
    """A setting that cannot be used; the message names it and what to do."""


class Setting(NamedTuple):
    """A setting: ``--name`` on the command line, else ``UMPIRE_NAME``, else the default. ``commands`` says which commands take it."""

    name: str
    default: Any
    text: str
    commands: tuple[str, ...] = ("serve", "worker")

    @property
    def variable(self) -> str:
        return "UMPIRE_" + self.name.replace("-", "_").upper()

    @property
    def attribute(self) -> str:
        return self.name.replace("-", "_")


SETTINGS = (
    Setting("redis-url", "", f"where the matches are kept: {_PLACES}; empty: a private Redis in the state directory", ("serve",)),
    Setting("redis-url", "", f"where the matches are kept: {_PLACES}; required", ("worker",)),
    Setting("host", "127.0.0.1", "the address to listen on"),
    Setting("http-port", 8080, "REST and Connect"),
    Setting("grpc-port", 50051, "gRPC"),
    Setting("ops-port", 9464, "health and metrics, of the first worker; each further one takes the next port"),
    Setting("state-dir", ".umpire", "where the private Redis and the signing key are kept", ("serve",)),
    Setting("workers", os.cpu_count() or 1, "how many workers share the ports", ("serve",)),
    Setting("index", 0, "the number of this worker: added to the ops port", ("worker",)),
    Setting("signing-keys", "", "keys that sign credentials, `id:hex[,id:hex…]`, 32 bytes or more each; the first signs, all are accepted"),
    Setting("api-keys", "", "keys that may create matches, `name:key[,name:key…]`"),
    Setting("insecure", False, "run without API keys, and a worker with a signing key of its own making"),
    Setting("allow-seeds", False, "let creators name the seed of a match: for tests"),
    Setting("tls-cert", "", "certificate (PEM file) for both doors: calls are then taken over TLS only; health and metrics stay plain", ("worker",)),
    Setting("tls-key", "", "its key (PEM file)", ("worker",)),
    Setting("tls-client-ca", "", "authority (PEM file): who has no certificate of it may not call", ("worker",)),
    Setting("cors-origins", "", "origins whose pages may call the HTTP port, separated by commas; empty: the same origin only"),
    Setting("durability", "none", "what a move waits for before it is acknowledged, besides Redis itself: none, aof (on its disk) or replica (at a replica)"),
    Setting("key-prefix", "umpire:", "what the names of all keys in Redis begin with"),
    Setting("heartbeat", 12, "seconds between two messages of a stream at the most, 1 to 15"),
    Setting(
        "otlp-endpoint", "", "where traces are sent by OTLP over gRPC, http://HOST:PORT or https://HOST:PORT (needs the extra `tracing`); empty: no traces"
    ),
    Setting("otlp-ratio", 1.0, "the share of calls to trace, 0 to 1, where the caller's `traceparent` does not say"),
    Setting("log-level", "info", "debug, info, warning or error"),
)

_ENDPOINT = re.compile(r"https?://[^\s/?#@]+:\d{1,5}/?")
_TRACING = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.grpc")
_DURABILITIES = ("none", "aof", "replica")
_LOG_LEVELS = ("debug", "info", "warning", "error")
_FLAGS_ON_UNDER_SERVE = ("insecure", "allow-seeds")


class Tls(NamedTuple):
    """Files for TLS, in PEM. ``client_authority``: only who has a certificate of it may call."""

    certificate: Path
    key: Path
    client_authority: Path | None


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in force."""

    redis_url: str
    host: str
    http_port: int
    grpc_port: int
    ops_port: int
    signing_keys: tuple[SigningKey, ...]
    api_keys: Mapping[str, str]
    insecure: bool
    allow_seeds: bool
    cors_origins: tuple[str, ...]
    key_prefix: str
    log_level: str
    heartbeat: int = 12
    durability: str = "none"
    tls: Tls | None = None
    otlp_endpoint: str = ""
    otlp_ratio: float = 1.0
    index: int = 0
    state_dir: Path = Path(".umpire")
    workers: int = 1


def add_settings(parser: argparse.ArgumentParser, command: str) -> None:
    """Add a command's settings to its parser. Defaults are left to ``read_settings``, so that the environment can stand between."""
    for setting in settings_of(command):
        text = f"{setting.text} [{setting.variable}, default: {_shown(setting)}]".replace("%", "%%")
        if isinstance(setting.default, bool):
            parser.add_argument(f"--{setting.name}", action=argparse.BooleanOptionalAction, default=None, help=text)
        else:
            parser.add_argument(f"--{setting.name}", default=None, metavar=setting.name.rsplit("-", 1)[-1].upper(), help=text)


def read_settings(command: str, options: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """Put the settings of a command together: option, else environment, else default.

    Raises:
        ConfigError: a value cannot be used, or one that is required is missing.
    """
    values = {setting.attribute: _value(setting, options.get(setting.attribute), environment.get(setting.variable)) for setting in settings_of(command)}
    values["signing_keys"] = _signing_keys(values["signing_keys"])
    values["api_keys"] = _api_keys(values["api_keys"])
    values["cors_origins"] = tuple(origin.strip() for origin in values["cors_origins"].split(",") if origin.strip())
    if values["log_level"].lower() not in _LOG_LEVELS:
        raise ConfigError(f"--log-level (UMPIRE_LOG_LEVEL) must be one of {', '.join(_LOG_LEVELS)}, not {values['log_level']!r}")
    if values["durability"] not in _DURABILITIES:
        raise ConfigError(f"--durability (UMPIRE_DURABILITY) must be one of {', '.join(_DURABILITIES)}, not {values['durability']!r}")
    if not _SHORTEST_HEARTBEAT_S <= values["heartbeat"] <= _LONGEST_HEARTBEAT_S:
        raise ConfigError(f"--heartbeat (UMPIRE_HEARTBEAT) must be {_SHORTEST_HEARTBEAT_S} to {_LONGEST_HEARTBEAT_S}, not {values['heartbeat']}")
    if values.get("workers", 1) < 1:
        raise ConfigError("--workers (UMPIRE_WORKERS) must be 1 or more")
    values["tls"] = _tls(*(values.pop(name, "") for name in ("tls_cert", "tls_key", "tls_client_ca")))
    if values["otlp_endpoint"]:
        _require_tracing(values["otlp_endpoint"])
    if "state_dir" in values:
        values["state_dir"] = Path(values["state_dir"])
    settings = Settings(**values)
    if command == "worker":
        _require_safe(settings)
    return settings


def settings_of(command: str) -> list[Setting]:
    """List the settings that a command takes."""
    chosen = [setting for setting in SETTINGS if command in setting.commands]
    if command == "serve":
        return [setting._replace(default=True) if setting.name in _FLAGS_ON_UNDER_SERVE else setting for setting in chosen]
    return chosen


def settings_table(command: str) -> str:
    """Write a command's settings as a Markdown table, for the README."""
    rows = [f"| `--{setting.name}` | `{setting.variable}` | {_shown(setting)} | {setting.text} |" for setting in settings_of(command)]
    return "\n".join(["| option | variable | default | meaning |", "| --- | --- | --- | --- |", *rows])


def _shown(setting: Setting) -> str:
    if setting.name == "workers":
        return "one a core"
    if isinstance(setting.default, bool):
        return "on" if setting.default else "off"
    return str(setting.default) or "none"


def _value(setting: Setting, option: Any, variable: str | None) -> Any:
    if option is None and variable is None:
        return setting.default
    given, source = (option, f"--{setting.name}") if option is not None else (variable, setting.variable)
    match setting.default:
        case bool():
            return given if isinstance(given, bool) else _flag(str(given), source)
        case int():
            return _number(str(given), source)
        case float():
            return _share(str(given), source)
        case _:
            return given


def _flag(text: str, source: str) -> bool:
    if text.lower() not in {"0", "1", "true", "false", "on", "off", "yes", "no"}:
        raise ConfigError(f"{source} must be 1 or 0, not {text!r}")
    return text.lower() in {"1", "true", "on", "yes"}


def _number(text: str, source: str) -> int:
    if not text.isdigit() or not 0 <= int(text) <= 65_535:
        raise ConfigError(f"{source} must be a number of 0 to 65535, not {text!r}")
    return int(text)


def _share(text: str, source: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ConfigError(f"{source} must be a number of 0 to 1, not {text!r}")
    return share


def _require_tracing(endpoint: str) -> None:
    if not _ENDPOINT.fullmatch(endpoint):  # what it is may be a secret
        raise ConfigError("--otlp-endpoint (UMPIRE_OTLP_ENDPOINT) must be http://HOST:PORT or https://HOST:PORT")
    try:
        missing = any(find_spec(name) is None for name in _TRACING)
    except ModuleNotFoundError:
        missing = True
    if missing:
        raise ConfigError("--otlp-endpoint (UMPIRE_OTLP_ENDPOINT) needs what is not installed here: pip install 'umpire[tracing]'; or leave it empty")


def _signing_keys(text: str) -> tuple[SigningKey, ...]:
    keys: list[SigningKey] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        key_id, _, digits = part.partition(":")
        try:
            secret = bytes.fromhex(digits)
        except ValueError:
            secret = b""
        if not key_id or len(secret) < _SHORTEST_SECRET:
            # The key itself must not be shown.
            raise ConfigError(f"UMPIRE_SIGNING_KEYS: entry {len(keys) + 1} must be id:hex with at least {_SHORTEST_SECRET} bytes")
        keys.append(SigningKey(key_id, secret))
    return tuple(keys)


def _api_keys(text: str) -> dict[str, str]:
    keys: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, key = part.partition(":")
        if not name or not key or name in keys:
            raise ConfigError(f"UMPIRE_API_KEYS: entry {len(keys) + 1} must be name:key, each name once")
        keys[name] = key
    return keys


def _tls(cert: str, key: str, client_ca: str) -> Tls | None:
    if bool(cert) != bool(key) or (client_ca and not cert):
        raise ConfigError("--tls-cert and --tls-key (UMPIRE_TLS_CERT, UMPIRE_TLS_KEY) go together, and --tls-client-ca (UMPIRE_TLS_CLIENT_CA) with both")
    if not cert:
        return None
    trial = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        trial.load_cert_chain(cert, key, password="")  # without one it would ask at the terminal for that of an encrypted key
    except OSError as error:
        raise ConfigError(f"--tls-cert (UMPIRE_TLS_CERT) with --tls-key (UMPIRE_TLS_KEY) cannot be used: {error}") from None
    try:
        if client_ca:
            trial.load_verify_locations(client_ca)
    except OSError as error:
        raise ConfigError(f"--tls-client-ca (UMPIRE_TLS_CLIENT_CA) cannot be used: {error}") from None
    return Tls(Path(cert), Path(key), Path(client_ca) if client_ca else None)


def _require_safe(settings: Settings) -> None:
    missing = [
        setting
        for setting, given in (
            ("--redis-url (UMPIRE_REDIS_URL)", settings.redis_url),
            ("--signing-keys (UMPIRE_SIGNING_KEYS)", settings.signing_keys or settings.insecure),
            ("--api-keys (UMPIRE_API_KEYS)", settings.api_keys or settings.insecure),
        )
        if not given
    ]
    if missing:
        hint = "" if missing == ["--redis-url (UMPIRE_REDIS_URL)"] else "; to run without keys, say --insecure"
        raise ConfigError(f"a worker needs {', '.join(missing)}{hint}")


def environment() -> Mapping[str, str]:
    """Return the process's environment."""
    return os.environ


def worker_environment(settings: Settings, signing_keys: Sequence[SigningKey]) -> dict[str, str]:
    """Make the environment of a worker that a supervisor starts: keys go this way, since a command line can be read by others."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("UMPIRE_")},
        "UMPIRE_REDIS_URL": settings.redis_url,
        "UMPIRE_HOST": settings.host,
        "UMPIRE_HTTP_PORT": str(settings.http_port),
        "UMPIRE_GRPC_PORT": str(settings.grpc_port),
        "UMPIRE_OPS_PORT": str(settings.ops_port),
        "UMPIRE_SIGNING_KEYS": ",".join(f"{key.key_id}:{key.secret.hex()}" for key in signing_keys),
        "UMPIRE_API_KEYS": ",".join(f"{name}:{key}" for name, key in settings.api_keys.items()),
        "UMPIRE_INSECURE": str(int(settings.insecure)),
        "UMPIRE_ALLOW_SEEDS": str(int(settings.allow_seeds)),
        "UMPIRE_CORS_ORIGINS": ",".join(settings.cors_origins),
        "UMPIRE_DURABILITY": settings.durability,
        "UMPIRE_KEY_PREFIX": settings.key_prefix,
        "UMPIRE_HEARTBEAT": str(settings.heartbeat),
        "UMPIRE_OTLP_ENDPOINT": settings.otlp_endpoint,
        "UMPIRE_OTLP_RATIO": str(settings.otlp_ratio),
        "UMPIRE_LOG_LEVEL": settings.log_level,
    }
