"""``raidwright array change --plan``: the dry run on an array that doesn't exist yet, without a machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.core.lvm.bands import banded
from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import dump_plan


@pytest.fixture
def plan(tmp_path: Path) -> str:
    """A plan's file: raid5 of three disks of 8 TB."""
    members = [{"id": f"wwn-0x5000c5000000000{n}", "size_bytes": 8_001_563_222_016} for n in range(3)]
    path = tmp_path / "tank.json"
    path.write_text(json.dumps({"version": 1, "name": "tank", "level": "raid5", "members": members}))
    return str(path)


def test_the_dry_run_has_steps_with_commands_times_and_the_arrays_before_and_after(
    plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["array", "change", plan, "--plan", "--add", "NEW", "--level", "raid6", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [step["step"] for step in shown["steps"]] == ["add", "reshape", "check"]
    assert shown["steps"][1]["command"] == ["mdadm --grow /dev/md/tank --level=raid6 --raid-devices=4"]
    time = shown["steps"][1]["time"]
    assert 1 < time["low_hours"] < time["likely_hours"] < time["high_hours"]
    assert (shown["steps"][1]["survives_meanwhile"], shown["takes_backup_file"]) == (1, False)
    assert shown["after"]["array_sectors"] == shown["before"]["array_sectors"]
    assert shown["after"]["survival"]["2"] == [6, 6]
    assert all(step["way_back"] and step["power_cut"] for step in shown["steps"])


def test_the_dry_run_heeds_the_plans_links_and_assumptions(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = json.loads(Path(plan).read_text(encoding="utf-8"))
    for disk in said["members"]:
        disk["baseline"] = {"kind": "hdd", "sequential_read_mb_s": 210, "sequential_write_mb_s": 200, "link": "usb"}
    said |= {"links": {"usb": {"mb_s": 90}}, "assumptions": {"failure_rate": 0.2}}
    Path(plan).write_text(json.dumps(said), encoding="utf-8")
    assert main(["assess", plan, "--json"]) == 0
    today = json.loads(capsys.readouterr().out)
    assert main(["array", "change", plan, "--plan", "--add", "NEW", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    for told in (shown["before"], shown["after"]):
        assert told["performance"]["sequential_read"]["normal"]["limited_by"] == "the link usb"
        assert told["loss"]["probability"] > today["loss"]["probability"] / 2
    assert not any("the link usb passes all" in one for step in shown["steps"] for one in step["time"]["assumes"])


def test_the_text_is_numbered(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["array", "change", plan, "--plan", "--add", "NEW"]) == 0
    text = capsys.readouterr().out
    assert "1. Add the disk NEW" in text
    assert "2. Change the members: RAID 5 with 1 spare · 3 disks · 16.0 TB becomes RAID 5 · 4 disks · 24.0 TB" in text
    assert "All of it: about" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--level", "raid10"], "md has no way to raid10 from here."),
        (["--members", "2"], "isn't known, so nothing may be cut off"),
        (["--level", "raid7"], "“raid7” is no level"),
        (["--layout", "sideways"], "raid5 has no layout “sideways”"),
        ([], "Say what is to change"),
    ],
)
def test_what_can_not_be_has_its_reason_and_exit_code_2(
    plan: str, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["array", "change", plan, "--plan", *words]) == 2
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


def test_a_plan_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["array", "change", "/nowhere.json", "--plan", "--chunk", "64"]) == 2
    assert "/nowhere.json can't be read" in capsys.readouterr().err


def test_a_joined_volume_grows_by_a_disk_and_by_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    disks = [Member(f"wwn-0x500{tb}", tb * 10**12) for tb in (4, 8, 12)]
    path = tmp_path / "heap.json"
    path.write_text(json.dumps(dump_plan(Plan(banded(disks, 1, name="heap").plan))))
    words = ["array", "change", str(path), "--plan", "--add", "NEW"]
    assert main([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    kinds = ["partition", "add", "reshape", "grow-content", "extend"]
    assert [step["step"] for step in shown["steps"]] == kinds
    assert shown["steps"][2]["command"] == ["mdadm --grow /dev/md/heap-0 --raid-devices=4"]
    assert shown["after"]["array_sectors"] > shown["before"]["array_sectors"]
    assert (shown["left_out"], shown["takes_backup_file"]) == ([], False)
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "3 disks joined, 12.0 TB becomes 4 disks joined, 16.0 TB" in text
    assert "1. Make the slices of NEW" in text
    assert main([*words, "--level", "raid6"]) == 2
    told = capsys.readouterr().out
    assert "Joined arrays can't be made into a single one" in told
    assert "Its members are arrays" in told
    assert main([*words[:-2], "--members", "1"]) == 2
    assert "takes members out of raid4, raid5 and raid6 alone" in capsys.readouterr().out


def test_larger_disks_take_the_places_of_members_one_by_one(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    larger = ["array", "change", plan, "--plan", "--use-larger-disks"]
    count = len(json.loads(Path(plan).read_text(encoding="utf-8"))["members"])
    assert main([*larger, *(f"NEW{number}" for number in range(count)), "--json"]) == 0
    steps = [step["step"] for step in json.loads(capsys.readouterr().out)["steps"]]
    assert steps == [*["exchange"] * count, "resize", "check"]
    assert main([*larger, "NEW0"]) == 0
    assert f"1 of {count} members are larger than what the array uses of each" in capsys.readouterr().out
