"""A joined plan's volume in a practice machine, compared with the plan, and its disks pulled in turn."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import device_path
from raidwright.core.lvm.bands import banded
from raidwright.core.lvm.joined import begins_of, slices_of
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.mdadm import inner_name
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.export.script import build_script
from raidwright.export.surroundings import Surroundings
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine

from tests.kit.plans import volume_of

WRITE = "head -c 100M /dev/urandom >/srv/heap/file && sync && sha256sum </srv/heap/file"
READ = "sync; echo 3 >/proc/sys/vm/drop_caches; sha256sum </srv/heap/file"


def shell(lab: Lab, script: str) -> str:
    """Return the output of a shell script in the guest; raises MachineError if a command fails."""
    return lab.exec(["sh", "-ec", script], timeout_seconds=240).stdout.decode()


def plan_here(lab: Lab, tolerance: int, *, copies: bool = False) -> Plan:
    """Return the joined plan on all disks of the practice machine."""

    async def look() -> Plan:
        async with Machine.connect(lab.bus_address("admin")) as seen:
            async with asyncio.timeout(120):
                while len(seen.snapshot.disks) < len(lab.disks()):
                    await asyncio.sleep(0.05)
                await seen.facts_seen()
                while any(disk.logical_sector_bytes is None for disk in seen.snapshot.disks):
                    await asyncio.sleep(0.05)
            members = [_member(disk) for disk in seen.snapshot.disks]
            return Plan(banded(members, tolerance, copies=copies, name="heap").plan)

    return asyncio.run(look())


def _member(disk: Disk) -> Member:
    return replace(disk.as_member(), sector_bytes=4096 if disk.logical_sector_bytes == 4096 else None)


def build(lab: Lab, plan: Plan, mdadm: MdadmVersion | None = None) -> str:
    """Build the plan by its exported script, compare it with the kernel's and LVM's view; return a file's checksum."""
    script = build_script(plan, Surroundings(FileSystemKind.EXT4))
    lab.exec(["sh", "-c", "cat >/root/build-heap"], stdin=script.encode())
    assert "heap is ready." in shell(lab, "sh /root/build-heap")
    verify_places(lab, plan)
    verify_space(lab, plan, capacity_of(plan.top, mdadm) if mdadm else capacity_of(plan.top))
    checksum = shell(lab, WRITE)
    wait_for_resyncs(lab, plan)
    return checksum


def verify_places(lab: Lab, plan: Plan) -> None:
    """Compare each slice's first sector and size with the kernel's partitions."""
    for slices in slices_of(volume_of(plan)).values():
        for begin, member in zip(begins_of(slices), slices, strict=True):
            node = f"/sys/class/block/$(basename $(readlink -f /dev/disk/by-id/{member.id}))"
            found = shell(lab, f"cat {node}/start {node}/size").split()
            assert [int(one) * 512 for one in found] == [begin, member.size_bytes]


def verify_space(lab: Lab, plan: Plan, capacity: Capacity) -> None:
    """Compare arrays, data offsets, extents and the volume's segments with md, LVM and device mapper."""
    assert int(shell(lab, f"blockdev --getsz {device_path(plan.top)}")) == capacity.array_sectors
    at, wanted = 0, []
    for slot, inner in enumerate(capacity.inner):
        path = f"/dev/md/{inner_name(plan.name, slot)}"
        assert int(shell(lab, f"blockdev --getsz {path}")) == inner.array_sectors
        offsets = shell(lab, f"cat /sys/block/$(basename $(readlink -f {path}))/md/dev-*/offset").split()
        assert {int(one) for one in offsets} == set(inner.data_offset_sectors)
        number = shell(lab, f"cat /sys/block/$(basename $(readlink -f {path}))/dev").strip()
        start, size = capacity.data_offset_sectors[slot], capacity.member_sectors[slot]
        wanted.append(f"{at} {size} linear {number} {start}")
        at += size
    assert shell(lab, f"dmsetup table {device_path(plan.top)}").splitlines() == wanted
    volumes = json.loads(shell(lab, "pvs --reportformat json --units s --nosuffix --options pe_start,vg_extent_size"))
    found = [(row["pe_start"], row["vg_extent_size"]) for row in volumes["report"][0]["pv"]]
    assert sorted(found) == sorted((str(start), "8192") for start in capacity.data_offset_sectors)


def wait_for_resyncs(lab: Lab, plan: Plan) -> None:
    """Wait until no array of the plan resyncs or rebuilds."""
    arrays = " ".join(f"/dev/md/{inner_name(plan.name, slot)}" for slot in range(len(plan.array.members)))
    shell(lab, f"for array in {arrays}; do mdadm --wait $array || :; done")


def pull_and_return(lab: Lab, plan: Plan, disk: str, checksum: str) -> None:
    """Pull a disk, read the data, and put the disk back into all arrays that it is in."""
    serial = next(member.serial for member in plan.disks() if member.disk == disk)
    lab.pull_disk(serial)
    assert shell(lab, READ) == checksum
    lab.plug_disk(serial)
    shell(lab, "udevadm settle")
    for slot, band in enumerate(plan.array.members):
        assert isinstance(band, MdArray)
        array = f"/dev/md/{inner_name(plan.name, slot)}"
        for member in band.disks():
            if member.disk == disk:
                path = f"/dev/disk/by-id/{member.id}"
                shell(lab, f"mdadm --quiet {array} --fail detached --remove detached || :; "
                            f"mdadm --quiet {array} --remove failed || :; udevadm settle; "
                            f"mdadm --quiet {array} --re-add {path} || mdadm --quiet {array} --add {path} || "
                            f"mdadm --detail {array} | grep -q \"$(readlink -f {path})\"")  # fmt: skip
    wait_for_resyncs(lab, plan)
    degraded = shell(lab, "cat /sys/block/md*/md/degraded").split()
    assert set(degraded) == {"0"}
