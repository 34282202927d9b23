"""Work that always completes, even if whoever awaits it is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_RESULT = TypeVar("_RESULT")


async def to_the_end(work: Coroutine[Any, Any, _RESULT]) -> _RESULT:
    """Await ``work`` in a task that cancelling doesn't interrupt; its error, or else CancelledError, is raised after.

    For restoring: a second cancellation must not release disks while the first is still cleaning up.
    """
    task, cancelled = asyncio.create_task(work), None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    result = task.result()
    if cancelled is not None:
        raise cancelled
    return result
