"""Asking several who may know the same. Serves ``_cluster`` and ``_sentinel``."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


async def first_answer(asked: Sequence[Callable[[], Awaitable[T]]], failures: tuple[type[Exception], ...], *, head_start: float) -> T:
    """Return the first answer. Each is asked when all before have failed, or have had ``head_start`` seconds since the last of them was asked.

    Raises:
        failures: all have failed; this is the last that did.
    """
    waiting: set[asyncio.Future[T]] = set()
    left = list(asked)
    failure: Exception | None = None
    try:
        while left or waiting:
            if left:
                waiting.add(asyncio.ensure_future(left.pop(0)()))
            done, waiting = await asyncio.wait(waiting, timeout=head_start if left else None, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                try:
                    return one.result()
                except failures as error:
                    failure = error
    finally:
        for one in waiting:
            one.cancel()
        if waiting:
            await asyncio.wait(waiting)
    raise failure if failure is not None else ValueError("nobody was asked")
