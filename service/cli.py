"""The command line: ``umpire serve`` and ``umpire worker``."""

import argparse
import sys
from collections.abc import Sequence

from service.admin.command import add_admin
from service.config import ConfigError, add_settings, environment, read_settings
from service.doctor.command import add_doctor

_ABOUT = {
    "serve": "serve on this machine: a private Redis and a worker a core",
    "worker": "run one worker, the unit that production scales",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 2 for settings that cannot be used."""
    parser = argparse.ArgumentParser(prog="umpire", description="Rules as a service for tabletop games.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command, about in _ABOUT.items():
        add_settings(commands.add_parser(command, help=about, description=about), command)
    add_doctor(commands)
    add_admin(commands)
    options = parser.parse_args(arguments)
    try:
        if "run" in options:
            return int(options.run(options))
        settings = read_settings(options.command, vars(options), environment())
        if options.command == "serve":
            from service.supervisor import Supervisor  # noqa: PLC0415 - a worker needs no supervisor

            return Supervisor(settings).run()
        from service.worker import run_worker  # noqa: PLC0415 - a supervisor needs no engines

        run_worker(settings)
    except ConfigError as error:
        print(f"umpire: {error}", file=sys.stderr)
        return 2
    except (OSError, RuntimeError) as error:
        print(f"umpire: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
