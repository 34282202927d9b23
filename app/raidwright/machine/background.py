"""Coroutines that run beside a block of code."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Coroutine

_LOG = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def in_background(*coroutines: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run ``coroutines`` beside the block, and cancel them at its end."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for error in results:
            if isinstance(error, Exception):
                _LOG.error("following the machine broke", exc_info=error)
