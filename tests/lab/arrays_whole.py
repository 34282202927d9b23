"""The full tests of the verbs on running arrays, with a real md; minutes, so under `make arrays-check`.

Only 16 MiB of each disk are used, so that resyncs take no time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import Denied, DiskRefused, InputError, JobFailed, Unreachable
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Metadata, Plan
from raidwright.core.protocol.facts import BuildState, CameBack, Check, CheckState
from raidwright.core.protocol.results import BuildResult
from raidwright.lab.machine import Lab, Role
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray, ListChecks, PauseCheck, StartCheck, StopArray
from raidwright.operations.builds import CreateArray, ListBuilds, StopScratch, Undo
from raidwright.operations.members import FailMember, ReAddMember, RemoveMember

from tests.kit.asking import ask
from tests.kit.blank import blank

pytestmark = pytest.mark.lab
DISKS = 4
PART_KIB = 16 * 1024
CLEAN = (
    "umount -q /mnt; udevadm settle; udevadm control --stop-exec-queue;"
    "for md in /dev/md/tank*; do [ -b $md ] && wipefs --all --quiet $md; mdadm --quiet --stop $md; done;"
    f"mdadm --quiet --stop --scan; mdadm --quiet --zero-superblock /dev/sd[a-d]; {blank('/dev/sd[a-d]')};"
    "udevadm control --start-exec-queue; udevadm settle; true"
)


FAST = "echo 500000 > /proc/sys/dev/raid/speed_limit_min; echo 1000000 > /proc/sys/dev/raid/speed_limit_max"


@pytest.fixture(autouse=True)
def _clean(lab: Lab) -> Iterator[None]:
    lab.exec(["sh", "-c", FAST])
    yield
    lab.exec(["sh", "-c", CLEAN])


class Scene:
    """A test's objects: the lab, its helper, its disks, and the array once it is built."""

    def __init__(self, lab: Lab, helper: Helper, members: tuple[Member, ...]) -> None:
        self.lab = lab
        self.helper = helper
        self.members = members
        self.uuid = self.node = ""
        self.name = "tank"

    async def build(self, **changes: Any) -> BuildResult:
        """Build a raid5 of three, in sync, called tank; return the result."""
        plan = Plan(
            MdArray(
                Level.RAID5, self.members[:3], "tank", None, 64, bitmap=Bitmap.INTERNAL, component_size_kib=PART_KIB
            )
        )
        plan = plan.on(replace(plan.array, **changes))
        built = await ask(self.helper, CreateArray(plan, "tank"))
        self.uuid, self.node = built.uuid, built.device
        self.name = "tank" if plan.array.metadata != Metadata.V0_90 else built.uuid  # which has no name field
        self.sh(f"wipefs --all --quiet {self.node}; udevadm settle")  # another test's file system may show through
        await self.whole()
        return built

    def sh(self, script: str) -> str:
        """Return the output of a script run by root."""
        return self.lab.exec(["sh", "-c", script]).stdout.decode().strip()

    async def whole(self) -> None:
        """Wait until no member is missing and md is idle."""
        async with asyncio.timeout(120):
            while self.md("sync_action") not in ("idle", "") or self.md("degraded") not in ("0", ""):
                await asyncio.sleep(0.1)

    def md(self, attribute: str) -> str:
        """Return one of md's attributes; "" if the level doesn't have it."""
        return self.sh(f"cat /sys/block/{Path(self.node).name}/md/{attribute} 2>/dev/null || true")

    async def fail(self, member: Member) -> int:
        """Fail the member; return the number missing."""
        return (await ask(self.helper, FailMember(Named(self.uuid, self.name), member))).missing

    async def remove(self, member: Member) -> None:
        """Remove the member."""
        await ask(self.helper, RemoveMember(Named(self.uuid, self.name), member))

    async def re_add(self, member: Member) -> CameBack | None:
        """Re-add the member; return how it came back."""
        return (await ask(self.helper, ReAddMember(Named(self.uuid, self.name), member))).came_back

    async def dismantle(self, *given_up: str, members: tuple[Member, ...] | None = None) -> str:
        """Dismantle the array; return the build's id, for undo."""
        members = self.members[:3] if members is None else members
        done = await ask(self.helper, DismantleArray(Named(self.uuid, self.name), members, given_up=given_up))
        return done.build_id

    async def undo(self, build_id: str) -> None:
        """Restore the superblocks; the array runs again."""
        await ask(self.helper, Undo(build_id))
        await self.running()

    async def running(self) -> None:
        """Wait until udev has started the array."""
        self.sh("udevadm settle")
        async with asyncio.timeout(60):
            while "active" not in self.sh("cat /proc/mdstat"):
                await asyncio.sleep(0.1)
        self.node = self.sh("readlink -f /dev/md/tank")

    async def refused(self, act: Coroutine[Any, Any, Any], code: str) -> None:
        """Assert that the act is refused with this code, and md is unchanged."""
        before = self.sh("grep -v bitmap /proc/mdstat")
        with pytest.raises((DiskRefused, InputError)) as caught:
            await act
        assert caught.value.code == code
        assert caught.value.sentence.endswith(".")
        assert self.sh("grep -v bitmap /proc/mdstat") == before


@asynccontextmanager
async def _scene(lab: Lab, role: Role) -> AsyncIterator[Scene]:
    async with Machine.connect(lab.bus_address(role)) as machine:
        async with asyncio.timeout(60):
            while len(machine.snapshot.disks) < DISKS or not all(disk.is_free for disk in machine.snapshot.disks):
                await asyncio.sleep(0.05)
        yield Scene(lab, machine.helper, tuple(disk.as_member() for disk in machine.snapshot.disks))


def run(lab: Lab, test: Callable[[Scene], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
    async def on_scene() -> None:
        async with _scene(lab, role) as scene:
            await test(scene)

    asyncio.run(asyncio.wait_for(on_scene(), 300))


def test_a_member_fails_goes_and_comes_back(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        first, second, third, stranger = scene.members
        await scene.build()
        await scene.refused(scene.remove(first), "member-active")
        await scene.refused(scene.re_add(first), "member-present")
        await scene.refused(scene.fail(stranger), "disk-no-member")
        assert await scene.fail(first) == 1
        await scene.refused(scene.fail(first), "member-failed")
        for needed in (second, third):
            await scene.refused(scene.fail(needed), "disk-needed")
        await scene.refused(scene.re_add(first), "member-present")
        await scene.remove(first)
        await scene.refused(scene.re_add(stranger), "disk-signature-changed")
        scene.sh(f"dd if=/dev/urandom of={scene.node} bs=1M count=4 oflag=direct 2>/dev/null")
        assert await scene.re_add(first) is CameBack.CAUGHT_UP
        await scene.whole()
        assert await scene.fail(second) == 1  # it is complete again: another one may fail

    run(lab, test)


def test_without_a_bitmap_it_comes_back_as_a_new_disk_or_a_spare(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        await scene.build(level=Level.RAID1, chunk_kib=None, bitmap=Bitmap.NONE, spares=(scene.members[3],))
        first, spare = scene.members[0], scene.members[3]
        await scene.remove(spare)
        assert await scene.re_add(spare) is CameBack.SPARE
        await scene.remove(spare)
        await scene.fail(first)
        await scene.remove(first)
        scene.sh(f"dd if=/dev/urandom of={scene.node} bs=1M count=1 oflag=direct 2>/dev/null")
        assert await scene.re_add(first) is CameBack.REBUILDS
        await scene.whole()
        assert await scene.fail(first) == 1

    run(lab, test)


def test_a_scratch_arrays_members_change_too_and_only_it_is_stopped_as_one(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        first, second = scene.members[:2]
        plan = Plan(MdArray(Level.RAID1, (first, second), "tank", component_size_kib=PART_KIB, assume_clean=True))
        built = await ask(scene.helper, CreateArray(plan, "tank", scratch=True))
        scene.uuid, scene.node = built.uuid, built.device
        failed = await ask(scene.helper, FailMember(Named(built.uuid, "tank"), first, scratch=True))
        assert failed.missing == 1
        fatal = ask(scene.helper, FailMember(Named(built.uuid, "tank"), second, scratch=True))
        await scene.refused(fatal, "disk-needed")
        await scene.refused(ask(scene.helper, StopArray(Named(built.uuid, "tank"))), "is-scratch")
        await scene.refused(scene.dismantle(members=(first, second)), "is-scratch")
        await ask(scene.helper, StopScratch(built.uuid))

    run(lab, test)


def test_who_is_meant_is_looked_at(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        await scene.build()
        helper, first, uuid = scene.helper, scene.members[0], scene.uuid
        others = f"{'0' * 8}:{'0' * 8}:{'0' * 8}:{'0' * 8}"
        for name, meant, code in (
            ("tnak", uuid, "name-mismatch"),
            ("tank", others, "disk-missing"),
            ("tank", "/dev/md127", "uuid"),
        ):
            await scene.refused(ask(helper, FailMember(Named(meant, name), first)), code)
            await scene.refused(ask(helper, StopArray(Named(meant, name))), code)
            await scene.refused(ask(helper, DismantleArray(Named(meant, name), scene.members[:3])), code)
            await scene.refused(ask(helper, StartCheck(Named(meant, name))), code)
        await scene.refused(scene.fail(replace(first, id="/dev/sda")), "plan-id")
        await scene.refused(scene.fail(replace(first, serial="OTHER")), "disk-changed")
        await scene.refused(ask(helper, FailMember(Named(uuid, "tank"), first, scratch=True)), "not-scratch")
        await scene.refused(scene.dismantle(members=scene.members[:2]), "array-other-members")
        await scene.refused(scene.dismantle(members=scene.members), "array-other-members")
        await scene.refused(ask(helper, PauseCheck(Named(uuid, "tank"))), "check-not-running")

    run(lab, test)


def test_an_ordinary_user_is_denied_all_of_it(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        helper, uuid, disks = scene.helper, f"{'0' * 8}:{'0' * 8}:{'0' * 8}:{'0' * 8}", scene.members
        for act in (
            ask(helper, FailMember(Named(uuid, "tank"), disks[0])),
            ask(helper, RemoveMember(Named(uuid, "tank"), disks[0])),
            ask(helper, ReAddMember(Named(uuid, "tank"), disks[0], scratch=True)),
            ask(helper, StopArray(Named(uuid, "tank"))),
            ask(helper, DismantleArray(Named(uuid, "tank"), disks)),
            ask(helper, StartCheck(Named(uuid, "tank"))),
            ask(helper, PauseCheck(Named(uuid, "tank"))),
        ):
            with pytest.raises(Denied):
                await act

    run(lab, test, role="user")


def test_an_array_in_use_is_neither_stopped_nor_taken_apart(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        await scene.build()
        uuid, node = scene.uuid, scene.node

        async def both_refused(code: str) -> None:
            await scene.refused(ask(scene.helper, StopArray(Named(uuid, "tank"))), code)
            await scene.refused(scene.dismantle("ext4"), code)

        scene.sh(f"mkfs.ext4 -q -F {node} && mount {node} /mnt")
        await both_refused("array-mounted")
        scene.sh(f"umount /mnt; mkswap {node} >/dev/null 2>&1; swapon {node}")
        await both_refused("array-swap")
        scene.sh(f"swapoff {node}; wipefs -aq {node}; mkfs.ext4 -q -F {node}; udevadm settle")
        # Opened before the shell continues, not by its child some time later.
        scene.sh(f"exec 3< {node}; sleep 100 <&3 > /dev/null 2>&1 & echo $! > /run/holder")
        await both_refused("array-open")
        scene.sh("kill $(cat /run/holder); udevadm settle")
        await scene.refused(scene.dismantle(), "array-holds-something")
        await scene.refused(scene.dismantle("xfs"), "array-holds-something")
        await ask(scene.helper, StopArray(Named(uuid, "tank")))
        scene.sh("udevadm settle")
        assert "active" not in scene.sh("cat /proc/mdstat")

    run(lab, test)


def test_what_was_taken_apart_comes_back_with_all_that_it_held(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        await scene.build()
        scene.sh(f"mkfs.ext4 -q -F {scene.node} && mount {scene.node} /mnt && echo summer > /mnt/photo && umount /mnt")
        build_id = await scene.dismantle("ext4")
        scene.sh("udevadm settle")
        assert not scene.sh("wipefs --no-act --noheadings /dev/sd[a-c]")
        assert "active" not in scene.sh("cat /proc/mdstat")
        await scene.undo(build_id)
        assert scene.sh(f"mount {scene.node} /mnt && cat /mnt/photo && umount /mnt") == "summer"
        assert scene.md("degraded") == "0"
        await scene.dismantle("ext4")  # and the first undo is closed for good
        with pytest.raises(InputError, match="undone already"):
            await ask(scene.helper, Undo(build_id))

    run(lab, test)


def test_a_nested_array_is_stopped_and_taken_apart_whole(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        a, b, c, d = scene.members
        pairs = tuple(
            Plan(MdArray(Level.RAID1, pair, component_size_kib=PART_KIB, assume_clean=True))
            for pair in ((a, b), (c, d))
        )
        nested: dict[str, Any] = {
            "level": Level.RAID0,
            "members": pairs,
            "bitmap": Bitmap.NONE,
            "component_size_kib": None,
        }
        await scene.build(**nested)
        scene.sh(
            f"dd if=/dev/zero of={scene.node} bs=1M count=8 oflag=direct 2>/dev/null; echo summer > {scene.node}; sync"
        )
        await ask(scene.helper, StopArray(Named(scene.uuid, "tank")))
        scene.sh("udevadm settle")
        assert "active" not in scene.sh("cat /proc/mdstat")
        scene.sh("mdadm --quiet --assemble --scan; udevadm settle")
        build_id = await scene.dismantle(members=scene.members)
        assert not scene.sh("wipefs --no-act --noheadings /dev/sd[a-d]")
        await scene.undo(build_id)
        assert scene.sh(f"head -n 1 {scene.node}") == "summer"
        await scene.dismantle(members=scene.members)

    run(lab, test)


@contextmanager
def at_the_second_superblock(scene: Scene, act: str) -> Iterator[None]:
    """Make mdadm run ``act``, a line of shell, instead of erasing the second superblock."""
    script = (
        '#!/bin/sh\\ncase "$1" in --zero-superblock) echo >> /run/zeroed;'
        f' [ "$(wc -l < /run/zeroed)" -eq 2 ] && {act};; esac\\nexec /usr/sbin/mdadm.real "$@"\\n'
    )
    scene.sh(f"rm -f /run/zeroed; mv /usr/sbin/mdadm /usr/sbin/mdadm.real; printf '{script}' > /usr/sbin/mdadm")
    scene.sh("chmod 755 /usr/sbin/mdadm")
    try:
        yield
    finally:
        scene.sh("mv /usr/sbin/mdadm.real /usr/sbin/mdadm")


def test_what_is_half_taken_apart_is_put_back(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        await scene.build()
        with at_the_second_superblock(scene, "exit 1"):
            with pytest.raises(JobFailed, match=r"could not be taken apart.*superblocks are back"):
                await scene.dismantle()
            await scene.running()
        assert scene.md("degraded") == "0"
        assert (await ask(scene.helper, ListBuilds()))[0].state is BuildState.FAILED

    run(lab, test)


def test_a_helper_that_was_killed_has_a_way_back(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        await scene.build()
        kill = "systemctl kill --signal=KILL raidwright-helper; sleep 5"
        with at_the_second_superblock(scene, kill), pytest.raises(Unreachable):
            await scene.dismantle()
        scene.sh("systemctl reset-failed; udevadm settle")
        cut_off = (await ask(scene.helper, ListBuilds()))[0]
        assert (cut_off.state, cut_off.has_way_back) == (BuildState.INTERRUPTED, True)
        await scene.undo(cut_off.id)
        assert scene.md("degraded") == "0"

    run(lab, test)


def test_a_check_is_kept_with_what_it_found(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        await scene.build()
        slow = f"cd /sys/block/{Path(scene.node).name}/md; echo {{}} > sync_speed_min; echo {{}} > sync_speed_max"

        async def latest() -> Check:
            return (await ask(scene.helper, ListChecks()))[0]

        async def start() -> Check:
            return await ask(scene.helper, StartCheck(Named(scene.uuid, "tank")))

        assert (await start()).state is CheckState.RUNNING
        await scene.whole()
        done = await latest()
        assert (done.uuid, done.name, done.state, done.mismatch_sectors) == (scene.uuid, "tank", CheckState.DONE, 0)
        assert done.began_s <= (done.ended_s or 0)
        scene.sh("dd if=/dev/urandom of=/dev/sda bs=1M seek=130 count=1 oflag=direct 2>/dev/null")  # bypassing md
        scene.sh(slow.format(1000, 4000))
        await start()
        await scene.refused(start(), "array-busy")
        await asyncio.sleep(0.5)
        paused = await ask(scene.helper, PauseCheck(Named(scene.uuid, "tank")))
        assert paused.state is CheckState.PAUSED
        scene.sh(slow.format("system", "system"))
        again = await start()
        assert (again.state, again.began_s) == (CheckState.RUNNING, paused.began_s)
        await scene.whole()
        found = await latest()
        assert found.state is CheckState.DONE
        assert found.mismatch_sectors > 0
        await scene.refused(scene.fail(scene.members[0]), "parity-differs")
        scene.sh(f"echo repair > /sys/block/{Path(scene.node).name}/md/sync_action")
        await scene.whole()
        await start()
        await scene.whole()
        assert (await latest()).mismatch_sectors == 0
        await scene.fail(scene.members[0])
        await scene.refused(start(), "array-degraded")

    run(lab, test)
    kept = lab.exec(["sh", "-c", "stat -c '%a %U' /var/lib/raidwright/checks/*"]).stdout.decode().split("\n")
    assert kept[0] == "600 root"
