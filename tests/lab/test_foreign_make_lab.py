"""Arrays with external metadata, of Intel's firmware and DDF: listed as such, and never changed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Tuning
from raidwright.core.system.workload import Workload
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.machine.values import Array
from raidwright.operations.arrays import DismantleArray, PauseCheck, StartCheck, StopArray
from raidwright.operations.baselines import TakeBaseline
from raidwright.operations.builds import BeginTrial, CreateArray, StopScratch
from raidwright.operations.measuring import RunWorkload
from raidwright.operations.members import (
    AddMember,
    FailMember,
    ReAddMember,
    RemoveMember,
    RemoveVanished,
    ReplaceMember,
)
from raidwright.operations.operation import Request
from raidwright.operations.system import (
    Configuration,
    MakeFileSystem,
    Mount,
    PreviewConfiguration,
    Tune,
    Unmount,
    WriteConfiguration,
)

from tests.kit.asking import ask
from tests.kit.settled import NO_FIRMWARE, SETTLED

pytestmark = pytest.mark.lab
_MAKE = f"""set -e; {SETTLED}{NO_FIRMWARE}exec 2>&1
mdadm -C -R /dev/md/imsm0 -e imsm -l container -n2 /dev/sda /dev/sdb
mdadm -C -R /dev/md/vol0 -l1 -n2 --assume-clean /dev/md/imsm0
mdadm -C -R /dev/md/ddf0 -e ddf -l container -n4 /dev/sd[c-f]
mdadm -C -R /dev/md/dvol0 -l1 -n2 -z 64M --assume-clean /dev/md/ddf0
mdadm -C -R /dev/md/dvol1 -l5 -n3 -z 64M --assume-clean /dev/md/ddf0
udevadm trigger --settle --subsystem-match=block"""  # UDisks2 may miss a container until its next event
_SUMS = "sync; for disk in a b c d e f; do blockdev --flushbufs /dev/sd$disk; md5sum < /dev/sd$disk; done"
VOLUMES, CONTAINERS = ("vol0", "dvol0", "dvol1"), ("imsm0", "ddf0")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, with an Intel set of two disks, a DDF set of four, and two free ones."""
    with start(LabSpec(disks_from_text("8x256MB", at_memory_speed=True))) as machine:
        sh(machine, _MAKE)
        run(machine, _see)  # UDisks2 hears of mdmon's volumes after udev
        yield machine


def sh(lab: Lab, script: str) -> str:
    """Return the output of ``script`` as root in the lab."""
    return lab.exec(["sh", "-c", script]).stdout.decode().strip()


async def _see(_machine: Machine, arrays: dict[str, Array]) -> None:
    assert set(arrays) == {*VOLUMES, *CONTAINERS}


def run(lab: Lab, test: Callable[[Machine, dict[str, Array]], Coroutine[Any, Any, None]]) -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            await machine.facts_seen()
            async with asyncio.timeout(60):
                while len(arrays := {one.name: one for one in machine.snapshot.arrays}) < 5 or not arrays.get("vol0"):
                    await asyncio.sleep(0.1)
            await test(machine, arrays)

    asyncio.run(asyncio.wait_for(connected(), 300))


def test_they_are_listed_for_what_they_are(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    machine = ["--machine", f"lab:{lab.name}"]
    assert main(["array", "list", *machine]) == 0
    text = capsys.readouterr().out
    assert "A volume of Intel firmware RAID (imsm) in the container /dev/md/imsm0. The firmware and mdmon" in text
    assert "The container of firmware RAID in DDF format (ddf), which has no slots of its own." in text
    assert "is empty" not in text
    assert "pull none" not in text
    assert main(["array", "list", "--json", *machine]) == 0
    told = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert set(told) == {*VOLUMES, *CONTAINERS}
    assert [told[name]["facts"]["make"] for name in (*VOLUMES, *CONTAINERS)] == ["imsm", "ddf", "ddf", "imsm", "ddf"]
    assert not any(one["lacks"] or one["degraded"] for one in told.values())
    assert main(["disks", *machine]) == 0
    disks = capsys.readouterr().out
    assert disks.count("member of Intel firmware RAID (imsm)") == 2
    assert disks.count("member of firmware RAID in DDF format (ddf)") == 4


def _acts(array: Array, own: Member, free: Member) -> Iterator[Request[Any]]:
    named = array.named
    yield StopArray(named)
    yield DismantleArray(named, array.members or (own,))
    yield from (kind(named, own) for kind in (FailMember, RemoveMember))
    yield from (kind(named, free) for kind in (ReAddMember, AddMember))
    yield ReplaceMember(named, own, free)
    yield from (kind(named) for kind in (RemoveVanished, StartCheck, PauseCheck, Unmount))
    yield Tune(named, Tuning(read_ahead_kib=1024))
    yield MakeFileSystem(named, FileSystemKind.EXT4)
    yield Mount(named, "/srv/tank")
    yield PreviewConfiguration(named, Configuration())
    yield WriteConfiguration(named, Configuration(), "0")
    yield RunWorkload(f"md:{array.uuid}", Workload.SEQUENTIAL_WRITE, 2, region_mib=16)


def test_every_verb_refuses_them_before_anything_is_done(lab: Lab) -> None:
    sh(lab, "udevadm settle")
    before, stat = sh(lab, _SUMS), sh(lab, "cat /proc/mdstat")

    async def test(machine: Machine, arrays: dict[str, Array]) -> None:
        disks = {disk.device: disk.as_member() for disk in machine.snapshot.disks}
        for name in (*VOLUMES, *CONTAINERS):
            own = disks["/dev/sda" if name in ("vol0", "imsm0") else "/dev/sdd"]
            for act in _acts(arrays[name], own, disks["/dev/sdg"]):
                with pytest.raises(DiskRefused, match="The firmware and mdmon look after it") as caught:
                    await ask(machine.helper, act)
                assert caught.value.code == "array-foreign-make", act
                assert f"/dev/md/{name} is " in caught.value.sentence
        for member in (disks["/dev/sda"], disks["/dev/sde"]):
            plan = Plan(MdArray(Level.RAID1, (member, disks["/dev/sdg"]), "tank", assume_clean=True))
            acts: list[Request[Any]] = [
                CreateArray(plan, "tank"),
                CreateArray(plan, "tank", scratch=True),
                TakeBaseline(member, write=True),
                BeginTrial((member, disks["/dev/sdg"]), 5),
            ]
            for refused in acts:
                with pytest.raises(DiskRefused, match=r"is a member of .* only looks at"):
                    await ask(machine.helper, refused)
        with pytest.raises((DiskRefused, InputError)):
            await ask(machine.helper, StopScratch(arrays["vol0"].uuid))

    run(lab, test)
    assert sh(lab, "cat /proc/mdstat") == stat
    assert sh(lab, _SUMS) == before


@pytest.mark.parametrize(
    "words",
    [
        ["array", "dismantle", "vol0"],
        ["array", "stop", "ddf0"],
        ["array", "check", "dvol1"],
        ["array", "card", "vol0"],
        ["filesystem", "make", "dvol0"],
        ["configure", "vol0"],
        ["tune", "vol0", "--read-ahead-kib", "1024"],
    ],
)
def test_the_commands_refuse_with_the_true_reason(
    lab: Lab, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    named = ["--yes-name", words[-1]] if words[1] in ("dismantle", "stop", "make") else []
    assert main([*words, *named, "--machine", f"lab:{lab.name}"]) == 2
    said = capsys.readouterr().err
    assert "firmware and mdmon look after" in said


def test_the_members_of_a_set_that_does_not_run_are_named(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    stop = "for name in vol0 dvol0 dvol1 imsm0 ddf0; do mdadm --quiet --stop /dev/md/$name; done"
    sh(lab, f"udevadm settle; {stop}; udevadm settle")
    assert main(["disks", "--machine", f"lab:{lab.name}"]) == 0
    assert capsys.readouterr().out.count("member of ") == 6
