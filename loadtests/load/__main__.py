"""``python -m loadtests.load``. gevent has to patch the standard library, and then gRPC, before anything else is imported."""

import sys

from gevent import monkey

monkey.patch_all()

import loadtests.load.patched_grpc  # noqa: E402, F401
from loadtests.load.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
