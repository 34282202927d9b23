"""Looks that open an array: one at a time at each, shared by all who wait for it, and none while an act has it alone.

md stops no array that anybody has open, nor does device-mapper remove a volume. So whoever may look could keep an
administrator from stopping an array, by asking all the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any, TypeVar

_RESULT = TypeVar("_RESULT")
PAUSE_SECONDS = 2.0  # from the beginning of a look to that of the next one at the same array


class Looks:
    """The looks at arrays and volumes, by device number."""

    def __init__(self) -> None:
        self._alone: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: dict[tuple[int, bool], asyncio.Task[Any]] = {}
        self._began_s: dict[int, float] = {}

    async def shared(self, numbers: Collection[int], look: Callable[[], Awaitable[_RESULT]], *, wakes: bool) -> _RESULT:
        """Return what ``look`` at the first of ``numbers`` returns, which may open all of them.

        Whoever asks before it has begun gets its answer, too; so an answer is never older than its question. The next
        one begins ``PAUSE_SECONDS`` later. It goes on if a caller leaves. Those that may wake disks are apart.
        """
        key = (next(iter(numbers)), wakes)
        if key not in self._waiting:
            task = asyncio.create_task(self._begin(key, frozenset(numbers), look))
            task.add_done_callback(lambda done: None if done.cancelled() else done.exception())  # all may have left
            self._waiting[key] = task
        result: _RESULT = await asyncio.shield(self._waiting[key])
        return result

    async def _begin(
        self, key: tuple[int, bool], numbers: frozenset[int], look: Callable[[], Awaitable[_RESULT]]
    ) -> _RESULT:
        number = key[0]
        try:
            while (pause_s := self._began_s.get(number, -PAUSE_SECONDS) + PAUSE_SECONDS - time.monotonic()) > 0:
                await asyncio.sleep(pause_s)
            locked = contextlib.AsyncExitStack()
            await locked.enter_async_context(self.kept_out(numbers))
        finally:
            del self._waiting[key]
        async with locked:
            self._began_s[number] = time.monotonic()
            return await look()

    @contextlib.asynccontextmanager
    async def kept_out(self, numbers: Collection[int]) -> AsyncIterator[None]:
        """Let no look open these arrays and volumes within the block; the one under way is waited for."""
        async with contextlib.AsyncExitStack() as locked:
            for number in sorted(numbers):
                await locked.enter_async_context(self._alone[number])
            yield
