"""A disk that is shown: that one alone is read, in bursts that one can watch; and a light where ledctl knows none."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from raidwright.core.errors import Denied, DiskRefused
from raidwright.core.model.plan import Member
from raidwright.core.protocol.results import LocateWay, NoLight
from raidwright.lab.machine import Lab, LabSpec, Role, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.operations.locate import LocateDisk

pytestmark = pytest.mark.lab
# As ledctl ends for a disk that no enclosure or controller of the machine has a light for.
_LEDCTL = """cat >/usr/sbin/ledctl <<'END'
#!/bin/sh
echo "$*" >>/dev/shm/ledctl-words
echo "ledctl: device not supported" >&2; exit 33
END
chmod 755 /usr/sbin/ledctl"""


@pytest.fixture(scope="module")
def machine() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("3x256MB", at_memory_speed=True))) as machine:
        yield machine


def run(lab: Lab, test: Callable[[Machine], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address(role)) as machine:
            await test(machine)

    asyncio.run(asyncio.wait_for(connected(), 300))


def _reads(lab: Lab) -> list[int]:
    """Return the reads that each disk has completed."""
    text = lab.exec(["sh", "-c", "awk '{print $1}' /sys/block/sd[abc]/stat"]).stdout.decode()
    return [int(line) for line in text.split()]


def _changes(seen: list[int]) -> int:
    steps = [later > earlier for earlier, later in itertools.pairwise(seen)]
    return sum(one != other for one, other in itertools.pairwise(steps))


def _disk(machine: Machine, place: int) -> Member:
    disks = sorted(machine.snapshot.disks, key=lambda disk: disk.device)
    return disks[place].as_member()


def test_that_disk_alone_is_read_in_bursts_until_it_is_cancelled(machine: Lab) -> None:
    async def refused(near: Machine) -> None:
        with pytest.raises(Denied):
            await LocateDisk(Member("wwn-0x5001", 2**28)).perform(near)

    run(machine, refused, "user")

    async def test(near: Machine) -> None:
        with pytest.raises(DiskRefused, match="ledctl isn't installed"):
            await LocateDisk(_disk(near, 1), way=LocateWay.LIGHT).perform(near)
        done = await LocateDisk(_disk(near, 1), seconds=2).perform(near)
        assert (done.way, done.no_light) == (LocateWay.READS, NoLight.NO_PROGRAM)
        before = await asyncio.to_thread(_reads, machine)
        running = asyncio.create_task(LocateDisk(_disk(near, 1), seconds=60).perform(near))
        seen: list[int] = []
        while _changes(seen) < 4:  # it read, rested, read, rested, read
            assert not running.done(), seen
            seen.append((await asyncio.to_thread(_reads, machine))[1])
            await asyncio.sleep(0.1)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        after = await asyncio.to_thread(_reads, machine)
        assert after[1] > before[1]
        assert (after[0], after[2]) == (before[0], before[2])
        await asyncio.sleep(3)
        assert await asyncio.to_thread(_reads, machine) == after

    run(machine, test)


def test_a_bay_without_a_light_is_told(machine: Lab) -> None:
    machine.exec(["sh", "-c", _LEDCTL])

    async def test(near: Machine) -> None:
        with pytest.raises(DiskRefused, match="knows no light of its bay"):
            await LocateDisk(_disk(near, 0), way=LocateWay.LIGHT).perform(near)
        done = await LocateDisk(_disk(near, 0), seconds=1).perform(near)
        assert (done.way, done.no_light) == (LocateWay.READS, NoLight.NO_BAY)

    run(machine, test)
    words = machine.exec(["sh", "-c", "cat /dev/shm/ledctl-words"]).stdout.decode()
    assert "--listed-only --log=/dev/null locate=/dev/sda\n" in words
    left = machine.exec(["systemctl", "list-timers", "--all", "--no-legend", "raidwright-*"]).stdout
    assert not left.strip()
