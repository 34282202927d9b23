"""mdadm's argv: every word, in mdadm's required order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from raidwright.core.errors import PlanRefused
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import EXPLANATIONS
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata

from .making_plans import equal, flat_plans, grouped, member

TANK = MdArray(
    Level.RAID10,
    tuple(Member(f"wwn-0x5000{slot}", 8 * 10**12) for slot in range(4)),
    name="tank",
    layout="f2",
    chunk_kib=256,
    bitmap=Bitmap.INTERNAL,
)


def test_the_command_of_a_usual_plan() -> None:
    (command,) = create_commands(TANK)
    assert command.shell() == (
        "mdadm --create /dev/md/tank --level=10 --layout=f2 --chunk=256K --metadata=1.2 --bitmap=internal "
        "--name=tank --raid-devices=4 /dev/disk/by-id/wwn-0x50000 /dev/disk/by-id/wwn-0x50001 "
        "/dev/disk/by-id/wwn-0x50002 /dev/disk/by-id/wwn-0x50003"
    )


# options that a plan adds to the command, in this order
ADDED = [
    (equal("raid5", 3), "--layout=left-symmetric --chunk=512K --metadata=1.2 --bitmap=none"),
    (replace(equal("raid5", 3), metadata=Metadata.V1_0), "--metadata=1.0"),
    (replace(equal("raid1", 2), component_size_kib=5, data_offset_kib=2048), "--size=5K --data-offset=2048K"),
    (replace(equal("raid1", 2), assume_clean=True), "--assume-clean --raid-devices=2"),
    (replace(equal("raid5", 3), bitmap=Bitmap.INTERNAL, bitmap_chunk_kib=64), "--bitmap=internal --bitmap-chunk=64K"),
    (
        replace(equal("raid5", 3), bitmap=Bitmap.INTERNAL, bitmap_chunk_kib=4096),
        "--bitmap=internal --bitmap-chunk=4096K",
    ),
    (replace(equal("raid5", 3), consistency=Consistency.PPL), "--bitmap=none --consistency-policy=ppl"),
    (replace(equal("raid5", 3), spares=(member("s"),)), "--raid-devices=3 --spare-devices=1"),
    (replace(equal("raid5", 3), spares=(member("s"),)), "/dev/disk/by-id/disk-2 /dev/disk/by-id/s"),
    (replace(equal("raid5", 3), journal=member("j")), "/dev/disk/by-id/disk-2 --write-journal=/dev/disk/by-id/j"),
    (MdArray(Level.RAID1, (None, member("d"))), "--raid-devices=2 missing /dev/disk/by-id/d"),
    (MdArray(Level.RAID1, (member("d"),)), "--create /dev/md/md0 --force --level=1"),
    (equal("raid0", 2), "--level=0 --chunk=512K --metadata=1.2 --name=md0"),
    (equal("raid0", 2, "alternate"), "--layout=alternate"),
    (equal("linear", 2), "--level=linear --metadata=1.2"),
]


@pytest.mark.parametrize(("made", "words"), ADDED)
def test_what_a_plan_adds(made: MdArray, words: str) -> None:
    (command,) = create_commands(made)
    assert f" {words} " in f"{command.shell()} "


def test_inner_arrays_come_first_and_are_named_after_the_outer() -> None:
    first, second, outer = create_commands(replace(grouped("raid0", "raid1", 2, 2), name="tank"))
    assert "/dev/md/tank-0" in first.argv
    assert "/dev/md/tank-1" in second.argv
    assert outer.argv[-2:] == ("/dev/md/tank-0", "/dev/md/tank-1")


def test_the_home_host_is_said_of_inner_arrays_too() -> None:
    commands = create_commands(replace(grouped("raid0", "raid1", 2, 2), name="tank"), homehost="nas")
    assert all("--homehost=nas" in command.argv for command in commands)
    assert all(option.why in EXPLANATIONS for command in commands for option in command.options)


def test_only_who_has_looked_keeps_mdadm_from_asking() -> None:
    nested = replace(grouped("raid0", "raid1", 2, 2), name="tank")
    assert not any("--run" in command.argv for command in create_commands(nested))
    assert all(command.argv[3] == "--run" for command in create_commands(nested, asks=False))


def test_a_layout_without_a_word_is_refused() -> None:
    with pytest.raises(PlanRefused):
        create_commands(equal("raid10", 4, "n2f2"))


def test_a_path_with_a_space_is_quoted_for_the_shell() -> None:
    (command,) = create_commands(TANK, lambda disk: f"/dev/my disks/{disk.id}")
    assert "'/dev/my disks/wwn-0x50000'" in command.shell()
    assert "/dev/my disks/wwn-0x50000" in command.argv


@given(flat_plans())
def test_every_word_is_explained(made: MdArray) -> None:
    for command in create_commands(made, asks=False):
        assert all(option.why in EXPLANATIONS for option in command.options)
        assert [option for option in command.options if option.text.startswith("--bitmap")] or made.level in (
            Level.RAID0,
            Level.LINEAR,
        )
