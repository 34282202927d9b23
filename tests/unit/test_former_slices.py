"""Former members that are partitions of a disk whose others are in use: their name in the list is one that works."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.cli.arrays.halves import command_line, former_line
from raidwright.cli.options.array import meant_disk
from raidwright.core.errors import InputError
from raidwright.core.md.assembly import Assembly, AssemblyState, StartsOn
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import CameBack
from raidwright.machine.values import Array, ArrayDevice, Former, Lack, Snapshot

_DISK = "wwn-0x5001"
_OTHER = "wwn-0x5002"
_PARTS = tuple(
    Member(f"{_DISK}-part{number}", 10**8, "WD80EFZX", "ZHZ1", disk=_DISK, partition=number) for number in (1, 2)
)
_BOOT = Array("0a:0b", "boot", "raid1", "/dev/md1", 10**8, 0, True, 0, slots=2, members=(_PARTS[0],))
_HOME = Array(
    "0a:0c",
    "home",
    "raid1",
    "/dev/md2",
    10**8,
    0,
    True,
    1,
    slots=2,
    members=(Member(f"{_OTHER}-part2", 10**8, "WD80EFZX", "ZHZ2", disk=_OTHER, partition=2),),
    places=(ArrayDevice(0, "/dev/sdb2", ("in_sync",)),),
    lacks=(Lack(1),),
    former=(Former(_PARTS[1], "/dev/sda2", 1, 1_700_000_000, CameBack.CAUGHT_UP),),
)
_ASSEMBLY = Assembly(
    "0a:0c", "home", "nas", "raid1", 2, "1.2", AssemblyState.STOPPED, (0,), (), 20, 1_700_000_000, True, StartsOn()
)
_WHOLE = Disk(_DISK, "/dev/sda", "WD80EFZX", "ZHZ1", _DISK, 10**9, (_DISK, "ata-WD80EFZX_ZHZ1"))
_SEEN = Snapshot((_WHOLE,), (_BOOT, _HOME), slices=_PARTS)


def test_the_command_that_the_list_names_means_the_partition() -> None:
    line = former_line(_HOME, _HOME.former[0])
    assert "ZHZ1, partition 2: This was slot 1 of home" in line
    assert line.endswith(f"raidwright array re-add home {_DISK}-part2.")
    for text in (f"{_DISK}-part2", _DISK, "ZHZ1"):
        assert meant_disk("re-add", text, _SEEN, _HOME) == _PARTS[1]


def test_a_member_and_a_free_partition_are_meant_by_their_names() -> None:
    assert meant_disk("fail", "ZHZ1", _SEEN, _BOOT) == _PARTS[0]
    alone = replace(_HOME, former=())
    assert meant_disk("add-spare", "ata-WD80EFZX_ZHZ1-part2", _SEEN, alone) == _PARTS[1]
    assert meant_disk("re-add", "ZHZ1", _SEEN, alone).id == _DISK
    with pytest.raises(InputError):
        meant_disk("re-add", f"{_DISK}-part3", _SEEN, alone)


def test_a_former_member_whose_superblock_names_no_slot_is_taken_back_too() -> None:
    """As of metadata 0.90, which gives a failed member no role."""
    assert "re-add home" in former_line(_HOME, replace(_HOME.former[0], slot=None))
    assert "re-add home" not in former_line(replace(_HOME, lacks=()), replace(_HOME.former[0], slot=None))


@pytest.mark.parametrize(
    ("state", "dropped", "command"),
    [
        (AssemblyState.BEHIND, 0, "raidwright array rescue home."),
        (AssemblyState.DIRTY, 1, "raidwright array rescue home."),
        (AssemblyState.STOPPED, 1, "raidwright array start home --missing."),
        (AssemblyState.STOPPED, 0, ""),
    ],
)
def test_the_command_of_the_next_step_is_named(state: AssemblyState, dropped: int, command: str) -> None:
    stopped = replace(_HOME, running=False, assembly=replace(_ASSEMBLY, state=state, dropped=(1,) * dropped))
    assert command_line(stopped).endswith(command)
    assert bool(command_line(stopped)) == bool(command)
    assert command_line(_HOME) == ""
