"""The installed helper on a real bus with a real polkit, mdadm, md, udev and fio."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
from raidwright.core.errors import Denied, DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MDADM_4_2
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.core.protocol.measured import Sample
from raidwright.core.protocol.results import BuildResult
from raidwright.lab.machine import Lab, LabSpec, Role, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.client import Helper
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray, StopScratch, Undo
from raidwright.operations.measuring import RunWorkload

from tests.kit.asking import ask
from tests.kit.blank import blank

pytestmark = pytest.mark.lab
POOL = "4x8TB+500GB:ext4+1TB:lvm+1TB:md+500GB:mounted+500GB:gpt"
FREE = 4


def nothing(_update: object) -> None:
    """Ignore a job's progress."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, since arrays are built on all of its free disks."""
    with start(LabSpec(disks_from_text(POOL, at_memory_speed=True))) as machine:
        yield machine


@pytest.fixture(autouse=True)
def _clean(lab: Lab) -> Iterator[None]:
    """Leave the free disks empty, inside the arrays as well: their content would reappear in the next one."""
    yield
    nodes = " ".join(f"/dev/sd{letter}" for letter in "abcd")
    script = (
        # udev waits, or its mdadm --incremental would restart the array just stopped
        "udevadm settle; udevadm control --stop-exec-queue; umount /mnt;"
        "for md in /dev/md/tank*; do [ -e $md ] && wipefs --all --quiet $md; mdadm --stop $md; done;"
        f"for disk in {nodes}; do mdadm --zero-superblock $disk; done; {blank(nodes)};"
        "udevadm control --start-exec-queue; udevadm settle; true"
    )
    lab.exec(["sh", "-c", script])


@asynccontextmanager
async def _connected(lab: Lab, role: Role = "admin") -> AsyncIterator[tuple[Helper, tuple[Disk, ...]]]:
    async with Machine.connect(lab.bus_address(role)) as machine:
        async with asyncio.timeout(60):
            while len(machine.snapshot.disks) < 9 or not all(disk.is_free for disk in machine.snapshot.disks[:FREE]):
                await asyncio.sleep(0.05)
        yield machine.helper, machine.snapshot.disks


def run(lab: Lab, test: Callable[[Helper, tuple[Disk, ...]], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
    async def connected() -> None:
        async with _connected(lab, role) as (helper, disks):
            await test(helper, disks)

    asyncio.run(asyncio.wait_for(connected(), 300))


def a_plan(disks: tuple[Disk, ...], **changes: Any) -> Plan:
    members = tuple(disk.as_member() for disk in disks[:FREE])
    array = MdArray(Level.RAID10, members, name="tank", layout="f2", chunk_kib=256, bitmap=Bitmap.INTERNAL)
    return Plan(replace(array, **changes))


def a_nested_plan(disks: tuple[Disk, ...]) -> Plan:
    a, b, c, d = (disk.as_member() for disk in disks[:FREE])
    mirrors = tuple(MdArray(Level.RAID1, pair) for pair in ((a, b), (c, d)))
    return Plan(MdArray(Level.RAID0, mirrors, name="tank", chunk_kib=64))


async def build(helper: Helper, plan: Plan, *, scratch: bool = False) -> BuildResult:
    return await ask(helper, CreateArray(plan, plan.name, scratch=scratch))


def _signatures(lab: Lab) -> str:
    nodes = [f"/dev/sd{letter}" for letter in "abcd"]
    return lab.exec(["wipefs", "--no-act", "--noheadings", *nodes]).stdout.decode().strip()


def test_an_ordinary_user_is_denied_with_a_sentence(lab: Lab) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        with pytest.raises(Denied, match=r"administrator.*\.$"):
            await build(helper, a_plan(disks))
        with pytest.raises(Denied):
            await ask(helper, RunWorkload(disks[0].id, "sequential_read", 1))

    run(lab, test, role="user")
    assert not _signatures(lab)


def test_the_array_is_the_one_that_the_plan_means(lab: Lab) -> None:
    steps: list[str] = []

    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        plan = a_plan(disks)
        result = await ask(
            helper,
            CreateArray(plan, "tank"),
            lambda update: steps.append(update.step) if isinstance(update, JobProgress) else None,
        )
        detail = lab.exec(["mdadm", "--detail", "/dev/md/tank"]).stdout.decode()
        facts = dict(line.strip().split(" : ", 1) for line in detail.splitlines() if " : " in line)
        assert facts["Raid Level"] == "raid10"
        assert facts["Layout"] == "far=2"
        assert facts["Chunk Size"] == "256K"
        assert facts["UUID"] == result.uuid
        assert int(facts["Array Size"].split()[0]) * 2 == result.array_sectors
        expected = capacity_of(plan.top, MDADM_4_2)
        assert (result.array_sectors, result.component_size_kib) == (
            expected.array_sectors,
            expected.component_size_kib,
        )
        assert lab.exec(["readlink", "-f", "/dev/md/tank"]).stdout.decode().strip() == result.device
        assert "--layout=f2" in result.command

    run(lab, test)
    assert steps == ["stage-save", "stage-wipe", "stage-create", "stage-settle", "stage-read-back"]


def test_a_build_is_undone_to_the_byte(lab: Lab) -> None:
    before = _checksums(lab)

    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        built = await build(helper, a_plan(disks))
        assert _checksums(lab) != before
        await ask(helper, Undo(built.build_id))

    run(lab, test)
    assert _checksums(lab) == before


def test_a_nested_plan_is_built_from_the_inside(lab: Lab) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        plan = a_nested_plan(disks)
        result = await build(helper, plan)
        assert result.array_sectors == capacity_of(plan.top, MDADM_4_2).array_sectors

    run(lab, test)


def test_a_disk_in_use_is_refused_though_the_window_would_not_offer_it(lab: Lab) -> None:
    reasons = [
        "holds something: ext4",
        "holds something: LVM2_member",
        r"is part of md\d+",
        r"holds the file system mounted at /srv/\w+",
        "has partitions",
    ]

    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        for disk, reason in zip(disks[FREE:], reasons, strict=True):
            members = (disks[0].as_member(), disk.as_member())
            with pytest.raises(DiskRefused, match=reason) as caught:
                await build(helper, a_plan(disks, level=Level.RAID1, layout=None, chunk_kib=None, members=members))
            assert disk.serial in caught.value.sentence

    before = _checksums(lab)
    run(lab, test)
    assert _checksums(lab) == before


def _checksums(lab: Lab) -> str:
    """Return the checksums of both ends of each disk except the two in use (md, mounted), which change."""
    script = "for disk in /dev/sd[a-fi]; do head -c 4194304 $disk | md5sum; tail -c 4194304 $disk | md5sum; done"
    return lab.exec(["sh", "-c", script]).stdout.decode()


def test_another_disk_than_the_confirmed_one_is_refused(lab: Lab) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        first, *others = (disk.as_member() for disk in disks[:FREE])
        for wrong in (
            replace(first, serial="OTHER"),
            replace(first, size_bytes=first.size_bytes - 512),
            replace(first, id=others[0].id),
        ):
            with pytest.raises((DiskRefused, InputError)):
                await build(helper, a_plan(disks, members=(wrong, *others)))
        links = "/dev/disk/by-id"
        lab.exec(["ln", "-sf", "../../sde", f"{links}/{first.id}"])  # a link that now points to the ext4 disk
        try:
            with pytest.raises(DiskRefused, match="not the disk that was confirmed"):
                await build(helper, a_plan(disks))
        finally:
            lab.exec(["ln", "-sf", "../../sda", f"{links}/{first.id}"])

    run(lab, test)
    assert not _signatures(lab)


def test_a_name_that_is_taken_and_one_not_typed_are_refused(lab: Lab) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        with pytest.raises(InputError, match="typed"):
            await ask(helper, CreateArray(a_plan(disks), "tnak"))
        lab.exec(["sh", "-c", "mkdir -p /dev/md; ln -s ../null /dev/md/tank"])
        try:
            with pytest.raises(InputError, match="already"):
                await build(helper, a_plan(disks))
        finally:
            lab.exec(["rm", "/dev/md/tank"])

    run(lab, test)


def test_a_build_that_fails_half_way_leaves_nothing(lab: Lab) -> None:
    """md can't run the array when its level's module is missing; by then the superblocks are written."""

    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        plan = a_plan(disks, level=Level.RAID6, layout=None)
        with pytest.raises(JobFailed, match=r"mdadm ended with code.*is off the disks again"):
            await build(helper, plan)

    lab.exec(["sh", "-c", "modprobe -r raid456; echo install raid456 /bin/false > /etc/modprobe.d/test.conf"])
    try:
        run(lab, test)
    finally:
        lab.exec(["rm", "/etc/modprobe.d/test.conf"])
    assert not _signatures(lab)
    assert "raid6" not in lab.exec(["cat", "/proc/mdstat"]).stdout.decode()


@pytest.mark.parametrize("workload", ["sequential_read", "random_write_4k_q32", "buffered_read"])
def test_a_workload_tells_meanwhile_and_its_samples_add_up(lab: Lab, workload: str) -> None:
    samples: list[Sample] = []

    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        built = await build(helper, a_plan(disks))
        result = await ask(
            helper,
            RunWorkload(f"md:{built.uuid}", workload, 3, region_mib=512),
            lambda update: samples.append(update) if isinstance(update, Sample) else None,
        )
        assert len(samples) > 1  # four a second where the computer is idle
        moved_mb, before_s = 0.0, 0.0
        for sample in samples:
            moved_mb += (sample.read_mb_s + sample.write_mb_s) * (sample.seconds - before_s)
            before_s = sample.seconds
        assert moved_mb == pytest.approx(result.mb_s * result.seconds, rel=0.02)
        assert result.latency_p99_ms > 0

    run(lab, test)


async def cancelled(lab: Lab, helper: Helper, workload: RunWorkload, meanwhile: Callable[[], object]) -> None:
    """Run ``workload``, which is far longer, cancel it after ``meanwhile``, and wait for fio's end."""
    running = asyncio.Event()

    def hear(update: object) -> None:
        if isinstance(update, Sample):
            running.set()

    job = asyncio.create_task(ask(helper, workload, hear))
    await running.wait()
    meanwhile()
    job.cancel()
    with suppress(asyncio.CancelledError, RaidwrightError):
        await job
    async with asyncio.timeout(60):
        while lab.exec(["pgrep", "-x", "fio"], check=False).returncode == 0:
            await asyncio.sleep(0.2)


def test_a_cancelled_workload_leaves_no_fio(lab: Lab) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        await cancelled(lab, helper, RunWorkload(disks[0].id, "random_read_4k", 60, region_mib=64), lambda: None)
        await build(helper, a_plan(disks))  # and the disk is free again

    run(lab, test)


def test_writing_is_for_empty_arrays_alone_and_shuts_others_out(lab: Lab) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        async def write(target: str) -> None:
            await ask(helper, RunWorkload(target, "sequential_write", 2, region_mib=128))

        with pytest.raises(DiskRefused, match="never on a disk itself"):
            await write(disks[0].id)
        built = await build(helper, a_plan(disks))
        await write(f"md:{built.uuid}")

        def try_to_take() -> None:
            script = f"import os; os.open({built.device!r}, os.O_RDWR | os.O_EXCL)"
            assert b"busy" in lab.exec(["python3", "-c", script], check=False).stderr

        writing = RunWorkload(f"md:{built.uuid}", "sequential_write", 100, region_mib=128)
        await cancelled(lab, helper, writing, try_to_take)
        lab.exec(["mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=1", built.device, "64M"])
        with pytest.raises(DiskRefused, match="holds something: ext4"):
            await write(f"md:{built.uuid}")
        lab.exec(["mount", built.device, "/mnt"])
        with pytest.raises(DiskRefused, match="mounted at /mnt"):
            await write(f"md:{built.uuid}")
        await ask(helper, RunWorkload(f"md:{built.uuid}", "random_read_4k", 1, region_mib=16))

    run(lab, test)


def test_a_scratch_array_goes_when_asked_and_when_its_owner_does(lab: Lab) -> None:
    async def stopped(helper: Helper, disks: tuple[Disk, ...]) -> None:
        built = await build(helper, a_plan(disks), scratch=True)
        await ask(helper, StopScratch(built.uuid))
        lab.exec(["udevadm", "settle", "--timeout=0"])  # fails while udev has events left to announce
        assert not _signatures(lab)

    async def abandoned(helper: Helper, disks: tuple[Disk, ...]) -> None:
        await build(helper, a_nested_plan(disks), scratch=True)
        assert "linux_raid_member" in _signatures(lab)

    async def real(helper: Helper, disks: tuple[Disk, ...]) -> None:
        built = await build(helper, a_plan(disks))
        # No signature of the nested array shows through from its members.
        assert not lab.exec(["wipefs", "--no-act", "--noheadings", built.device]).stdout
        with pytest.raises(InputError, match="not a scratch array"):
            await ask(helper, StopScratch(built.uuid))

    run(lab, stopped)
    run(lab, abandoned)
    end = time.monotonic() + 120
    while lab.exec(["ls", "/var/lib/raidwright/scratch"]).stdout:
        assert time.monotonic() < end, "what its owner left is still there"
        time.sleep(0.2)
    assert not _signatures(lab)
    run(lab, real)


def test_the_unit_is_hardened_while_all_this_works(lab: Lab) -> None:
    said = lab.exec(["systemd-analyze", "security", "--no-pager", "raidwright-helper.service"]).stdout.decode()
    match = re.search(r"Overall exposure level.*?: ([\d.]+)", said)
    assert match
    assert float(match[1]) <= 3.0
    journal = lab.exec(["journalctl", "--no-pager", "-u", "raidwright-helper.service"]).stdout.decode()
    assert "Traceback" not in journal
    assert '"verb": "CreateArray", "uid": 1000' in journal
