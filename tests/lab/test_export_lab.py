"""An exported script run for real: it builds the same array as the helper, can be repeated, and refuses in time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from raidwright.cli import main
from raidwright.core.errors import MachineError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Tuning
from raidwright.export.script import build_script
from raidwright.export.surroundings import Surroundings
from raidwright.lab import machine, shelf
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray

from tests.kit.asking import ask
from tests.kit.blank import blank
from tests.kit.settled import SETTLED

pytestmark = pytest.mark.lab
_OWN = re.compile(r"\s*(?:\S+ Time|Re\w+ Offset|.*UUID|Checksum|Events|State|Array State|Bad Block Log).*")
_AROUND = Surroundings(FileSystemKind.EXT4, tuning=Tuning(read_ahead_kib=2048))
_CLEAR = f"""umount --quiet /srv/tank; udevadm settle; udevadm control --stop-exec-queue
[ ! -e /dev/md/tank ] || wipefs --all --quiet /dev/md/tank
mdadm --quiet --stop --scan; mdadm --quiet --stop --scan
mdadm --quiet --zero-superblock /dev/sd[a-d]
{blank("/dev/sd[a-d]")}
udevadm control --start-exec-queue; udevadm settle; true"""
_FORGET = """umount /srv/tank; rm /etc/udev/rules.d/90-raidwright-*
sed -i '/tank/d' /etc/fstab /etc/mdadm/mdadm.conf"""
_LOOK = "cat /etc/mdadm/mdadm.conf /etc/fstab /etc/udev/rules.d/90-raidwright-*"


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    """A machine whose files may be written to: four empty disks, and one that holds a file system."""
    with machine.start(
        machine.LabSpec(shelf.disks_from_text("4x20GB+20GB:ext4", at_memory_speed=True)), name="export-test"
    ) as lab:
        yield lab


@pytest.fixture
def clear(own_lab: Lab) -> Iterator[Lab]:
    yield own_lab
    own_lab.exec(["sh", "-c", _CLEAR])


def _plan(lab: Lab, level: Level, shape: dict[str, object] | None = None, *, count: int = 4) -> Plan:
    async def look() -> Plan:
        async with Machine.connect(lab.bus_address("admin")) as seen:
            async with asyncio.timeout(120):
                while len(seen.snapshot.disks) < len(lab.disks()):
                    await asyncio.sleep(0.05)
            members = tuple(disk.as_member() for disk in seen.snapshot.disks[:count])
            return Plan(MdArray(level, members, "tank", **(shape or {})))  # type: ignore[arg-type]

    return asyncio.run(look())


def _build_by_helper(lab: Lab, plan: Plan) -> None:
    async def build() -> None:
        async with Machine.connect(lab.bus_address("admin")) as seen:
            await ask(seen.helper, CreateArray(plan, "tank"))

    asyncio.run(build())


def _run(lab: Lab, script: str) -> str:
    return lab.exec(["sh", "-s"], stdin=script.encode(), timeout_seconds=300).stdout.decode()


def _superblocks(lab: Lab) -> list[str]:
    text = lab.exec(["sh", "-c", "mdadm --examine /dev/sd[a-d]"]).stdout.decode()
    return [line for line in text.splitlines() if not _OWN.fullmatch(line)]


@pytest.mark.parametrize(
    ("level", "shape"),
    [
        (Level.RAID10, {"layout": "f2", "chunk_kib": 256, "bitmap": Bitmap.INTERNAL}),
        (Level.RAID6, {"bitmap": Bitmap.INTERNAL}),
    ],
)
def test_a_script_builds_what_the_helper_builds_and_may_be_run_again(
    clear: Lab, level: Level, shape: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    plan = _plan(clear, level, shape)
    _build_by_helper(clear, plan)
    by_helper = _superblocks(clear)
    assert main(["export", "--array", "tank", "--machine", f"lab:{clear.name}", "--as", "card"]) == 0
    said = capsys.readouterr().out.split()
    assert {f"--level={str(level).removeprefix('raid')}", f"--layout={plan.array.effective_layout}"} <= set(said)
    clear.exec(["sh", "-c", _CLEAR])
    script = build_script(plan, _AROUND)
    assert "tank is ready." in _run(clear, script)
    assert _superblocks(clear) == by_helper
    files = clear.exec(["sh", "-c", _LOOK]).stdout.decode()
    assert files.count("ARRAY /dev/md/tank metadata=1.2 UUID=") >= 1
    assert files.count(" /srv/tank ext4 nofail,x-systemd.device-timeout=5min,nodev,nosuid 0 2") == 1
    clear.exec(["sh", "-c", "mountpoint -q /srv/tank && date > /srv/tank/kept"])
    assert clear.exec(["sh", "-c", "cat /sys/block/md*/queue/read_ahead_kb"]).stdout.decode().split() == ["2048"]
    assert "is there already" in _run(clear, script)
    assert clear.exec(["sh", "-c", _LOOK]).stdout.decode() == files
    clear.exec(["test", "-s", "/srv/tank/kept"])
    clear.exec(
        ["sh", "-c", "umount /srv/tank; sed -i '\\,/srv/tank,d' /etc/fstab; sed -i '/tank/d' /etc/mdadm/mdadm.conf"]
    )
    clear.exec(["sh", "-c", "rm /etc/udev/rules.d/90-raidwright-*"])


@pytest.mark.parametrize("fault", ["file system", "serial", "size", "partition table", "in use"])
def test_a_script_refuses_before_anything_is_written(clear: Lab, fault: str) -> None:
    plan = _plan(clear, Level.RAID5, count=5 if fault == "file system" else 4)
    first, *others = plan.array.members
    assert first is not None
    if fault == "serial":
        plan = plan.on(replace(plan.array, members=(replace(first, serial="OTHER"), *others)))  # type: ignore[arg-type]
    if fault == "size":
        plan = plan.on(replace(plan.array, members=(replace(first, size_bytes=first.size_bytes + 512), *others)))  # type: ignore[arg-type,union-attr]
    if fault == "partition table":
        clear.exec(["sh", "-c", "echo 'label: gpt' | sfdisk --quiet /dev/sdd"])
    if fault == "in use":
        clear.exec(["sh", "-c", "mdadm --create /dev/md/other --run --level=1 --force --raid-devices=1 /dev/sdd"])
    before = clear.exec(["sh", "-c", "for disk in /dev/sd[a-e]; do head -c 4M $disk | md5sum; done"]).stdout
    with pytest.raises(MachineError, match=r"nothing was done|not the disk that was planned"):
        _run(clear, build_script(plan, _AROUND))
    assert clear.exec(["sh", "-c", "for disk in /dev/sd[a-e]; do head -c 4M $disk | md5sum; done"]).stdout == before
    clear.exec(["sh", "-c", f"{_CLEAR}; wipefs --all --quiet /dev/sd[a-d]"])


_OLDER = f"""set -e; {SETTLED}
mdadm --quiet --create /dev/md/old --run --level=5 --raid-devices=3 --bitmap=none /dev/sd[abc]
mkfs.ext4 -q /dev/md/old; udevadm settle; mdadm --quiet --stop /dev/md/old
mdadm --quiet --zero-superblock /dev/sd[abc]; wipefs --all --quiet /dev/sd[abc]; udevadm settle"""
"""Leaves an ext4 of 40 GB at the start of an array of more disks, and disks that are empty to wipefs and blkid."""


def test_a_file_system_of_an_older_array_is_not_kept(clear: Lab) -> None:
    plan = _plan(clear, Level.RAID5)
    clear.exec(["sh", "-c", _OLDER], timeout_seconds=120)
    assert "tank is ready." in _run(clear, build_script(plan, _AROUND))
    seen = clear.exec(["sh", "-c", "stat --file-system --format=%b*%S /srv/tank; mountpoint -q /srv/tank"])
    blocks, size = map(int, seen.stdout.decode().split("*"))
    assert blocks * size > 55e9
    clear.exec(["sh", "-c", "umount /srv/tank; e2fsck -fn /dev/md/tank"])
    clear.exec(["sh", "-c", f"mount /srv/tank; {_FORGET}"])


def test_a_build_that_fails_leaves_the_disks_without_the_array(clear: Lab) -> None:
    script = build_script(_plan(clear, Level.RAID5), _AROUND)
    clear.exec(["sh", "-c", "mount --bind /bin/false $(readlink -f /sbin/mkfs.ext4)"])
    with pytest.raises(MachineError, match="was not made"):
        _run(clear, script)
    looked = ("udevadm settle", "ls -d /sys/block/md* /dev/md/tank", "mdadm --examine /dev/sd[a-d]",
              "grep tank /etc/fstab /etc/mdadm/mdadm.conf")  # fmt: skip
    assert clear.exec(["sh", "-c", f"({'; '.join(looked)}) 2>/dev/null"], check=False).stdout.decode() == ""
    clear.exec(["sh", "-c", "umount $(readlink -f /sbin/mkfs.ext4)"])
    assert "tank is ready." in _run(clear, script)
    clear.exec(["sh", "-c", _FORGET])


@pytest.mark.parametrize("place", ["mdadm.conf", "fstab", "folder"])
def test_a_place_that_is_taken_is_told_before_anything_is_written(clear: Lab, place: str) -> None:
    script = build_script(_plan(clear, Level.RAID5), _AROUND)
    taken = {
        "mdadm.conf": "echo 'ARRAY /dev/md/tank UUID=0:0:0:0' >>/etc/mdadm/mdadm.conf",
        "fstab": "echo '/dev/sdz1 /srv/tank ext4 nofail 0 0' >>/etc/fstab",
        "folder": "mkdir -p /srv/tank && touch /srv/tank/kept",
    }
    clear.exec(["sh", "-c", taken[place]])
    with pytest.raises(MachineError, match=r"already|holds files"):
        _run(clear, script)
    assert clear.exec(["sh", "-c", "wipefs --noheadings /dev/sd[a-d]; ls /sys/block"]).stdout.count(b"md") == 0
    clear.exec(["sh", "-c", "rm -f /srv/tank/kept; sed -i '/tank/d' /etc/fstab /etc/mdadm/mdadm.conf"])


def test_a_script_removes_what_was_let_go_and_nothing_else(clear: Lab) -> None:
    plan = _plan(clear, Level.RAID5, count=5)
    held = plan.array.members[4]
    assert isinstance(held, Member)
    with pytest.raises(MachineError, match="holds"):
        _run(clear, build_script(plan, replace(_AROUND, removed={held.id: ("xfs",)})))
    said = _run(clear, build_script(plan, replace(_AROUND, kind=None, removed={held.id: ("ext4",)})))
    assert "tank is ready." in said
