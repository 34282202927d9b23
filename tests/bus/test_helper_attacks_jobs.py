"""Attacks on jobs: repeated cancelling, and two clients on one disk."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused
from raidwright.core.protocol.errors import Busy
from raidwright.core.protocol.names import INTERFACE
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.workload import Workload
from raidwright_helper.acts import create, measure
from raidwright_helper.acts.measure import PreparedWorkload
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import run
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job, Jobs
from raidwright_helper.jobs.journal import Record
from raidwright_helper.records.scratch import Scratch, ScratchArrays
from raidwright_helper.service import service

from .helper_house import PATIENCE_S, House

DISK = 2048


def test_cancelling_twice_does_not_let_go_of_disks_that_are_being_tidied() -> None:
    """Else cleaning up the first build would dismantle a later build on the same disks."""
    tidied: list[str] = []

    async def tidy() -> None:
        await asyncio.sleep(0.1)
        tidied.append("first half")
        await asyncio.sleep(0.1)
        tidied.append("second half")

    async def work(_job: Job) -> dict[str, object]:
        try:
            await asyncio.sleep(60)
        finally:
            await to_the_end(tidy())
        return {}

    async def test() -> None:
        claims, held = Claims(), contextlib.ExitStack()
        jobs = Jobs(lambda _message: None, lambda: None)
        held.enter_context(claims.hold({DISK}))
        path = jobs.start(":1.1", Record("CreateArray", 0), work, limit_s=60, until=held, ends_with_owner=True)
        await asyncio.sleep(0)
        for _ in range(3):
            jobs.cancel(path, ":1.1")
            await asyncio.sleep(0.02)
            with pytest.raises(Busy), claims.hold({DISK}):
                pass
        await jobs.owner_vanished(":1.1")
        assert tidied == ["first half", "second half"]
        with claims.hold({DISK}):
            pass

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


def test_a_build_that_is_cancelled_twice_is_undone_before_it_has_ended() -> None:
    done: list[str] = []
    undoing = asyncio.Event()

    async def undo() -> None:
        undoing.set()
        await asyncio.sleep(0.2)
        done.append("undone")

    async def build() -> None:
        async with create.all_or_nothing(undo):
            raise asyncio.CancelledError

    async def test() -> None:
        building = asyncio.create_task(build())
        await undoing.wait()
        building.cancel()
        with pytest.raises(asyncio.CancelledError):
            await building
        assert done == ["undone"]

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


def test_no_program_outlives_a_task_that_is_cancelled_twice(tmp_path: Path) -> None:
    mark = tmp_path / "pid"

    async def test() -> None:
        task = asyncio.create_task(run(("/bin/sh", "-c", f"trap '' TERM; echo $$ > {mark}; sleep 300"), limit_s=60))
        while not (mark.exists() and mark.read_text(encoding="utf-8").endswith("\n")):
            await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        pid = int(mark.read_text(encoding="utf-8"))
        assert not Path(f"/proc/{pid}").exists()
        with contextlib.suppress(ProcessLookupError):
            while True:  # its children were killed with it, and end a little later
                os.killpg(pid, 0)
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)  # and closes its pipes

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


def test_nothing_outlives_a_task_that_is_cancelled_while_its_program_starts(tmp_path: Path) -> None:
    mark = tmp_path / "pid"

    async def test() -> None:
        task = asyncio.create_task(run(("/bin/sh", "-c", f"sleep 300 & echo $! > {mark}; wait"), limit_s=60))
        while not (mark.exists() and mark.read_text(encoding="utf-8").endswith("\n")):
            await asyncio.sleep(0)
            time.sleep(0.2)  # so that it runs before asyncio knows of it
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0.05)
        with pytest.raises(asyncio.CancelledError):
            await task
        while _runs(mark.read_text(encoding="utf-8").strip()):
            await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_who_waits_to_the_end_gets_what_came_of_it() -> None:
    async def value() -> int:
        await asyncio.sleep(0.01)
        return 7

    async def failure() -> int:
        raise ZeroDivisionError

    async def test() -> None:
        assert await to_the_end(value()) == 7
        with pytest.raises(ZeroDivisionError):
            await to_the_end(failure())

    asyncio.run(test())


def test_of_two_clients_one_has_the_disk_and_the_other_its_turn(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def prepare(_host: Host, claims: Claims, _request: object, until: contextlib.ExitStack) -> PreparedWorkload:
        until.enter_context(claims.hold({DISK}))
        return PreparedWorkload(Workload.SEQUENTIAL_READ, Pinned(DISK, "/dev/sda", -1), 60, 2**20, "3.33")

    async def work(_host: Host, _run: PreparedWorkload, job: Job) -> Mapping[str, object]:
        job.progress(JobStep.MEASURE, 0.0)
        await asyncio.sleep(60)
        return {}

    monkeypatch.setattr(measure, "prepare", prepare)
    monkeypatch.setattr(measure, "measure", work)

    async def test() -> None:
        async with house.open() as first:
            second = await house.client()
            call: tuple[Any, ...] = ("RunWorkload", "ssa{sv}", "wwn-0x1", "sequential_read", {})
            replies = await asyncio.gather(first.call(*call), second.call(*call))
            [refused] = [reply for reply in replies if reply.error_name]
            assert refused.error_name == f"{INTERFACE}.Error.Busy"
            winner, loser = (second, first) if refused is replies[0] else (first, second)
            path = next(reply.body[0] for reply in replies if reply is not refused)
            assert (await loser.call("Cancel", "o", path)).error_name == f"{INTERFACE}.Error.NoSuchJob"
            winner.bus.disconnect()
            async with asyncio.timeout(PATIENCE_S):
                while (await loser.call(*call)).error_name:
                    await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(test(), 2 * PATIENCE_S))


@pytest.mark.parametrize("retried", ["soon", "when idle"])
def test_a_scratch_array_that_could_not_be_taken_away_is_tried_again(
    house: House, monkeypatch: pytest.MonkeyPatch, retried: str
) -> None:
    """Else another job on its disk, or a name that udev is changing, would leave it for good."""
    tries: list[str] = []

    async def remove(self: ScratchArrays, scratch: Scratch, *_: object, **_how: object) -> None:
        tries.append(scratch.uuid)
        if len(tries) == 1:
            raise DiskRefused("Just now it is another.", code="disk-changed")
        self._store.remove(f"{scratch.uuid.replace(':', '-')}.json")

    monkeypatch.setattr(ScratchArrays, "remove", remove)
    monkeypatch.setattr(service, "_REMOVAL_PAUSES_S", (0.0, 0.1) if retried == "soon" else (0.0,))
    house.settings = replace(house.settings, idle_s=60.0 if retried == "soon" else 0.3)

    async def test() -> None:
        async with house.open():
            leaver = await house.client()
            uuid = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
            note = house.settings.notes / f"{uuid.replace(':', '-')}.json"
            note.parent.mkdir(exist_ok=True)
            note.write_text(json.dumps({"uuid": uuid, "owner": leaver.name, "members": []}), encoding="utf-8")
            leaver.bus.disconnect()
            async with asyncio.timeout(PATIENCE_S):
                while note.exists():
                    await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(test(), 2 * PATIENCE_S))
    assert len(tries) == 2
