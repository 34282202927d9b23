"""A joined plan built by its script on real GPT, md and LVM: space and places to the sector, each disk pulled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
from raidwright.core.md.bands import banded
from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.md.joined import begins_of, slices_of
from raidwright.core.md.mdadm import device_path, inner_name
from raidwright.core.md.survival import survival_of
from raidwright.core.model.plan import Plan
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.export.script import build_script
from raidwright.export.surroundings import Surroundings
from raidwright.lab import machine, shelf
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine

pytestmark = [pytest.mark.lab]
POOL = "2x1GB+2GB+3GB"
_WRITE = "head -c 300M /dev/urandom >/srv/heap/file && sync && sha256sum </srv/heap/file"
_READ = "sync; echo 3 >/proc/sys/vm/drop_caches; sha256sum </srv/heap/file"


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    with machine.start(machine.LabSpec(shelf.disks_from_text(POOL)), name="joined-test") as lab:
        yield lab


def _shell(lab: Lab, script: str) -> str:
    return lab.exec(["sh", "-ec", script], timeout_seconds=240).stdout.decode()


def _plan(lab: Lab, tolerance: int) -> Plan:
    async def look() -> Plan:
        async with Machine.connect(lab.bus_address("admin")) as seen:
            async with asyncio.timeout(120):
                while len(seen.snapshot.disks) < len(lab.disks()):
                    await asyncio.sleep(0.05)
            return banded([disk.as_member() for disk in seen.snapshot.disks], tolerance, name="heap").plan

    return asyncio.run(look())


def _places(lab: Lab, plan: Plan) -> None:
    """Compare each slice's first sector and size with the kernel's partitions."""
    for slices in slices_of(plan).values():
        for begin, member in zip(begins_of(slices), slices, strict=True):
            node = f"/sys/class/block/$(basename $(readlink -f /dev/disk/by-id/{member.id}))"
            found = _shell(lab, f"cat {node}/start {node}/size").split()
            assert [int(one) * 512 for one in found] == [begin, member.size_bytes]


def _space(lab: Lab, plan: Plan, capacity: Capacity) -> None:
    """Compare arrays, data offsets, extents and the volume's segments with md, LVM and device mapper."""
    assert int(_shell(lab, f"blockdev --getsz {device_path(plan)}")) == capacity.array_sectors
    at, wanted = 0, []
    for slot, inner in enumerate(capacity.inner):
        path = f"/dev/md/{inner_name(plan.name, slot)}"
        assert int(_shell(lab, f"blockdev --getsz {path}")) == inner.array_sectors
        offsets = _shell(lab, f"cat /sys/block/$(basename $(readlink -f {path}))/md/dev-*/offset").split()
        assert {int(one) for one in offsets} == set(inner.data_offset_sectors)
        number = _shell(lab, f"cat /sys/block/$(basename $(readlink -f {path}))/dev").strip()
        start, size = capacity.data_offset_sectors[slot], capacity.member_sectors[slot]
        wanted.append(f"{at} {size} linear {number} {start}")
        at += size
    assert _shell(lab, f"dmsetup table {device_path(plan)}").splitlines() == wanted
    volumes = json.loads(_shell(lab, "pvs --reportformat json --units s --nosuffix --options pe_start,vg_extent_size"))
    found = [(row["pe_start"], row["vg_extent_size"]) for row in volumes["report"][0]["pv"]]
    assert sorted(found) == sorted((str(start), "8192") for start in capacity.data_offset_sectors)


def _wait(lab: Lab, plan: Plan) -> None:
    arrays = " ".join(f"/dev/md/{inner_name(plan.name, slot)}" for slot in range(len(plan.members)))
    _shell(lab, f"for array in {arrays}; do mdadm --wait $array || :; done")


def _pull_and_return(lab: Lab, plan: Plan, disk: str, checksum: str) -> None:
    """Pull a disk, read the data, and put the disk back into all arrays that it is in."""
    serial = next(member.serial for member in plan.disks() if member.disk == disk)
    lab.pull_disk(serial)
    assert _shell(lab, _READ) == checksum
    lab.plug_disk(serial)
    _shell(lab, "udevadm settle")
    for slot, band in enumerate(plan.members):
        assert isinstance(band, Plan)
        array = f"/dev/md/{inner_name(plan.name, slot)}"
        for member in band.disks():
            if member.disk == disk:
                path = f"/dev/disk/by-id/{member.id}"
                _shell(lab, f"mdadm --quiet {array} --fail detached --remove detached || :; "
                            f"mdadm --quiet {array} --remove failed || :; udevadm settle; "
                            f"mdadm --quiet {array} --re-add {path} || mdadm --quiet {array} --add {path} || "
                            f"mdadm --detail {array} | grep -q \"$(readlink -f {path})\"")  # fmt: skip
    _wait(lab, plan)
    degraded = _shell(lab, "cat /sys/block/md*/md/degraded").split()
    assert set(degraded) == {"0"}


def test_a_script_builds_what_was_planned_and_each_disk_may_fail(own_lab: Lab) -> None:
    plan = _plan(own_lab, 1)
    capacity = capacity_of(plan)
    assert [len(band.members) for band in plan.members if isinstance(band, Plan)] == [4, 2]
    script = build_script(plan, Surroundings(FileSystemKind.EXT4))
    assert "heap is ready." in own_lab.exec(["sh", "-s"], stdin=script.encode(), timeout_seconds=300).stdout.decode()
    _places(own_lab, plan)
    _space(own_lab, plan, capacity)
    checksum = _shell(own_lab, _WRITE)
    _wait(own_lab, plan)
    assert survival_of(plan).most() == 1
    for disk in slices_of(plan):
        _pull_and_return(own_lab, plan, disk, checksum)
    again = own_lab.exec(["sh", "-s"], stdin=script.encode(), timeout_seconds=300).stdout.decode()
    assert "/dev/heap/data is there already." in again
    assert _shell(own_lab, _READ) == checksum
