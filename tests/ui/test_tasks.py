"""The thread beside the window: the order of its shutdown."""

from __future__ import annotations

import asyncio
import importlib
import threading
from collections.abc import Callable

from pytestqt.qtbot import QtBot
from raidwright.core.errors import InputError
from raidwright.session import Session
from raidwright.tasks import TaskThread
from raidwright.ui.application import NEEDED_NEXT


def test_the_way_to_the_machine_is_hung_up_before_any_job_is_cancelled(qtbot: QtBot) -> None:
    thread, told, runs = TaskThread(), list[str](), threading.Event()

    async def job(_emit: Callable[[object], None]) -> None:
        runs.set()
        try:
            await asyncio.sleep(3600)
        finally:
            told.append("job cancelled")

    async def hang_up() -> None:
        await asyncio.sleep(0)
        told.append("hung up")

    task = thread.run(job)
    assert runs.wait(60)
    thread.stop(hang_up)
    assert told == ["hung up", "job cancelled"]
    task.deleteLater()


def test_a_task_is_cancelled_once_it_has_cleaned_up(qtbot: QtBot) -> None:
    thread, told, runs = TaskThread(), list[str](), threading.Event()
    may_end = threading.Event()

    async def job(_emit: Callable[[object], None]) -> None:
        runs.set()
        try:
            await asyncio.sleep(3600)
        finally:
            while not may_end.is_set():
                await asyncio.sleep(0)
            told.append("cleaned up")

    task = thread.run(job)
    assert runs.wait(60)
    with qtbot.waitSignal(task.cancelled, timeout=60_000) as ended:
        task.cancel()
        assert not ended.signal_triggered
        may_end.set()
    assert told == ["cleaned up"]
    thread.stop()


def test_a_session_hangs_up_when_it_closes(qtbot: QtBot) -> None:
    class Stopped(TaskThread):
        first: object = None

        def stop(self, first: object = None) -> None:
            self.first = first
            super().stop()

    thread = Stopped()
    session = Session(thread)
    session.connect_to("unix:path=/nowhere/at/all")
    session.close()
    assert thread.first == session._watch.leave
    session.warm_up(())  # too late, and harmless


def test_what_is_imported_ahead_is_there() -> None:
    for module in NEEDED_NEXT:
        importlib.import_module(module)


def test_what_is_worked_out_comes_back_to_the_windows_thread(qtbot: QtBot) -> None:
    session, told = Session(TaskThread()), list[object]()

    def work() -> threading.Thread:
        return threading.current_thread()

    def fail() -> None:
        raise InputError("It can't be read.", code="run-read")

    def keep(value: object) -> None:
        told.extend([value, threading.current_thread()])

    session.work_out(work, done=keep, failed=keep)
    qtbot.waitUntil(lambda: len(told) == 2, timeout=60_000)
    assert told[0] is not told[1] is threading.main_thread()
    session.work_out(fail, done=keep, failed=keep)
    qtbot.waitUntil(lambda: len(told) == 4, timeout=60_000)
    assert isinstance(told[2], InputError)
    session.close()


def test_who_asks_for_more_as_the_window_closes_hears_nothing(qtbot: QtBot) -> None:
    """A result that was on its way arrives after the loop's end, and may be answered by another task."""
    thread, runs = TaskThread(), threading.Event()

    async def job(_emit: Callable[[object], None]) -> None:
        runs.set()

    thread.run(job)
    assert runs.wait(60)
    thread.stop()
    runs.clear()
    thread.run(job).cancel()
    assert not runs.is_set()
