"""``python -m umpire_terminal`` is ``umpire play``."""

import sys

from umpire_terminal.command import main

sys.exit(main())
