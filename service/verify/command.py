"""The command ``umpire verify``."""

import argparse
import sys
from pathlib import Path
from typing import Any

_ABOUT = "replay the proof of a match, offline, and say where it differs"
_MORE = (
    "FILE is what GET /v1/matches/{match_id}/proof answers, - standard input. Status: 0 if everything is as it should be, 1 if something differs, "
    "2 if the file cannot be judged."
)


def add_verify(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("verify", help=_ABOUT, description=f"{_ABOUT.capitalize()}. {_MORE}")
    parser.add_argument("file", metavar="FILE", help="the proof, as JSON")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of lines")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from engines.registry import games  # noqa: PLC0415 - a worker verifies nothing
    from service.admin.plain import printable  # noqa: PLC0415
    from service.contract import load_contract  # noqa: PLC0415
    from service.matches.library import Library  # noqa: PLC0415
    from service.verify.comparing import Difference  # noqa: PLC0415
    from service.verify.proof_file import Trees, Unusable, read_proof  # noqa: PLC0415
    from service.verify.report import document, lines, unusable_document  # noqa: PLC0415
    from service.verify.verification import Verified, verify  # noqa: PLC0415

    found: Verified | Difference
    try:
        data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
        trees = Trees(load_contract(games()))
        found = verify(read_proof(data, trees), Library(games()), trees)
    except Difference as difference:
        found = difference
    except (Unusable, OSError) as error:
        sys.stderr.write(f"umpire: {printable(str(error))}\n")
        if options.json:
            sys.stdout.write(unusable_document(str(error)) + "\n")
        return 2
    sys.stdout.write((document(found) if options.json else "\n".join(lines(found))) + "\n")
    return 1 if isinstance(found, Difference) else 0
