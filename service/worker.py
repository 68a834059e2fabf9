"""Running one worker until it is told to stop."""

import asyncio
import gc
import signal

import uvloop

from service.app import Worker
from service.config import Settings
from service.telemetry.logs import end_logs, set_up_logs


def run_worker(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT, then drain.

    Raises:
        OSError, RuntimeError: a port is taken.
    """
    set_up_logs(settings.log_level, worker=settings.index)
    uvloop.run(_serve(settings))
    end_logs()


async def _serve(settings: Settings) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    worker = Worker(settings)
    await worker.start()
    # What start-up has made stays: the collector need not look at it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 50, 50)
    await stopped.wait()
    await worker.stop()
