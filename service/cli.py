"""The command line: ``umpire serve``, ``worker``, ``play``, ``doctor`` and ``admin``."""

import argparse
import sys
from collections.abc import Sequence

from service.admin.command import add_admin
from service.config import ConfigError, add_settings, environment, read_settings
from service.doctor.command import add_doctor
from service.redis_address import read_address

_ABOUT = {
    "serve": "serve on this machine: a private Redis and a worker a core",
    "worker": "run one worker, the unit that production scales",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 2 for settings that cannot be used."""
    parser = argparse.ArgumentParser(prog="umpire", description="Rules as a service for tabletop games.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("play", help="play a game in the terminal, against house bots or other people")
    for command, about in _ABOUT.items():
        add_settings(commands.add_parser(command, help=about, description=about), command)
    add_doctor(commands)
    add_admin(commands)
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["play"]:
        return _play(given[1:])
    options = parser.parse_args(given)
    try:
        if "run" in options:
            return int(options.run(options))
        settings = read_settings(options.command, vars(options), environment())
        if settings.redis_url:
            read_address(settings.redis_url)
        if options.command == "serve":
            from service.supervisor import Supervisor  # noqa: PLC0415 - a worker needs no supervisor

            return Supervisor(settings).run()
        sys.modules["rich"] = None  # type: ignore[assignment]  # structlog would load it, 4 MB, to draw tracebacks; a worker's are plain
        from service.worker import run_worker  # noqa: PLC0415 - a supervisor needs no engines

        run_worker(settings)
    except ConfigError as error:
        print(f"umpire: {error}", file=sys.stderr)
        return 2
    except (OSError, RuntimeError) as error:
        print(f"umpire: {error}", file=sys.stderr)
        return 1
    return 0


def _play(arguments: Sequence[str]) -> int:
    """Hand over to the client in the terminal, a package of its own."""
    try:
        from umpire_terminal.command import main as play  # noqa: PLC0415 - a server needs no terminal
    except ModuleNotFoundError as error:
        print(f"umpire: `umpire play` needs the package umpire-terminal ({error})", file=sys.stderr)
        return 1
    return play(arguments)


if __name__ == "__main__":
    sys.exit(main())
