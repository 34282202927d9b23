"""Looking never wakes a disk: the practice machine's disks count their spin-ups while the window's looks go on."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.verb import Verb
from raidwright.lab.disks.server import DiskPower
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.operations.alerts import ExamineAlerts
from raidwright.operations.arrays import ListChecks
from raidwright.operations.disks import ExamineHealth, ExamineSignatures

from tests.kit.settled import SETTLED

pytestmark = pytest.mark.lab

_LOOKS = 20  # a window looks when something changes, so that is made to happen; a quiet hour has fewer
_PATIENCE_S = 120.0
BUILD = f"""set -e; {SETTLED}
mdadm --quiet --create --run /dev/md/tank --level=1 --raid-devices=2 --assume-clean --bitmap=none /dev/sda /dev/sdb
mdadm --quiet --create --run /dev/md/old --level=1 --raid-devices=2 --assume-clean --bitmap=none /dev/sdc /dev/sdd
mdadm --quiet --stop /dev/md/old; sync; udevadm settle
until grep -qE 'clean|auto' /sys/block/md*/md/array_state; do :; done"""  # else md writes a last time, 0.2 s later
_CHANGE = "dmsetup create passing --table '0 2048 zero' && udevadm settle && dmsetup remove passing && udevadm settle"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("4x128MB:hdd7200"))) as machine:
        machine.exec(["sh", "-c", BUILD])
        yield machine


def power_of(lab: Lab) -> Mapping[str, DiskPower]:
    """Return whether each disk sleeps, and how often it was spun up, by serial number."""
    return {serial: lab.power(serial) for serial in lab.disks()}


def fall_asleep(lab: Lab) -> None:
    """Put all disks to sleep, until nothing that still had to be written has woken one."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        for serial in lab.disks():
            lab.put_to_sleep(serial)
        lab.exec(["sh", "-c", "sync; udevadm settle"])
        if all(power.is_asleep for power in power_of(lab).values()):
            return
    raise AssertionError(power_of(lab))


async def _look(machine: Machine, ids: list[str]) -> None:
    """Ask for all that an open window asks for by itself; what would wake a disk has to be refused."""
    await machine.facts_seen()
    await ListChecks().perform(machine)
    await ExamineAlerts().perform(machine)
    for one in ids:
        for request in (ExamineHealth((one,)), ExamineSignatures((one,))):
            with pytest.raises(DiskRefused) as refused:
                await request.perform(machine)
            assert refused.value.code == Code.ASLEEP


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts of the requests to the helper, by the verbs' names."""
    counted, do = Counter[str](), Helper.do

    async def asked(helper: Helper, verb: Verb[Any], *arguments: object, **more: Any) -> Any:
        counted[verb.name] += 1
        return await do(helper, verb, *arguments, **more)

    monkeypatch.setattr(Helper, "do", asked)
    return counted


def test_an_open_window_wakes_no_disk(lab: Lab, looks: Counter[str]) -> None:
    async def test() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            await machine.facts_seen()
            ids = {disk.serial: disk.id for disk in machine.snapshot.disks}
            assert {array.state for array in machine.snapshot.arrays} == {"running", "stopped"}
            await asyncio.to_thread(fall_asleep, lab)
            before = power_of(lab)
            looks.clear()
            while looks["ExamineDisks"] < _LOOKS:
                await asyncio.to_thread(lab.exec, ["sh", "-c", _CHANGE])
                await _look(machine, list(ids.values()))
            assert looks["ExamineSuperblocks"] >= _LOOKS  # those of the stopped array's members
            assert power_of(lab) == before
            first = lab.disks()[0]
            await ExamineSignatures((ids[first],), wake=True).perform(machine)  # asked for: it wakes, and is counted
            assert lab.power(first) == DiskPower(before[first].spin_ups + 1, is_asleep=False)

    asyncio.run(asyncio.wait_for(test(), 400))


def test_a_new_window_wakes_none_either(lab: Lab) -> None:
    fall_asleep(lab)
    before = power_of(lab)

    async def test() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            await machine.facts_seen()
            assert len(machine.snapshot.disks) == 4
            assert {array.name for array in machine.snapshot.arrays} == {"tank", "old"}

    asyncio.run(asyncio.wait_for(test(), 200))
    assert power_of(lab) == before
