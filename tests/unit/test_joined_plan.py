"""Joined plans as JSON, their refusals, space and commands."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.layers.survival import lost_fraction, survival_of
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands
from raidwright.core.lvm.joined import EXTENT_SECTORS, MIB, begins_of, partitionable_bytes, slices_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, LinearVolume, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.system.tuning import Tuning
from raidwright.export.ansible import playbook
from raidwright.export.recovery_card import recovery_card
from raidwright.export.script import build_script
from raidwright.export.surroundings import Surroundings
from raidwright.export.unattended import cloud_config
from raidwright.reading.plans import loads_plan

from tests.kit.plans import volume_of

GIB = 2**30


def part(disk: str, number: int, size: int, disk_size: int, sector: int | None = None) -> Member:
    return Member(
        f"{disk}-part{number}", size, disk=disk, partition=number, disk_size_bytes=disk_size, sector_bytes=sector
    )


def two_bands() -> Plan:
    """Disks a and b of 4 GiB, c of 8 and d of 12: raid5 on all four, raid1 on the upper parts of c and d."""
    sizes = {"a": 4, "b": 4, "c": 8, "d": 12}
    low, high = partitionable_bytes(4 * GIB), 3 * GIB
    lower = tuple(part(disk, 1, low, size * GIB) for disk, size in sizes.items())
    upper = tuple(part(disk, 2, high, sizes[disk] * GIB) for disk in "cd")
    bands = (
        MdArray(Level.RAID5, lower, bitmap=Bitmap.INTERNAL),
        MdArray(Level.RAID1, upper, bitmap=Bitmap.INTERNAL),
    )
    return Plan(LinearVolume(bands, "heap"))


def test_a_joined_plan_is_read_as_it_was_written() -> None:
    plan = two_bands()
    assert loads_plan(json.dumps(dump_plan(plan))) == plan
    assert set(dump_plan(plan)) == {"version", "name", "level", "members"}


def test_keys_of_an_array_are_refused() -> None:
    data = dump_plan(two_bands()) | {"chunk_kib": 64}
    with pytest.raises(InputError, match="“chunk_kib” belongs to an array"):
        loads_plan(json.dumps(data))
    nested = dump_plan(two_bands()) | {"level": "raid0", "members": [dump_plan(two_bands()) | {}]}
    for key in ("version", "name"):
        nested["members"][0].pop(key)  # type: ignore[index]
    with pytest.raises(InputError, match="can't be a member"):
        loads_plan(json.dumps(nested))


def test_space_is_the_extents_on_each_array() -> None:
    capacity = capacity_of(two_bands().top)
    for band, used, start in zip(capacity.inner, capacity.member_sectors, capacity.data_offset_sectors, strict=True):
        assert used % EXTENT_SECTORS == 0
        assert 0 <= band.array_sectors - (start or 0) - used < EXTENT_SECTORS
    assert capacity.data_offset_sectors == (3072, 2048)  # a stripe of three chunks of 512 KiB; 1 MiB
    lost = capacity.lost
    whole = sum(member.sectors for member in two_bands().disks())
    assert capacity.array_sectors + sum(getattr(lost, name) for name in type(lost).__slots__) == whole


def test_survival_counts_whole_disks() -> None:
    plan, survival = two_bands(), survival_of(two_bands().top)
    assert survival.units == ("a", "b", "c", "d")
    assert survival.counts(1) == (4, 4)
    assert survival.counts(2) == (0, 6)
    assert 0 < lost_fraction(plan.top, {*survival.units[:2]}) < 1  # the mirror stays
    assert lost_fraction(plan.top, {*survival.units[2:]}) > lost_fraction(plan.top, {*survival.units[:2]})


def _with_band(plan: Plan, number: int, **changes: object) -> Plan:
    bands = list(volume_of(plan).arrays)
    bands[number] = replace(bands[number], **changes)  # type: ignore[arg-type]
    return plan.on(replace(volume_of(plan), arrays=tuple(bands)))


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("slice-size", {"size_bytes": 3 * GIB + 512}),
        ("slice-order", {"partition": 3, "id": "c-part3"}),
        ("slice-order", {"id": "c-part9"}),
        ("slice-unknown", {"disk_size_bytes": None}),
        ("slice-unknown", {"disk_size_bytes": 9 * GIB}),
        ("slices-too-large", {"size_bytes": 5 * GIB}),
        ("sector-sizes", {"disk": "e", "id": "e-part1", "partition": 1, "sector_bytes": 4096}),
        ("slices-together", {"disk": "d", "id": "d-part3", "partition": 3}),
    ],
)
def test_what_cannot_be_made_is_refused(code: str, change: dict[str, object]) -> None:
    plan = two_bands()
    upper = volume_of(plan).arrays[1]
    first, second = upper.members
    assert isinstance(first, Member)
    broken = replace(first, **change)  # type: ignore[arg-type]
    with pytest.raises(PlanRefused) as refused:
        capacity_of(_with_band(plan, 1, members=(broken, second)).top)
    assert refused.value.code == code


def test_whole_disks_and_bare_members_are_refused() -> None:
    whole = MdArray(Level.RAID1, (Member("a", GIB), Member("b", GIB)))
    for plan in (
        Plan(LinearVolume((whole,))),
        two_bands().on(replace(volume_of(two_bands()), name="-x")),
    ):
        with pytest.raises(PlanRefused):
            capacity_of(plan.top)


def test_commands_go_from_tables_to_the_volume() -> None:
    commands = create_commands(two_bands().top)
    assert [command.program for command in commands] == [
        *["sfdisk"] * 4, "mdadm", "mdadm", "pvcreate", "pvcreate", "vgcreate", "lvcreate",
    ]  # fmt: skip
    assert "label: gpt" in commands[0].given
    assert commands[-1].argv == (
        "lvcreate", "--extents=100%FREE", "--name=data", "heap", "/dev/md/heap-0", "/dev/md/heap-1",
    )  # fmt: skip


@given(st.integers(16 * MIB, 2**46), st.sampled_from([512, 4096]))
def test_slices_end_before_the_backup_table(size_bytes: int, sector_bytes: int) -> None:
    usable = partitionable_bytes(size_bytes, sector_bytes)
    sectors = size_bytes // sector_bytes
    last_usable = sectors - 1 - (1 + 16384 // sector_bytes)  # UEFI: the backup header, and the entries before it
    assert (MIB + usable) // sector_bytes - 1 <= last_usable
    assert (MIB + usable + MIB) // sector_bytes - 1 > last_usable


def test_slices_follow_one_another() -> None:
    slices = slices_of(volume_of(two_bands()))["d"]
    begins = list(begins_of(slices))
    assert begins == [MIB, MIB + slices[0].size_bytes]


def test_the_script_looks_first_and_takes_back_what_it_made() -> None:
    script = build_script(two_bands(), Surroundings())
    subprocess.run(["sh", "-n"], input=script.encode(), check=True)  # noqa: S607
    assert script.index("look /dev/disk/by-id/d ") < script.index("| sfdisk") < script.index("mdadm --create")
    assert script.index("lvcreate --yes") < script.index("/usr/sbin/mkfs.ext4")
    assert "stride=128,stripe_width=384 /dev/heap/data" in script  # the first array's stripe
    assert "vgremove --force --yes heap" in script
    assert "packages: [mdadm, e2fsprogs, fdisk, lvm2]" in cloud_config(two_bands(), Surroundings())


def test_what_may_be_removed_is_said_by_whole_disk() -> None:
    script = build_script(two_bands(), Surroundings(removed={"d": ("ext4",)}))
    assert "wipefs --all --types=ext4 /dev/disk/by-id/d" in script


def test_the_card_has_all_that_a_stranger_needs() -> None:
    card = recovery_card(two_bands())
    capacity = capacity_of(two_bands().top)
    assert f"0 {capacity.member_sectors[0]} linear /dev/md/heap-0 3072" in card
    assert f"{capacity.member_sectors[0]} {capacity.member_sectors[1]} linear /dev/md/heap-1 2048" in card
    assert "vgchange --activate y heap" in card
    assert card.count("mdadm --create") == 2
    assert "start=4095MiB, size=3072MiB" in card


def test_the_playbook_runs_the_script_where_the_volume_is_not_there() -> None:
    found = playbook(two_bands(), Surroundings())
    assert 'creates: "/dev/heap/data"' in found
    assert "      lvcreate --yes" in found.replace("          lvcreate", "      lvcreate")


def test_settings_by_udev_are_refused() -> None:
    with pytest.raises(InputError, match="Settings by udev"):
        build_script(two_bands(), Surroundings(tuning=Tuning(read_ahead_kib=2048)))
