"""``python -m loadtests.load``. gevent has to patch the standard library, and then gRPC, before anything else is imported."""

import sys

from gevent import monkey

monkey.patch_all()

from grpc.experimental.gevent import init_gevent  # noqa: E402

init_gevent()

from loadtests.load.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
