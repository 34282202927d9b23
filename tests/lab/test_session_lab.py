"""The window's session on a practice machine: its jobs there after the window is closed."""

from __future__ import annotations

import asyncio
import os

import pytest
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.core.protocol.facts import BuildRecord, BuildState
from raidwright.lab.machine import Lab
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray, ListBuilds, Undo
from raidwright.session import Session
from raidwright.tasks import TaskThread

from tests.kit.asking import ask

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first QApplication
pytestmark = pytest.mark.lab
_PATIENCE_SECONDS = 300.0
# At the start of the array's data: another test's partition table would show through, and be in use.
_BLANK = "for disk in /dev/sd[a-d]; do dd if=/dev/zero of=$disk bs=1M seek=128 count=16 status=none; done; sync"


async def _ended(lab: Lab, name: str) -> BuildRecord:
    """Return the build of this name, once it is recorded and no job is running."""
    async with Machine.connect(lab.bus_address("admin")) as machine, asyncio.timeout(_PATIENCE_SECONDS):
        while True:
            for build in await ask(machine.helper, ListBuilds()):
                if build.name == name and build.state is not BuildState.RUNNING:
                    return build
            await asyncio.sleep(0.2)


async def _undo(lab: Lab, build_id: str) -> None:
    async with Machine.connect(lab.bus_address("admin")) as machine:
        await ask(machine.helper, Undo(build_id))


def test_a_build_goes_on_when_the_window_closes(lab: Lab, qtbot: QtBot) -> None:
    lab.exec(["sh", "-c", _BLANK])
    session, told = Session(TaskThread()), list[JobProgress]()
    session.connect_to(f"lab:{lab.name}")
    qtbot.waitUntil(lambda: len(session.snapshot.disks) == 4, timeout=120_000)
    members = tuple(disk.as_member() for disk in session.snapshot.disks)
    plan = Plan(MdArray(Level.RAID6, members, name="left", chunk_kib=64, bitmap=Bitmap.INTERNAL))
    create = CreateArray(plan, "left")
    session.perform(create, update=told.append, done=lambda _done: None, failed=lambda _error: None)
    qtbot.waitUntil(lambda: bool(told), timeout=120_000)  # the password is given, and the first step begun
    session.close()
    build = asyncio.run(_ended(lab, "left"))
    try:
        assert build.state is BuildState.DONE
        assert b"raid6" in lab.exec(["cat", "/proc/mdstat"]).stdout
    finally:
        if build.has_way_back:
            asyncio.run(_undo(lab, build.id))
