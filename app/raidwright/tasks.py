"""Work on a thread's loop, with its results passed to the GUI by typed signals.

The loop side holds no QObject but the emitters; only frozen values cross. Qt delivers an emitter's signals in the
receiver's thread, so a slot never runs concurrently with the GUI.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from raidwright.core.errors import RaidwrightError

from .loop_thread import LoopThread

_VALUE = TypeVar("_VALUE")


class Task(QObject):
    """A running coroutine: ``update`` while it runs, then exactly one of ``done``, ``failed``, ``cancelled``.

    Keep a reference for as long as the signals matter.
    """

    update = Signal(object)
    done = Signal(object)
    failed = Signal(RaidwrightError)
    cancelled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._work: asyncio.Task[object] | None = None

    def begin(self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, object]) -> None:
        """Run ``work`` on ``loop``; called once, by the loop's owner."""
        self._loop = loop
        loop.call_soon_threadsafe(self._start, work)

    @Slot()
    def cancel(self) -> None:
        """Cancel the coroutine; ``cancelled`` follows after its cleanup, unless it ended first."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop)

    def _start(self, work: Coroutine[Any, Any, object]) -> None:
        assert self._loop is not None  # noqa: S101 -- narrows the type
        self._work = self._loop.create_task(work)
        self._work.add_done_callback(self._finish)

    def _stop(self) -> None:
        if self._work is not None:
            self._work.cancel()

    def _finish(self, work: asyncio.Task[object]) -> None:
        with contextlib.suppress(RuntimeError):  # the window is gone, and its task with it
            if work.cancelled():
                self.cancelled.emit()
                return
            error = work.exception()
            if error is None:
                self.done.emit(work.result())
            elif isinstance(error, RaidwrightError):
                self.failed.emit(error)
            else:
                logging.getLogger(__name__).error("a task broke", exc_info=error)
                self.failed.emit(
                    RaidwrightError("Something in Raidwright itself broke: {why}.", code="bug", why=str(error))
                )


class TaskThread:
    """A thread's loop, with its results passed to Qt."""

    def __init__(self, thread: LoopThread | None = None) -> None:
        self._thread = thread or LoopThread()

    def run(
        self,
        make: Callable[[Callable[[object], None]], Coroutine[Any, Any, _VALUE]],
        *,
        done: Callable[[Any], object] | None = None,
        failed: Callable[[RaidwrightError], object] | None = None,
        update: Callable[[Any], object] | None = None,
        parent: QObject | None = None,
    ) -> Task:
        """Run ``make(emit)`` on the loop; ``emit(value)`` arrives at ``update``, in the caller's thread.

        After ``stop`` nothing runs, and the task says nothing.

        ``done``, ``failed`` and ``update`` should be bound methods of QObjects, which Qt disconnects when they are
        deleted.
        """
        task = Task(parent)
        for signal, slot in ((task.done, done), (task.failed, failed), (task.update, update)):
            if slot is not None:
                signal.connect(slot, Qt.ConnectionType.QueuedConnection)

        def emit(value: object) -> None:
            with contextlib.suppress(RuntimeError):  # as in Task._finish
                task.update.emit(value)

        loop = self._thread.loop
        if not loop.is_closed():  # as it is while the last results arrive at a window that closes
            task.begin(loop, make(emit))
        return task

    def stop(self, first: Callable[[], Coroutine[Any, Any, None]] | None = None) -> None:
        """Stop the thread, as ``LoopThread.stop`` does."""
        self._thread.stop(first)
