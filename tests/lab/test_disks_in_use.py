"""Disks in use in ways that no signature shows: each is told by name, and no act writes to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.errors import DiskRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.operations.baselines import TakeBaseline
from raidwright.operations.builds import CreateArray

pytestmark = pytest.mark.lab
_BACKGROUND = "</dev/null >/dev/null 2>&1 &"
_SETUP = f"""set -e
modprobe loop; modprobe dm-mod; mkdir -p /mnt/a /mnt/c /mnt/d /mnt/g /mnt/h
mkfs.ext4 -q /dev/sda; udevadm settle; losetup /dev/loop0 /dev/sda; mount /dev/loop0 /mnt/a; echo precious >/mnt/a/file
mknod /srv/passed b 8 16; setsid sh -c 'exec 3<>/srv/passed; sleep 10000' {_BACKGROUND}
mkfs.ext4 -q -F /dev/sdc
setsid unshare -m --propagation private sh -c 'mount /dev/sdc /mnt/c; exec sleep 10000' {_BACKGROUND}
printf 'start=1MiB,size=500MiB\\n' | sfdisk -q --label gpt /dev/sdd; udevadm settle
losetup /dev/loop1 /dev/sdd1; echo 0 900000 linear /dev/loop1 0 | dmsetup create nested
mkfs.ext4 -q /dev/mapper/nested; mount /dev/mapper/nested /mnt/d
echo 0 900000 linear /dev/sde 0 | dmsetup create plain
mkswap -q /dev/sdf; swapon /dev/sdf
truncate -s 400M /run/data; mkfs.xfs -q -l logdev=/dev/sdg,size=64m /run/data
mount -o loop,logdev=/dev/sdg /run/data /mnt/g
mke2fs -q -O journal_dev /dev/sdh; truncate -s 64M /run/small; mkfs.ext4 -q -J device=/dev/sdh /run/small
mount -o loop /run/small /mnt/h
setsid sh -c 'exec 3</dev/sdi; sleep 10000' {_BACKGROUND}
sleep 2; udevadm settle"""
_USERS = {
    "sda": [("loop", "loop0", ""), ("mount", "/mnt/a", "loop0")],
    "sdb": [("process", "sh", ""), ("process", "sleep", "")],
    "sdc": [("mount", "/mnt/c", "")],
    "sdd": [("loop", "loop1", ""), ("mount", "/mnt/d", "dm-0")],
    "sde": [("holder", "dm-1", "")],
    "sdf": [("holder", "/dev/sdf", "")],
    "sdg": [("mount", "/mnt/g", "")],
    "sdh": [("holder", "jbd", "")],
    "sdi": [("process", "sh", ""), ("process", "sleep", "")],
    "sdj": [],
}
_REFUSALS = {
    "sda": r"mounted at /mnt/a through loop0",
    "sdb": r"open for writing by (sh|sleep) \(process \d+\)",
    "sdc": r"mounted at /mnt/c in the mount namespace of process \d+",
    "sdd": r"mounted at /mnt/d through dm-0",
    "sde": r"is part of dm-1",
    "sdf": r"is swap space",
    "sdg": r"a part of the file system mounted at /mnt/g",
    "sdh": r"something has it open for itself",
}


@pytest.fixture(scope="module")
def used() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("10x2GB", at_memory_speed=True))) as lab:
        lab.exec(["sh", "-c", _SETUP])
        yield lab


def _listed(lab: Lab, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    assert main(["disks", "--machine", f"lab:{lab.name}", "--json"]) == 0
    return {disk["device"].removeprefix("/dev/"): disk for disk in json.loads(capsys.readouterr().out)}


def test_each_use_is_listed_by_name(used: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    found = _listed(used, capsys)
    told = {
        name: sorted((user["kind"], user["name"], user["through"]) for user in disk["used_by"])
        for name, disk in found.items()
    }
    assert told == {name: sorted(users) for name, users in _USERS.items()}
    assert {name for name, disk in found.items() if disk["live"]} == set(_REFUSALS)
    assert found["sdj"]["free"]
    assert {user["writes"] for user in found["sdb"]["used_by"]} == {True}
    assert {user["writes"] for user in found["sdi"]["used_by"]} == {False}


def test_bytes_that_nothing_recognises_are_told_as_a_build_finds_them(
    used: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    used.exec(["sh", "-c", "echo something | dd of=/dev/sdj bs=1M seek=1 conv=fsync status=none; udevadm settle"])
    disk = _listed(used, capsys)["sdj"]
    assert ([use["detail"] for use in disk["uses"]], disk["free"], disk["live"]) == ([UNKNOWN], False, False)
    used.exec(["sh", "-c", "dd if=/dev/zero of=/dev/sdj bs=1M count=2 conv=fsync status=none; udevadm settle"])
    assert _listed(used, capsys)["sdj"]["free"]


def test_no_array_is_built_over_them_and_each_refusal_names_the_use(used: Lab) -> None:
    async def refuse_all() -> None:
        async with Machine.connect(used.bus_address("root")) as machine:
            await machine.facts_seen()
            disks = {disk.device.removeprefix("/dev/"): disk.as_member() for disk in machine.snapshot.disks}
            for name, words in _REFUSALS.items():
                plan = Plan(MdArray(Level.RAID1, (disks[name], disks["sdj"]), "tank"))
                given_up = {disks[name].id: (UNKNOWN,)}
                with pytest.raises(DiskRefused, match=words):
                    await CreateArray(plan, "tank", given_up).perform(machine)
            with pytest.raises(DiskRefused, match=_REFUSALS["sdb"]):
                await TakeBaseline(disks["sdb"], 1, write=True, over_unknown=True).perform(machine)

    asyncio.run(asyncio.wait_for(refuse_all(), 300))
    assert used.exec(["sh", "-c", "cat /proc/mdstat; cat /mnt/a/file"]).stdout.decode().endswith("precious\n")


def test_a_disk_that_is_only_read_is_taken_and_another_write_protection_is_heard_of_at_once(
    used: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    used.exec(["blockdev", "--setro", "/dev/sdj"])
    assert [use["kind"] for use in _listed(used, capsys)["sdj"]["uses"]] == ["read_only"]
    used.exec(["blockdev", "--setrw", "/dev/sdj"])
    assert _listed(used, capsys)["sdj"]["uses"] == []

    async def build() -> None:
        async with Machine.connect(used.bus_address("root")) as machine:
            await machine.facts_seen()
            disks = {disk.device.removeprefix("/dev/"): disk.as_member() for disk in machine.snapshot.disks}
            await CreateArray(Plan(MdArray(Level.RAID1, (disks["sdi"], disks["sdj"]), "tank")), "tank").perform(machine)

    asyncio.run(asyncio.wait_for(build(), 300))
    assert "md127" in used.exec(["cat", "/proc/mdstat"]).stdout.decode()
