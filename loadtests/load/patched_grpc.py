"""gRPC under gevent. To be imported once gevent has patched the standard library, and before a channel is made."""

from gevent import get_hub
from grpc.experimental.gevent import init_gevent

_THREADS = 4_000
"""gRPC waits for each call and each stream in a thread of gevent's pool. That has ten: further calls would queue for one, and look slow."""

init_gevent()
get_hub().threadpool.maxsize = _THREADS
