"""The command ``umpire admin``."""

import argparse
import os
import sys
from functools import partial
from typing import Any

from service.admin.verbs import MATCH_VERBS
from service.config import Setting, environment, settings_of

_ABOUT = "look after matches with an operator's access to Redis; no credential is needed"
_TAKEN = ("redis-url", "key-prefix", "state-dir")


def add_admin(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command to the command line."""
    things = commands.add_parser("admin", help=_ABOUT, description=f"{_ABOUT.capitalize()}.").add_subparsers(dest="thing", required=True)
    verbs = things.add_parser("match", help="one match").add_subparsers(dest="verb", required=True)
    for name, verb in MATCH_VERBS.items():
        parser = verbs.add_parser(name, help=verb.about, description=f"{verb.about.capitalize()}.")
        parser.add_argument("match", metavar="MATCH", help="the match's id")
        verb.add_options(parser)
        parser.add_argument("--json", action="store_true", help="JSON instead of columns")
        for setting in _settings():
            parser.add_argument(f"--{setting.name}", default=None, help=f"{setting.text} [{setting.variable}, default: {setting.default or 'none'}]")
        parser.set_defaults(run=partial(_run, name), parser=parser)


def _settings() -> list[Setting]:
    """List the settings that say where the store is, as ``umpire serve`` has them."""
    return [setting for setting in settings_of("serve") if setting.name in _TAKEN]


def _run(verb: str, options: argparse.Namespace) -> int:
    from service.admin.running import run_verb  # noqa: PLC0415 - a worker needs no operator

    values = {}
    for setting in _settings():
        given = getattr(options, setting.attribute)
        values[setting.name] = str(environment().get(setting.variable, setting.default) if given is None else given)
    try:
        status = run_verb(verb, options, values)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has seen enough; nothing may be written at the end either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status
