"""From options to a configuration: the template's ``$names`` are filled in, and its blocks kept or left out.

A block stands between lines ``#if WORD`` and ``#end``; values are written as JSON, which YAML reads as it is.
"""

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template
from typing import Any

from deploy.envoy.options import Options, read_options
from deploy.envoy.replies import mappers

TEMPLATE = Path(__file__).parent / "envoy.yaml.template"
_COMMAND = "python -m deploy.envoy "
_FIRST_LINE = f"# Made by: {_COMMAND}"


def render(arguments: Sequence[str]) -> str:
    """Render what a command line asks for; the first line names it, so that the file can be made again.

    Raises:
        OptionsError: the options do not fit together.
    """
    options = read_options(arguments)
    lines = "\n".join(_kept(TEMPLATE.read_text(encoding="utf-8").splitlines(), _words(options)))
    return f"{_FIRST_LINE}{shlex.join(arguments)}\n{Template(lines).substitute(_values(options))}\n"


def made_by(text: str) -> list[str]:
    """Return the arguments with which a rendered file was made."""
    return shlex.split(text.partition("\n")[0].removeprefix(_FIRST_LINE))


def _words(options: Options) -> set[str]:
    has_names = any(worker.is_name for worker in options.workers)
    words = {
        "names": has_names,
        "addresses": not has_names,
        "tls": options.is_tls,
        "mutual": options.is_mutual,
        "limits": bool(options.rate or options.client_rate),
        "rate": bool(options.rate),
        "client_rate": bool(options.client_rate),
    }
    return {word for word, holds in words.items() if holds}


def _kept(lines: Sequence[str], words: set[str]) -> Iterator[str]:
    blocks: list[bool] = []
    for line in lines:
        match line.split():
            case ["#if", word]:
                blocks.append(word in words)
            case ["#end"]:
                blocks.pop()
            case _ if all(blocks):
                yield line


def _values(options: Options) -> dict[str, str]:
    values: dict[str, Any] = {
        "listen": options.listen,
        "port": options.client_port,
        "admin_port": options.admin_port,
        "stats_port": options.stats_port,
        "tls_cert": options.tls_cert,
        "tls_key": options.tls_key,
        "worker_ca": options.worker_ca,
        "worker_cert": options.worker_cert,
        "worker_key": options.worker_key,
        "worker_name": options.worker_name,
        "trusted_hops": options.trusted_hops,
        "rate": options.rate,
        "rate_burst": 2 * options.rate,
        "client_rate": options.client_rate,
        "client_rate_burst": 2 * options.client_rate,
        "call_timeout": f"{options.call_timeout}s",
        "call_longest": f"{2 * options.call_timeout}s",
        "stream_idle": f"{options.stream_idle}s",
        "max_calls": options.max_calls,
        "max_connections": options.max_connections,
        "log": options.log,
        "grpc_endpoints": [_endpoint(worker.host, worker.grpc, worker.ops) for worker in options.workers],
        "http_endpoints": [_endpoint(worker.host, worker.http, worker.ops) for worker in options.workers],
    }
    return {name: json.dumps(value) for name, value in values.items()} | {"mappers": _listed(mappers(), " " * 12)}


def _endpoint(host: str, port: int, ops: int) -> dict[str, Any]:
    return {"endpoint": {"address": {"socket_address": {"address": host, "port_value": port}}, "health_check_config": {"port_value": ops}}}


def _listed(items: Sequence[Any], indent: str) -> str:
    return f"\n{indent}".join(f"- {json.dumps(item)}" for item in items)
