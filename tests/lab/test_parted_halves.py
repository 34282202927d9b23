"""Halves of arrays that were written to without each other, on real md: told apart, started by choice, never mixed.

Disks are pulled and plugged, and everything else is done by the command line, as a person does it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit.blank import blank

pytestmark = pytest.mark.lab

_DISKS = disks_from_text("4x300MB", at_memory_speed=True)
_SERIALS = [disk.serial for disk in _DISKS]
_PATIENCE_S = 120
_CLEAN = f"""umount -q -A /mnt/a; udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop --scan
for disk in /dev/sd[a-d]; do mdadm --quiet --zero-superblock $disk; wipefs -qa $disk; done; {blank("/dev/sd[a-d]")}
for kind in max min; do echo 200000 > /proc/sys/dev/raid/speed_limit_$kind; done
udevadm control --start-exec-queue; udevadm trigger --settle --subsystem-match=block; true"""
# Small chunks of the bitmap: of large ones md would copy more than what was missed, and hide a mixture.
_MAKE = """set -e; mdadm --quiet --create --run /dev/md/brain --bitmap=internal --bitmap-chunk=64K $1
mdadm --quiet --wait /dev/md/brain || true; udevadm settle; mkfs.ext4 -q /dev/md/brain
mkdir -p /mnt/a; mount /dev/md/brain /mnt/a; echo both > /mnt/a/both; sync
umount /mnt/a; udevadm settle"""
_WRITE = """set -e; mount /dev/md/brain /mnt/a; dd if=/dev/urandom of=/mnt/a/$1 bs=1M count=8 status=none
rm -f /mnt/a/both; echo $1 > /mnt/a/both; sync; cat /mnt/a/* 2> /dev/null | md5sum; umount /mnt/a"""
_READ = """set -e; mount -o ro,noload /dev/md/brain /mnt/a; cat /mnt/a/both; cat /mnt/a/* 2> /dev/null | md5sum
umount /mnt/a"""
# Each half runs by itself, one after the other, while udev is held: as after two starts with another cable loose.
_PART = """udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop /dev/md/brain; export MDADM_NO_UDEV=1
for half in "$1" "$2"; do mdadm --quiet --assemble --run /dev/md99 $half || exit 1
mount /dev/md99 /mnt/a || exit 1; dd if=/dev/urandom of=/mnt/a/own bs=1M count=8 status=none; echo $half > /mnt/a/both
sync; umount /mnt/a; mdadm --quiet --stop /dev/md99; done; udevadm control --start-exec-queue"""
_CHECK = """set -e; md=/sys/block/$(basename $(readlink -f /dev/md/brain))/md; echo check > $md/sync_action
mdadm --quiet --wait /dev/md/brain || true
until grep -q idle $md/sync_action; do sleep 0.1; done; cat $md/mismatch_cnt"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, of small disks."""
    with start(LabSpec(_DISKS)) as machine:
        yield machine


@pytest.fixture(autouse=True)
def _clean(lab: Lab) -> Iterator[None]:
    yield
    for serial in lab.pulled_disks():
        lab.plug_disk(serial)
    _sh(lab, _CLEAN)


def _sh(lab: Lab, script: str, *words: str) -> str:
    return lab.exec(["sh", "-c", script, "sh", *words]).stdout.decode().strip()


@pytest.fixture
def command(lab: Lab, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """``raidwright array …`` on the lab: its JSON, its text, or the sentence of its refusal."""

    def call(*arguments: str, refused: bool = False, text: bool = False) -> Any:
        status = main(["array", *arguments, "--machine", f"lab:{lab.name}", *([] if text else ["--json"])])
        out, err = capsys.readouterr()
        assert (status != 0) == refused, err
        if refused:
            return err.splitlines()[-1]
        return out if text else json.loads(out)

    return call


def _brain(command: Callable[..., Any], is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the array once it is seen as expected."""
    ends_s = time.monotonic() + _PATIENCE_S
    while True:
        arrays = [array for array in command("list") if array["name"] == "brain"]
        if arrays and is_so(arrays[0]):
            return dict(arrays[0])
        assert time.monotonic() < ends_s, arrays
        time.sleep(0.3)


def _former(array: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {one["member"]["serial"]: (one["history"], one["way"]) for one in array["former"]}


def _whole(array: dict[str, Any]) -> bool:
    return bool(array["running"] and not array["degraded"] and array["sync_action"] == "idle")


def test_a_mirrors_half_that_was_written_to_alone_never_comes_back_mixed_in(
    lab: Lab, command: Callable[..., Any]
) -> None:
    """One disk falls out and the other is written to; then that is out, and the first is written to."""
    first, second = _SERIALS[:2]
    confirmed = ("--yes-name", "brain")
    _sh(lab, _MAKE, "--level=1 --raid-devices=2 /dev/sda /dev/sdb")
    lab.pull_disk(second)
    _brain(command, lambda array: array["degraded"] == 1)
    of_first = _sh(lab, _WRITE, "first")
    command("stop", "brain", *confirmed)
    lab.pull_disk(first)
    lab.plug_disk(second)
    assert "they are newer than what is here" in command("start", "brain", refused=True)
    command("start", "brain", "--missing", *confirmed)
    of_second = _sh(lab, _WRITE, "second")
    lab.plug_disk(first)
    array = _brain(command, lambda array: bool(array["former"]) and array["former"][0]["history"] is not None)
    assert _former(array) == {first: ("parted", "rebuilds")}
    told = command("list", text=True)
    assert "which disk was in it has not been seen from here" not in told
    assert "out of date" not in told
    assert "It was written to on its own until" in told
    assert "--as-new" in command("re-add", "brain", first, *confirmed, refused=True)
    assert f"half:brain@{time.strftime('%Y')}" in command("replace", "brain", "--with", first, *confirmed, refused=True)
    assert "Stop it first" in command("rescue", "brain")["lost"]
    assert _sh(lab, _READ).split() == ["second", of_second.split()[0], "-"]

    command("stop", "brain", *confirmed)
    array = _brain(command, lambda array: array["state"] == "parted")
    assert sorted(len(half["disks"]) for half in array["halves"]) == [1, 1]
    assert array["halves"][0]["updated_s"] >= array["halves"][1]["updated_s"]
    refusal = command("start", "brain", refused=True)
    assert first in refusal
    assert second in refusal
    assert "--from" in refusal
    assert [one["reason"] for one in command("rescue", "brain")["hypotheses"]][:2] == ["half", "half"]
    command("start", "brain", "--from", first, "--read-only")
    assert _sh(lab, _READ).split() == ["first", of_first.split()[0], "-"]
    command("stop", "brain", *confirmed)
    command("start", "brain", "--from", second, *confirmed)
    assert _sh(lab, _READ).split() == ["second", of_second.split()[0], "-"]
    assert command("re-add", "brain", first, "--as-new", *confirmed)["joined"] == "rebuilds"
    _brain(command, _whole)
    assert _sh(lab, _CHECK) == "0"
    assert _sh(lab, _READ).split() == ["second", of_second.split()[0], "-"]


@pytest.mark.parametrize(
    ("shape", "halves"),
    [
        ("--level=1 --raid-devices=2 /dev/sda /dev/sdb", ("/dev/sda", "/dev/sdb")),
        (
            "--level=10 --layout=n2 --raid-devices=4 /dev/sda /dev/sdb /dev/sdc /dev/sdd",
            ("/dev/sda /dev/sdc", "/dev/sdb /dev/sdd"),
        ),
    ],
)
def test_halves_have_parted_whatever_their_event_counts(
    lab: Lab, command: Callable[..., Any], shape: str, halves: tuple[str, str]
) -> None:
    _sh(lab, _MAKE, shape)
    _sh(lab, _PART, *halves)
    _sh(lab, "udevadm trigger --settle --subsystem-match=block")  # as the next start of the computer
    array = _brain(command, lambda array: array["state"] == "parted" or bool(array["former"]))
    if array["running"]:  # udev took one of them, whichever came first
        array = _brain(command, lambda array: all(one["history"] for one in array["former"]))
        assert {history for history, _ in _former(array).values()} == {"parted"}
        command("stop", "brain", "--yes-name", "brain")
        array = _brain(command, lambda array: array["state"] == "parted")
    for half in halves:
        serial = _sh(lab, "lsblk --noheadings --nodeps --output=SERIAL $1", half.split()[0])
        command("start", "brain", "--from", serial, "--read-only")
        assert _sh(lab, "mount -o ro,noload /dev/md/brain /mnt/a; cat /mnt/a/both; umount /mnt/a") == half
        command("stop", "brain", "--yes-name", "brain")


def test_a_member_that_only_fell_behind_still_catches_up(lab: Lab, command: Callable[..., Any]) -> None:
    _sh(lab, _MAKE, "--level=5 --raid-devices=3 /dev/sda /dev/sdb /dev/sdc")
    lab.pull_disk(_SERIALS[2])
    _brain(command, lambda array: array["degraded"] == 1)
    written = _sh(lab, _WRITE, "later")
    lab.plug_disk(_SERIALS[2])
    array = _brain(command, lambda array: bool(array["former"]) and array["former"][0]["history"] is not None)
    assert _former(array) == {_SERIALS[2]: ("behind", "caught-up")}
    assert command("re-add", "brain", _SERIALS[2], "--yes-name", "brain")["came_back"] == "caught-up"
    _brain(command, _whole)
    assert _sh(lab, _CHECK) == "0"
    assert _sh(lab, _READ).split() == ["later", written.split()[0], "-"]


def test_a_copy_and_a_disk_that_never_was_in_sync_are_none_of_the_arrays_past(
    lab: Lab, command: Callable[..., Any]
) -> None:
    _sh(lab, _MAKE, "--level=1 --raid-devices=2 /dev/sda /dev/sdb")
    _sh(lab, "dd if=/dev/sda of=/dev/sdc bs=1M oflag=direct status=none; udevadm trigger /dev/sdc")
    array = _brain(command, lambda array: bool(array["former"]) and array["former"][0]["history"] is not None)
    assert {serial: history for serial, (history, _) in _former(array).items()} == {_SERIALS[2]: "copy"}
    rescue = command("rescue", "brain")
    standings = {disk["serial"]: disk["standing"] for disk in rescue["disks"]}
    assert (standings[_SERIALS[0]], standings[_SERIALS[2]], rescue["hypotheses"]) == ("agrees", "copy", [])
    assert "Stop it first" in rescue["lost"]
    lab.pull_disk(_SERIALS[2])
    _sh(lab, "for kind in max min; do echo 100 > /proc/sys/dev/raid/speed_limit_$kind; done")
    lab.pull_disk(_SERIALS[1])
    _brain(command, lambda array: array["degraded"] == 1)
    command("add-spare", "brain", _SERIALS[3], "--yes-name", "brain")
    _brain(command, lambda array: array["sync_action"] == "recover")
    lab.pull_disk(_SERIALS[3])
    _brain(command, lambda array: array["sync_action"] == "idle" and array["degraded"] == 1)
    lab.plug_disk(_SERIALS[3])
    array = _brain(command, lambda array: bool(array["former"]) and array["former"][0]["history"] is not None)
    assert _former(array) == {_SERIALS[3]: ("rebuilding", "rebuilds")}
    assert "Its rebuild never ended" in command("list", text=True)
