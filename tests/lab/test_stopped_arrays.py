"""Stopped arrays, on a real machine: detection, display, and their disks released only by the array's name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit.blank import blank
from tests.kit.settled import SETTLED

pytestmark = pytest.mark.lab

_CLEAN = f"""umount -q -A /mnt/a /mnt/b; udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop --scan
for disk in /dev/sd[a-d]; do mdadm --quiet --zero-superblock $disk; wipefs -qa $disk; done; {blank("/dev/sd[a-d]")}
udevadm control --start-exec-queue; udevadm trigger --settle --subsystem-match=block; true"""
_TRIES = 50
_TANK = f"""set -e; {SETTLED}
mdadm --quiet --create --run /dev/md/tank --level=5 --raid-devices=3 --assume-clean --bitmap=internal $1 \
/dev/sda /dev/sdb /dev/sdc; mdadm --quiet --stop /dev/md/tank"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, of small disks."""
    with start(LabSpec(disks_from_text("4x2GB", at_memory_speed=True))) as machine:
        yield machine


@pytest.fixture(autouse=True)
def _clean(lab: Lab) -> Iterator[None]:
    yield
    _sh(lab, _CLEAN)
    _sh(lab, _FAST)


def _sh(lab: Lab, script: str, *words: str) -> str:
    return lab.exec(["sh", "-c", script, "sh", *words]).stdout.decode().strip()


@pytest.fixture
def command(lab: Lab, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """``raidwright …`` on the lab: the JSON that it printed, or the sentence of its refusal."""

    def call(*arguments: str, refused: bool = False) -> Any:
        status = main([*arguments, "--machine", f"lab:{lab.name}", "--json"])
        out, err = capsys.readouterr()
        assert (status != 0) == refused, err
        return err.splitlines()[-1] if refused else json.loads(out)

    return call


def _uses(command: Callable[..., Any]) -> list[list[str]]:
    return [[use["kind"] for use in disk["uses"]] for disk in command("disks")]


def _plan(command: Callable[..., Any], folder: Path, *letters: str) -> tuple[str, list[str]]:
    """Write a mirror called other, of those disks, to a file; return it and their ids."""
    disks = {disk["device"][-1]: disk for disk in command("disks")}
    members = [{key: disks[one][key] for key in ("id", "model", "serial", "size_bytes")} for one in letters]
    path = folder / "plan.json"
    path.write_text(json.dumps({"version": 1, "name": "other", "level": "raid1", "members": members}))
    return str(path), [str(member["id"]) for member in members]


def test_a_stopped_array_is_told_and_its_disks_are_taken_by_its_name_alone(
    lab: Lab, command: Callable[..., Any], tmp_path: Path
) -> None:
    _sh(lab, _TANK)
    [tank] = command("array", "list")
    keys = ("name", "state", "members_here", "members_missing", "homehost", "running")
    assert [tank[key] for key in keys] == ["tank", "stopped", 3, 0, "practice", False]
    assert tank["starts_on"] == {"linux": "2.6", "needs": [], "mdadm": "2.0"}
    assert tank["updated_s"] > 1_700_000_000
    assert _uses(command) == [["stopped_array_member"]] * 3 + [[]]
    plan, (member, _) = _plan(command, tmp_path, "a", "d")
    build = ("build", plan, "--yes-name", "other")
    for names in ("", "linux_raid_member", "linux_raid_member,array:tnak", "array:tank"):
        given = ("--remove", f"{member}={names}") if names else ()
        sentence = command(*build, *given, refused=True)
        assert "stopped arrays that can be started again: “tank”" in sentence
        assert f"--remove {member}=array:tank,linux_raid_member" in sentence
    before = _sh(lab, "mdadm --examine /dev/sd[abc] | md5sum")
    assert before == _sh(lab, "mdadm --examine /dev/sd[abc] | md5sum")
    built = command(*build, "--remove", f"{member}=linux_raid_member,array:tank")
    states = {array["name"]: (array["state"], array["members_here"]) for array in command("array", "list")}
    assert states == {"tank": ("stopped", 2), "other": ("running", 2)}  # a raid5 of three runs with two
    assert _uses(command)[1:3] == [["stopped_array_member"]] * 2
    _sh(lab, "mdadm --wait /dev/md/other; true")
    command("builds", "--undo", built["build_id"])
    _sh(lab, "udevadm settle; mdadm --quiet --stop --scan; udevadm settle")
    assert [array["members_here"] for array in command("array", "list")] == [3]


_LIMITS = "for kind in max min; do echo {kib_s} > /proc/sys/dev/raid/speed_limit_$kind; done\n"
_REBUILDS = """mdadm /dev/md/tank --fail /dev/sdc; mdadm /dev/md/tank --remove /dev/sdc
mdadm --zero-superblock /dev/sdc; mdadm /dev/md/tank --add /dev/sdc"""
_SLOW = f"""set -e; {SETTLED}{_LIMITS.format(kib_s=200)}
mdadm --quiet --create --run /dev/md/tank --level=6 --size=300M --raid-devices=4 /dev/sda /dev/sdb /dev/sdc /dev/sdd
mdadm --quiet --manage /dev/md/tank --fail /dev/sdb; udevadm settle
md=/sys/block/$(basename $(readlink -f /dev/md/tank))/md; cat $md/degraded $md/sync_action"""
_FAST = _LIMITS.format(kib_s=2_000_000)
_ENDED = f"""{_FAST}mdadm --wait /dev/md/tank; cat /sys/block/$(basename $(readlink -f /dev/md/tank))/md/resync_start"""
_ASSEMBLE = """udevadm settle; mdadm --quiet --stop /dev/md/tank; udevadm settle
mdadm --assemble /dev/md/tank /dev/sda /dev/sdc /dev/sdd 2>&1; mdadm --quiet --stop /dev/md/tank; true"""


def test_an_array_that_md_would_not_start_again_is_not_stopped(lab: Lab, command: Callable[..., Any]) -> None:
    """A raid6 that lost a disk in its first sync: mdadm itself refuses it after a stop, and not once that has ended."""
    assert _sh(lab, _SLOW).split() == ["1", "resync"]
    assert [array["facts"]["stays_stopped"] for array in command("array", "list")] == [True]
    assert "only by force" in command("array", "stop", "tank", "--yes-name", "tank", refused=True)
    assert _sh(lab, _ENDED) == "none"
    assert [array["facts"]["stays_stopped"] for array in command("array", "list")] == [False]
    command("array", "stop", "tank", "--yes-name", "tank")
    command("array", "start", "tank", "--missing", "--yes-name", "tank")
    _sh(lab, _CLEAN)
    _sh(lab, _SLOW)
    assert "while not clean - consider --force" in _sh(lab, _ASSEMBLE)  # what the refusal keeps people from


_NAS = f"""set -e; {SETTLED}{_LIMITS.format(kib_s=200)}
for disk in a b c; do printf 'label: gpt\\nsize=300MiB\\nsize=300MiB\\n' | sfdisk -q /dev/sd$disk; done; udevadm settle
mdadm --quiet --create --run /dev/md/sys --level=1 --raid-devices=8 -e1.0 /dev/sd[abc]1 $(yes missing | head -n 5)
mdadm --quiet --create --run /dev/md/data --level=5 --raid-devices=3 /dev/sd[abc]2; udevadm settle
data=/sys/block/$(basename $(readlink -f /dev/md/data))/md
until grep -q delayed $data/sync_completed; do sleep 0.1; done"""


def test_the_arrays_of_a_nas_are_no_loss_and_one_waits_for_the_other(
    lab: Lab, command: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """The system's mirror has a slot for each bay; both arrays lie on the same disks, so md syncs them in turn."""
    _sh(lab, _NAS)
    arrays = {array["name"]: array for array in command("array", "list")}
    assert (arrays["sys"]["degraded"], arrays["sys"]["facts"]["delayed"]) == (5, False)
    assert arrays["data"]["facts"]["delayed"]
    assert main(["array", "list", "--machine", f"lab:{lab.name}"]) == 0
    said = capsys.readouterr().out
    assert "Makers of NAS keep a slot for each bay" in said
    assert "recover: waits until md is done with another array on these disks" in said
    _sh(lab, f"{_FAST}mdadm --wait /dev/md/sys; mdadm --wait /dev/md/data; true")
    assert not any(array["facts"]["delayed"] for array in command("array", "list"))


def test_a_foreign_array_is_found_and_one_of_too_few_disks_is_told(
    lab: Lab, command: Callable[..., Any], tmp_path: Path
) -> None:
    _sh(lab, _TANK, "--homehost=oldnas")
    assert [(array["name"], array["homehost"]) for array in command("array", "list")] == [("tank", "oldnas")]
    _sh(lab, "mdadm --quiet --zero-superblock /dev/sdb /dev/sdc; udevadm settle")
    [tank] = command("array", "list")
    assert (tank["state"], tank["members_here"], tank["members_missing"]) == ("short", 1, 2)
    assert _uses(command)[0] == ["stale_array_member"]
    plan, (member, _) = _plan(command, tmp_path, "a", "d")
    build = ("build", plan, "--yes-name", "other")
    assert "array:" not in command(*build, refused=True)
    command(*build, "--remove", f"{member}=linux_raid_member")


def test_disks_in_use_through_others_are_in_use(lab: Lab, command: Callable[..., Any], tmp_path: Path) -> None:
    """btrfs on two disks, mounted by its first, and an ext4 whose journal is on a disk of its own."""
    _sh(
        lab,
        "set -e; mkdir -p /mnt/a /mnt/b; mkfs.btrfs -q -f /dev/sda /dev/sdb; mount /dev/sda /mnt/a;"
        "mke2fs -q -F -b 4096 -O journal_dev /dev/sdd; mkfs.ext4 -q -F -b 4096 -J device=/dev/sdd /dev/sdc;"
        "udevadm trigger --settle --subsystem-match=block; mount /dev/sdc /mnt/b; udevadm settle",
    )
    disks = command("disks")
    assert [disk["live"] for disk in disks] == [True] * 4
    assert disks[1]["uses"][0]["detail"] == "/mnt/a"
    plan, _ = _plan(command, tmp_path, "b", "d")
    assert "In use now" in command("build", plan, "--yes-name", "other", refused=True)
    _sh(lab, "umount /mnt/a /mnt/b; udevadm trigger --settle --subsystem-match=block")
    assert [disk["live"] for disk in command("disks")] == [False] * 4


_FILE = """mount $1 /mnt/a && cat /mnt/a/photo && umount /mnt/a"""


def _store(lab: Lab) -> None:
    """Write a file to tank, before it is stopped."""
    _sh(
        lab,
        f"set -e; {SETTLED}mkdir -p /mnt/a; mdadm --quiet --assemble /dev/md/tank /dev/sd[abc];"
        "mkfs.ext4 -q -F /dev/md/tank; mount /dev/md/tank /mnt/a; echo summer > /mnt/a/photo; umount /mnt/a;"
        "udevadm settle; mdadm --quiet --stop /dev/md/tank",
    )


def _mdstat(lab: Lab) -> str:
    return _sh(lab, "cat /proc/mdstat")


def test_a_stopped_array_is_started_and_only_read_where_that_is_meant(lab: Lab, command: Callable[..., Any]) -> None:
    _sh(lab, _TANK, "--homehost=oldnas")
    _store(lab)
    before = _sh(lab, "mdadm --examine /dev/sd[abc] | md5sum")
    started = command("array", "start", "tank", "--read-only")
    assert (started["missing"], started["read_only"]) == (0, True)
    assert "(read-only)" in _mdstat(lab)
    assert "--force" not in " ".join(started["log"])
    assert _sh(lab, "mount -o ro,noload /dev/md/tank /mnt/a && cat /mnt/a/photo && umount /mnt/a") == "summer"
    assert "runs already" in command("array", "start", "tank", refused=True)
    command("array", "stop", "tank", "--yes-name", "tank")
    assert _sh(lab, "mdadm --examine /dev/sd[abc] | md5sum") == before  # nothing was written
    assert "Nothing was done" in command("array", "start", "tank", "--yes-name", "tnak", refused=True)
    command("array", "start", "tank")
    assert _sh(lab, _FILE, "/dev/md/tank") == "summer"
    assert [array["state"] for array in command("array", "list")] == ["running"]


def test_without_a_member_it_is_started_only_where_that_is_confirmed(lab: Lab, command: Callable[..., Any]) -> None:
    _sh(lab, _TANK)
    _store(lab)
    _sh(lab, "mdadm --quiet --zero-superblock /dev/sdb; udevadm settle")
    assert "--missing" in command("array", "start", "tank", refused=True)
    assert "--yes-name tank" in command("array", "start", "tank", "--missing", refused=True)
    assert "active" not in _mdstat(lab)
    started = command("array", "start", "tank", "--missing", "--yes-name", "tank")
    assert started["missing"] == 1
    assert _sh(lab, _FILE, "/dev/md/tank") == "summer"
    command("array", "stop", "tank", "--yes-name", "tank")
    assert command("array", "start", "tank")["missing"] == 1  # no member is missing since the last write


def test_a_rebuild_that_a_stop_interrupted_goes_on(lab: Lab, command: Callable[..., Any]) -> None:
    """Without a word about a member that is missing: it is here."""
    _sh(lab, _TANK, "--size=200M")
    command("array", "start", "tank")
    _sh(lab, f"set -e; {_LIMITS.format(kib_s=2000)}{_REBUILDS}; sleep 1")
    command("array", "stop", "tank", "--yes-name", "tank")
    [array] = command("array", "list")
    assert (array["state"], array["members_here"]) == ("stopped", 2)
    command("array", "start", "tank")
    rebuilt = "cat /sys/block/$(basename $(readlink -f /dev/md/tank))/md/dev-sdc/recovery_start"
    assert int(_sh(lab, rebuilt)) > 0  # from where it was
    _sh(lab, f"{_FAST}mdadm --readwrite /dev/md/tank; mdadm --wait /dev/md/tank; true")
    [array] = command("array", "list")
    assert (array["state"], array["lacks"]) == ("running", [])


def test_what_can_not_be_started_is_refused_and_stays_as_it_is(lab: Lab, command: Callable[..., Any]) -> None:
    _sh(lab, _TANK)
    _store(lab)
    _sh(lab, "dd if=/dev/sda of=/dev/sdd bs=1M count=1 conv=fsync status=none; udevadm settle")
    _sh(lab, "udevadm settle; mdadm --quiet --stop --scan; udevadm settle; true")
    assert "say that they are slot 0" in command("array", "start", "tank", refused=True)
    _sh(lab, "mdadm --quiet --zero-superblock /dev/sdd; udevadm settle; mdadm --quiet --stop --scan; udevadm settle")
    _sh(lab, "mdadm --quiet --zero-superblock /dev/sdb /dev/sdc; udevadm settle")
    assert "Too few of its members are here (1 of 3)" in command("array", "start", "tank", refused=True)
    assert "active" not in _mdstat(lab).replace("inactive", "")


def test_what_udev_left_half_assembled_is_started(lab: Lab, command: Callable[..., Any]) -> None:
    _sh(lab, _TANK)
    _store(lab)
    # UDisks2 may miss an inactive array until its next event, as after a boot
    _sh(lab, "mdadm --quiet --incremental /dev/sda; udevadm settle; udevadm trigger --settle --sysname-match='md*'")
    for _ in range(_TRIES):  # UDisks2 hears of the array a moment after udev
        [tank] = command("array", "list")
        if tank["state"] == "inactive":
            break
    assert (tank["state"], tank["running"]) == ("inactive", False)
    disks = command("disks")
    assert [disk["live"] for disk in disks] == [True, False, False, False]
    assert [disk["uses"][0]["kind"] for disk in disks[:3]] == ["stopped_array_member"] * 3
    assert command("array", "start", "tank")["missing"] == 0
    assert _sh(lab, _FILE, "/dev/md/tank") == "summer"


def test_a_member_that_is_in_use_keeps_it_from_being_started(lab: Lab, command: Callable[..., Any]) -> None:
    _sh(lab, _TANK)
    _sh(lab, "dmsetup create held --table '0 2048 linear /dev/sdc 0' && udevadm settle")
    try:
        assert "is part of dm-0" in command("array", "start", "tank", refused=True)
    finally:
        _sh(lab, "dmsetup remove held")
    assert "active" not in _mdstat(lab)
