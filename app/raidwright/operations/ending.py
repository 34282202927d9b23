"""Clean-up that always completes, even if it is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def to_the_end(act: Coroutine[Any, Any, None]) -> None:
    """Complete ``act``; a cancellation meanwhile is raised afterwards."""
    doing = asyncio.ensure_future(act)
    cancelled: asyncio.CancelledError | None = None
    while not doing.done():
        try:
            await asyncio.wait([doing])
        except asyncio.CancelledError as error:
            cancelled = error
    doing.result()
    if cancelled is not None:
        raise cancelled
