"""The erasing commands of a build, which are the helper's, in its order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import EXPLANATIONS
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.export.removal import removal_commands

PLAN = Plan(MdArray(Level.RAID1, tuple(Member(f"wwn-0x{number}", 10**12) for number in (3, 1, 2)), name="tank"))


def _disk(disk_id: str, *uses: Use) -> Disk:
    return Disk(disk_id, "/dev/sda", "", "", "", 10**12, uses=uses)


def test_partitions_go_before_the_table_that_they_stand_in_and_disks_in_the_plans_order() -> None:
    names = {"wwn-0x1": ("gpt", "PMBR", "10:xfs", "2:ext4"), "wwn-0x3": ("ext4",), "wwn-0x9": ("ext4",)}
    commands = removal_commands(PLAN, {}, names)
    assert [command.shell() for command in commands] == [
        "wipefs --all --types=ext4 /dev/disk/by-id/wwn-0x3",
        "wipefs --all --types=ext4 /dev/disk/by-id/wwn-0x1-part2",
        "wipefs --all --types=xfs /dev/disk/by-id/wwn-0x1-part10",
        "wipefs --all --types=PMBR,gpt /dev/disk/by-id/wwn-0x1",
    ]
    assert all(option.why in EXPLANATIONS for command in commands for option in command.options)


def test_of_a_disk_that_nobody_looked_at_all_goes() -> None:
    used = _disk("wwn-0x1", Use(UseKind.PARTITION_TABLE, "gpt"), Use(UseKind.FILESYSTEM, "ext4", 2))
    disks = {"wwn-0x1": used, "wwn-0x2": _disk("wwn-0x2"), "wwn-0x3": _disk("wwn-0x3", Use(UseKind.LVM))}
    commands = removal_commands(PLAN, disks, {"wwn-0x3": ()})
    assert [command.shell() for command in commands] == [
        "wipefs --all /dev/disk/by-id/wwn-0x1-part2",
        "wipefs --all /dev/disk/by-id/wwn-0x1",
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(dump_plan(PLAN)), encoding="utf-8")
    return file


def test_a_script_removes_what_it_is_told(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(path), "--as", "script", "--remove", "wwn-0x2=gpt,1:ext4"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    first = lines.index("wipefs --all --types=ext4 /dev/disk/by-id/wwn-0x2-part1")
    assert lines[first + 1] == "wipefs --all --types=gpt /dev/disk/by-id/wwn-0x2"
    assert first < lines.index("mdadm --create /dev/md/tank \\")
    assert any(line.startswith("look /dev/disk/by-id/wwn-0x2") and line.endswith("'1:ext4 gpt'") for line in lines)


@pytest.mark.parametrize(("more", "why"), [
    (["--as", "card", "--remove", "wwn-0x2=ext4"], "goes with --as script"),
    (["--as", "script", "--remove", "wwn-0x9=ext4"], "no disk of the plan: wwn-0x9"),
    (["--as", "script", "--remove", "wwn-0x2=x:ext4"], "not a disk's id"),
    (["--as", "script", "--remove", "wwn-0x2=ext4;reboot"], "not a disk's id"),
    (["--as", "script", "--remove", "wwn-0x2"], "not a disk's id"),
])  # fmt: skip
def test_what_is_no_removal_is_told(path: Path, capsys: pytest.CaptureFixture[str], more: list[str], why: str) -> None:
    assert main(["export", str(path), *more]) == 2
    assert why in capsys.readouterr().err
