"""Arrays that carry LVM or LUKS, and states of md that are told by its own word: as people meet them, no help given."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

pytestmark = pytest.mark.lab
_CREATE = "mdadm -q --create /dev/md/{name} --run --homehost=oldnas --assume-clean"
_LVM = f"""set -e; {_CREATE.format(name="qnap")} -l1 -n2 /dev/sda /dev/sdb
pvcreate -q /dev/md/qnap; vgcreate -q vg1 /dev/md/qnap; lvcreate -q -L 60M -n lv1 vg1; lvcreate -q -L 20M -n raw vg1
mkfs.ext4 -q /dev/vg1/lv1; mount /dev/vg1/lv1 /mnt; echo summer > /mnt/kept; umount /mnt"""
# The header of LUKS, which is all that tells it; cryptsetup isn't there.
_LUKS = f"""set -e; {_CREATE.format(name="secret")} -l1 -n2 /dev/sda /dev/sdb; cd /tmp
printf 'LUKS\\272\\276\\000\\001aes' > head; truncate -s 40 head; printf 'xts-plain64' >> head; truncate -s 72 head
printf 'sha256' >> head; truncate -s 168 head; printf '01234567-89ab-cdef-0123-456789abcdef' >> head
dd if=head of=/dev/md/secret conv=notrunc,fsync status=none"""
_UNLOCKED = 'dmsetup create clear --uuid CRYPT-LUKS1-01234567-clear --table "0 40000 linear /dev/md/secret 4096"'
_LEAVE = """umount -q /srv/qnap; vgchange -q -an; dmsetup remove -f clear; udevadm settle
for md in /dev/md?*; do [ -b $md ] && mdadm -q --stop $md; done
for disk in /dev/sd?; do mdadm -q --zero-superblock $disk; wipefs -aq $disk; blkdiscard -fz $disk; done
sed -i '/srv/d' /etc/fstab; sed -i '/^ARRAY/d' /etc/mdadm/mdadm.conf; systemctl daemon-reload; udevadm settle; true"""


class _House:
    """The machine, and the command line at it."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def sh(self, script: str) -> str:
        """Return the output of a shell script in the machine."""
        return self.lab.exec(["sh", "-c", script]).stdout.decode().strip()

    def run(self, *words: str, code: int = 0) -> Any:
        """Return what a command prints with --json; its last line on stderr if it ends with another code."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([*words, "--json", "--machine", f"lab:{self.lab.name}"])
        assert status == code, (words, status, err.getvalue()[-2000:], out.getvalue()[-500:])
        return json.loads(out.getvalue()) if out.getvalue() else err.getvalue().splitlines()[-1]

    def act(self, act: str, name: str, *words: str, code: int = 0) -> Any:
        """Return what an act on an array prints, confirmed by its name."""
        return self.run("array", act, name, *words, "--yes-name", name, code=code)


@pytest.fixture(scope="module")
def machine() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("5x128MB", at_memory_speed=True))) as lab:
        yield lab


@pytest.fixture
def house(machine: Lab) -> Iterator[_House]:
    made = _House(machine)
    yield made
    machine.exec(["sh", "-c", _LEAVE], check=False)


def test_an_array_with_lvm_is_taken_over_and_its_volume_mounted(house: _House) -> None:
    house.sh(_LVM)
    steps = " ".join(house.run("array", "take-over", "qnap", "--mount", "/srv/qnap", "--dry-run")["steps"])
    assert "deactivated: vg1-lv1 and vg1-raw" in steps
    assert "vg1-lv1 on it is mounted at /srv/qnap" in steps
    assert house.act("take-over", "qnap", "--mount", "/srv/qnap")["mounted"] is True
    assert house.sh("cat /srv/qnap/kept; mdadm --detail --export /dev/md/qnap | grep MD_NAME") == (
        f"summer\nMD_NAME={house.sh('hostname')}:qnap"
    )
    assert "vg1-lv1, mounted at /srv/qnap" in house.act("stop", "qnap", code=2)
    refused = house.run("array", "take-over", "qnap", "--name", "more", "--dry-run", code=2)
    assert "vg1-lv1 on it is mounted at /srv/qnap" in refused
    house.run("filesystem", "unmount", "qnap", "--yes-name", "qnap")
    house.act("stop", "qnap")
    house.run("array", "start", "qnap")
    assert house.sh("ls /dev/vg1").split() == ["lv1", "raw"]


def test_an_encrypted_array_is_taken_over_and_unlocked_first(house: _House) -> None:
    house.sh(_LUKS)
    dry = house.run("array", "take-over", "secret", "--mount", "/srv/secret", "--dry-run")["steps"]
    assert "unlock it first" in " ".join(dry)
    assert house.act("take-over", "secret", "--mount", "/srv/secret")["mounted"] is False
    again = house.run("array", "take-over", "secret", "--mount", "/srv/secret", "--dry-run")["steps"]
    assert again[0].endswith(":secret already; it isn't stopped.")
    assert "locked" in house.run("filesystem", "mount", "secret", "--at", "/srv/secret", "--yes-name", "secret", code=2)
    house.sh(_UNLOCKED)
    assert "sudo cryptsetup close clear" in house.act("stop", "secret", code=2)


def test_a_member_that_was_failed_and_removed_is_replaced(house: _House) -> None:
    """As tutorials do it; UDisks2 goes on listing the member as failed."""
    house.sh(f"{_CREATE.format(name='reb')} -l1 -n2 --homehost=practice /dev/sda /dev/sdb")
    assert [one["state"] for one in house.run("array", "list")] == ["running"]
    house.sh("mdadm -q /dev/md/reb --fail /dev/sda; sleep 1; mdadm -q /dev/md/reb --remove /dev/sda")
    [reb] = house.run("array", "list")
    assert ([place["device"] for place in reb["places"]], reb["degraded"]) == (["/dev/sdb"], 1)
    assert [one["device"] for one in reb["former"]] == ["/dev/sda"]
    serials = {disk["device"]: disk["serial"] for disk in house.run("disks")}
    house.act("replace", "reb", "--with", serials["/dev/sdc"])
    assert "[UU]" in house.sh("cat /proc/mdstat")


def test_a_journal_that_died_while_running_is_told(house: _House) -> None:
    house.sh(f"{_CREATE.format(name='jour')} -l5 -n3 --write-journal=/dev/sdd /dev/sda /dev/sdb /dev/sdc")
    assert house.run("array", "list")[0]["hold"] is None
    house.sh("mdadm -q /dev/md/jour --fail /dev/sdd")
    [jour] = house.run("array", "list")
    assert (jour["hold"], jour["facts"]["array_state"]) == ("journal-failed", "clean")


def test_a_check_without_a_member_and_frozen_work_are_told(house: _House) -> None:
    house.sh(f"{_CREATE.format(name='held')} -l5 -n3 /dev/sda /dev/sdb /dev/sdc")
    house.sh("echo frozen > /sys/block/$(basename $(readlink -f /dev/md/held))/md/sync_action")
    assert house.run("array", "list")[0]["hold"] == "frozen"
    house.sh("echo idle > /sys/block/$(basename $(readlink -f /dev/md/held))/md/sync_action")
    assert house.run("array", "list")[0]["hold"] is None
    house.sh("mdadm -q /dev/md/held --fail /dev/sda; sleep 1; mdadm -q /dev/md/held --remove /dev/sda")
    assert "can't be checked while a member is missing" in house.run("array", "check", "held", code=2)


def test_a_partition_is_replaced_by_a_partition(house: _House) -> None:
    """As Debian's installer makes it: an EFI system partition and a mirror beside each other on both disks."""
    table = "printf 'label: gpt\\nsize=16M, type=uefi\\nsize=64M, type=raid\\n' | sfdisk -q"
    house.sh(f"{table} /dev/sda; {table} /dev/sdb; udevadm settle")
    house.sh(f"{_CREATE.format(name='boot')} -l1 -n2 --homehost=practice /dev/sda2 /dev/sdb2")
    house.sh("mdadm -q /dev/md/boot --fail /dev/sda2; sleep 1; mdadm -q /dev/md/boot --remove /dev/sda2")
    ids = {disk["device"]: disk["id"] for disk in house.run("disks")}
    refused = house.act("replace", "boot", "--with", ids["/dev/sdc"], code=2)
    assert "an EFI system partition" in refused
    assert f"--with {ids['/dev/sdc']}-part2" in refused
    house.sh(f"{table} /dev/sdc; udevadm settle")
    house.act("replace", "boot", "--with", f"{ids['/dev/sdc']}-part2")
    assert "sdc2" in house.sh("grep -A1 boot /proc/mdstat || cat /proc/mdstat")
    assert "[UU]" in house.sh("cat /proc/mdstat")
    assert house.sh("sfdisk -d /dev/sdc | grep -c start=") == "2"


_FAR = f"""set -e; {_CREATE.format(name="far")} -l5 -n3 /dev/sda /dev/sdb /dev/sdc
dd if=/dev/urandom of=/dev/md/far bs=1M count=100 oflag=direct status=none; md5sum < /dev/md/far > /tmp/far.sum
echo 500 > /proc/sys/dev/raid/speed_limit_max; echo 500 > /proc/sys/dev/raid/speed_limit_min
blockdev --getsz /dev/md/far > /tmp/far.size; mdadm -q /dev/md/far --add /dev/sdd; mdadm -q --grow /dev/md/far -n4
until [ "$(cat /sys/block/$(basename $(readlink -f /dev/md/far))/md/reshape_position)" -gt 0 ] 2>&-; do sleep 0.1; done
udevadm settle; mdadm -q --stop /dev/md/far; udevadm settle
mdadm -q --assemble /dev/md/far /dev/sda /dev/sdb /dev/sdc /dev/sdd || true"""
_FAST = "echo 200000 > /proc/sys/dev/raid/speed_limit_max; mdadm -q --wait /dev/md/far || true"


def test_another_computers_reshape_is_taken_over_and_goes_on(house: _House) -> None:
    house.sh(_FAR)
    assert [one["hold"] for one in house.run("array", "list")] == ["reshape-waits"]
    assert "take it over first" in house.act("go-on", "far", code=2)
    assert house.run("array", "take-over", "far", "--dry-run")["steps"]
    house.act("take-over", "far")
    assert house.run("array", "list")[0]["hold"] == "reshape-waits"
    house.run("array", "go-on", "far")
    house.sh(_FAST)
    assert house.run("array", "list")[0]["facts"]["slots_before"] == 0
    read = "dd if=/dev/md/far bs=512 count=$(cat /tmp/far.size) iflag=direct status=none"
    assert house.sh(f"{read} | md5sum") == house.sh("cat /tmp/far.sum")


def test_a_growths_dry_run_refuses_what_the_growth_would(house: _House) -> None:
    house.sh(f"{_CREATE.format(name='small')} -l1 -n2 --homehost=practice /dev/sda /dev/sdb; mkfs.ext4 -q /dev/sdc")
    serials = {disk["device"]: disk["serial"] for disk in house.run("disks")}
    request = ("small", "--add", serials["/dev/sdc"])
    for more in ((), ("--remove", "unknown")):
        shown = house.run("array", "change", *request, *more, "--dry-run", code=2)
        assert (shown["possible"], "holds ext4" in shown["reasons"][0]) == (False, True)
        assert "ext4" in house.act("change", *request, *more, code=2)
    assert house.run("array", "change", *request, "--remove", "ext4", "--dry-run")["steps"]
