"""The command ``umpire doctor``."""

import argparse
import sys
from typing import Any

from service.config import add_settings, environment

_ABOUT = "say what is wrong with this set-up, and what to do about it"
_MORE = (
    "Takes all settings of serve and worker. Status: 0 without errors, 1 with errors, 2 with settings that cannot be used. In Redis nothing is changed but a "
    "match written for trial, which is deleted at once."
)


def add_doctor(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command to the command line."""
    # Both commands' settings: most of them are the same, and stand there once.
    parser = commands.add_parser("doctor", help=_ABOUT, description=f"{_ABOUT.capitalize()}. {_MORE}", conflict_handler="resolve")
    for command in ("serve", "worker"):
        add_settings(parser, command)
    parser.add_argument("--as", dest="examined", choices=("serve", "worker"), default="worker", help="which command shall run here [default: worker]")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of lines")
    parser.set_defaults(run=_run, parser=parser)


def _run(options: argparse.Namespace) -> int:
    from service.doctor.examination import UNUSABLE, examine  # noqa: PLC0415 - a worker needs no doctor
    from service.doctor.finding import Level  # noqa: PLC0415
    from service.doctor.report import document, line, summary, worst  # noqa: PLC0415

    findings = []
    for finding in examine(options.examined, vars(options), environment()):
        findings.append(finding)
        if not options.json:
            sys.stdout.write(line(finding) + "\n")
            sys.stdout.flush()  # what follows may wait for Redis
    sys.stdout.write((document(options.examined, findings) if options.json else summary(findings)) + "\n")
    if any(finding.check == UNUSABLE and finding.level is Level.ERROR for finding in findings):
        return 2
    return 1 if worst(findings) is Level.ERROR else 0
