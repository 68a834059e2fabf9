"""The command: ``python -m deploy.envoy OPTIONS``, or ``--again FILE…`` to make rendered files again as their first lines say."""

import sys
from pathlib import Path

from deploy.envoy.options import OptionsError
from deploy.envoy.render import made_by, render

try:
    if sys.argv[1:2] == ["--again"]:
        for path in map(Path, sys.argv[2:]):
            path.write_text(render(made_by(path.read_text(encoding="utf-8"))), encoding="utf-8")
    else:
        sys.stdout.write(render(sys.argv[1:]))
except OptionsError as error:
    sys.exit(str(error))
