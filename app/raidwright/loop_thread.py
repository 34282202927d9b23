"""An asyncio loop in a named thread, beside the main thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from .lazy import Lazy

_VALUE = TypeVar("_VALUE")
_JOIN_SECONDS = 5.0


class LoopThread:
    """The thread ``raidwright-io`` and its ``loop``, started with the first work; ``stop`` cancels running tasks."""

    @Lazy
    def loop(self) -> asyncio.AbstractEventLoop:
        """The thread's event loop, started on first use."""
        loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_turn, args=(loop,), name="raidwright-io", daemon=True)
        self._thread.start()
        return loop

    def begin(self, work: Coroutine[Any, Any, _VALUE]) -> Future[_VALUE]:
        """Run ``work`` on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def stop(self, first: Callable[[], Coroutine[Any, Any, None]] | None = None) -> None:
        """Run ``first``, cancel every task, wait at most five seconds in all for their cleanup, and join the thread."""
        loop = LoopThread.loop.made(self)
        if loop is not None and self._thread.is_alive():
            self.begin(_drain(loop, first))
            self._thread.join(_JOIN_SECONDS)


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _drain(loop: asyncio.AbstractEventLoop, first: Callable[[], Coroutine[Any, Any, None]] | None) -> None:
    if first is not None:
        await first()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    loop.stop()
