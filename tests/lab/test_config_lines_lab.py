"""Each form of mdadm.conf's and fstab's lines, end to end: the helper writes, and a real md starts the array by it.

udev's ``mdadm --incremental`` and ``mdadm --assemble --scan`` are both tried, since they match lines by other words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from raidwright.core.errors import InputError
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray
from raidwright.operations.system import Configuration, MakeFileSystem, PreviewConfiguration, WriteConfiguration

from tests.kit.asking import ask
from tests.kit.blank import blank

pytestmark = [pytest.mark.lab, pytest.mark.long]
CONF, FURTHER, FSTAB = "/etc/mdadm/mdadm.conf", "/etc/mdadm/mdadm.conf.d", "/etc/fstab"
NODE, DISKS = "/dev/md/tank", "/dev/sda /dev/sdb"
_BUILD = (
    f"mdadm --quiet --create {NODE} --run --level=1 --bitmap=none --assume-clean --size=262144 --raid-devices=2 "
    "--name=tank --metadata=$1 /dev/sda /dev/sdb 2>/dev/null; udevadm settle"
)
_KEEP = f"cp -p {CONF} /run/conf; cp -p {FSTAB} /run/fstab; rm -rf {FURTHER}"
_CLEAN = (
    f"umount -q /srv/tank; rm -rf {FURTHER} /etc/mdadm.conf; cp -p /run/conf {CONF}; cp -p /run/fstab {FSTAB};"
    "udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop --scan;"
    f"mdadm --quiet --zero-superblock {DISKS}; {blank(DISKS)};"
    "udevadm control --start-exec-queue; udevadm settle; rmdir --ignore-fail-on-non-empty /srv/tank; true"
)
_STOP = "udevadm settle; mdadm --quiet --stop --scan; udevadm settle"
_BY_UDEV = f"{_STOP}; udevadm trigger --action=add --settle {DISKS}"
_BY_SCAN = (
    f"{_STOP}; udevadm control --stop-exec-queue; mdadm --assemble --scan --config=$1 2>&1;"
    "udevadm control --start-exec-queue; udevadm settle"
)
_STANDS = (
    "test $(cat /sys/block/$(basename $(readlink -f $1))/md/array_state) != inactive"
    " && mdadm --detail --export $1 | sed -n s/MD_UUID=//p"
)


def sh(lab: Lab, script: str, *words: str) -> str:
    """What ``script`` says as root in the lab."""
    return lab.exec(["sh", "-c", script, "sh", *words]).stdout.decode().strip()


def run(lab: Lab, test: Callable[[Helper], Coroutine[Any, Any, None]]) -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            async with asyncio.timeout(60):
                while not machine.snapshot.disks:
                    await asyncio.sleep(0.05)
            await test(machine.helper)

    asyncio.run(asyncio.wait_for(connected(), 300))


@pytest.fixture(params=["1.2"])
def tank(lab: Lab, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """A mirror called tank of the format ``request.param``: its UUID, full name and minor number."""
    sh(lab, _KEEP)
    sh(lab, _BUILD, request.param)
    told = dict(line.split("=", 1) for line in sh(lab, f"mdadm --detail --export {NODE}").splitlines())
    minor = sh(lab, f"stat -Lc 0x%T {NODE}")
    yield {"uuid": told["MD_UUID"], "full": told.get("MD_NAME", ""), "minor": str(int(minor, 16)),
           "name": told.get("MD_NAME", "").rpartition(":")[2] or told["MD_UUID"]}  # fmt: skip
    sh(lab, _CLEAN)


def configure(lab: Lab, tank: dict[str, str], wishes: Configuration | None = None) -> None:
    """Have the helper write what it shows; nothing where the files say it all."""

    async def write(helper: Helper) -> None:
        named, wanted = Named(tank["uuid"], tank["name"]), wishes or Configuration()
        shown = await ask(helper, PreviewConfiguration(named, wanted))
        if shown.difference:
            await ask(helper, WriteConfiguration(named, wanted, shown.token))

    run(lab, write)


def comes_up(lab: Lab, tank: dict[str, str], node: str = NODE) -> None:
    """Assert that the array starts, under its node, by udev's own way and by a scan of the files."""
    sh(lab, _BY_UDEV)
    assert sh(lab, _STANDS, node) == tank["uuid"], sh(lab, f"cat /proc/mdstat {CONF}")
    main = sh(lab, f"ls {CONF} 2>/dev/null || echo /etc/mdadm.conf")
    files = sh(lab, f"cat {main} {FURTHER}/*.conf 2>/dev/null > /run/all; echo /run/all")
    said = sh(lab, _BY_SCAN, files)
    assert sh(lab, _STANDS, node) == tank["uuid"], said


FORMS = {
    "none": "",
    "by UUID": "ARRAY /dev/md/tank metadata=1.2 UUID={uuid}",
    "by name": "ARRAY /dev/md/tank metadata=1.2 name={full}",
    "by bare name": "ARRAY /dev/md/tank name=tank",
    "another place": "ARRAY /dev/md7 UUID={uuid} spare-group=shelf spares=0 # main\nARRAY /dev/md8 UUID=f:f:f:f",
    "comment between": "ARRAY /dev/md/tank\n# the disks in the shelf\n\n   UUID={uuid} spare-group=shelf",
    "old name": "ARRAY /dev/md/tank UUID={uuid} name=old:photos",
    "minor number": "ARRAY /dev/md/tank UUID={uuid} super-minor=3",
    "devices that were": "ARRAY /dev/md/tank UUID={uuid} devices=/dev/sdx,/dev/sdy",
    "devices that are": "ARRAY /dev/md/tank UUID={uuid} devices=/dev/sd[ab]",
    "old format": "ARRAY /dev/md/tank metadata=1.0 UUID={uuid}",
    "old level": "ARRAY /dev/md/tank level=raid5 num-devices=3 UUID={uuid}",
    "bad UUID beside": "ARRAY /dev/md/tank UUID=12 UUID={uuid}",
}


def test_each_form_of_a_line_brings_the_array_up(lab: Lab, tank: dict[str, str]) -> None:
    for form, line in FORMS.items():
        text = line.format(**tank)
        sh(lab, f'cp /run/conf {CONF}; printf "%s\\n" "$1" >> {CONF}', text)
        configure(lab, tank)
        written = sh(lab, f"cat {CONF}")
        comes_up(lab, tank)
        for word in ("spare-group=shelf", "# main", "# the disks in the shelf"):
            assert (word in written) == (word in text), form


def test_lines_in_further_files_are_found(lab: Lab, tank: dict[str, str]) -> None:
    """In mdadm.conf.d, and in /etc/mdadm.conf, which mdadm reads while Debian's own isn't there."""
    sh(
        lab,
        f'mkdir {FURTHER}; printf "%s\\n" "$1" > {FURTHER}/nas.conf',
        f"ARRAY /dev/md5 UUID={tank['uuid']} spares=0",
    )
    configure(lab, tank)
    assert sh(lab, f"cat {FURTHER}/nas.conf") == f"ARRAY /dev/md/tank UUID={tank['uuid']} spares=0"
    assert "ARRAY /dev/md/tank" not in sh(lab, f"cat {CONF}")
    comes_up(lab, tank)
    sh(lab, f'rm -r {FURTHER} {CONF}; printf "%s\\n" "$1" > /etc/mdadm.conf', f"ARRAY /dev/md5 name={tank['full']}")
    configure(lab, tank)
    assert f"ARRAY /dev/md/tank UUID={tank['uuid']}" in sh(lab, f"cat /etc/mdadm.conf; ! ls {CONF}")
    comes_up(lab, tank)


@pytest.mark.parametrize("tank", ["0.90"], indirect=True)
def test_an_old_array_comes_up_by_its_number(lab: Lab, tank: dict[str, str]) -> None:
    """An array of 0.90 has no name, but a minor number in its superblock."""
    for line in ("", "ARRAY /dev/md/tank super-minor={minor} spares=0", "ARRAY /dev/md{minor} UUID={uuid}"):
        sh(lab, f'cp /run/conf {CONF}; printf "%s\\n" "$1" >> {CONF}', line.format(**tank))
        configure(lab, tank)
        assert f"UUID={tank['uuid']}" in sh(lab, f"cat {CONF}")
        comes_up(lab, tank, f"/dev/md/{tank['minor']}")


REFUSED = {
    "ARRAY /dev/md/tank devices=/dev/sda,/dev/sdb": "says no UUID",
    "ARRAY /dev/md/tank UUID=12": "That is no UUID",
    "ARRAY <ignore> UUID={uuid}": "ignore the array",
    "ARRAY /dev/md/tank name=old:photos": "another array",
    "ARRAY /dev/md/tank UUID={uuid}\nARRAY /dev/md6 name={full}": "2 lines",
}


def test_what_only_a_person_can_mend_is_refused_and_nothing_written(lab: Lab, tank: dict[str, str]) -> None:
    for line, why in REFUSED.items():
        sh(lab, f'cp /run/conf {CONF}; printf "%s\\n" "$1" >> {CONF}', line.format(**tank))
        before = sh(lab, f"cat {CONF}")
        with pytest.raises(InputError, match=why):
            configure(lab, tank)
        assert sh(lab, f"cat {CONF}") == before


MOUNTS = {
    "none": "",
    "by UUID": 'UUID="{fs}" /srv/tank ext4 defaults,nofail 0 2',
    "by label": "LABEL=data /srv//tank ext4 defaults,nofail 0 2",
    "by the array": "/dev/md/tank /srv/tank/ ext4 defaults,nofail 0 2",
    "by UUID's link": "/dev/disk/by-uuid/{fs} /srv/./tank ext4 defaults,nofail 0 2",
    "by label's link": "/dev/disk/by-label/data\t/srv/tank\text4\tdefaults,nofail\t0\t2",
    "by the array's link": "/dev/disk/by-id/md-uuid-{uuid} /srv/tank ext4 nofail 0 2",
}


def test_each_form_of_a_mount_is_known_mounts_and_goes(lab: Lab, tank: dict[str, str]) -> None:
    run(lab, lambda helper: _furnish(helper, tank))
    fs = sh(lab, f"udevadm settle; blkid -o value -s UUID {NODE}")
    at_tank = Configuration(place="/srv/tank")
    for form, line in MOUNTS.items():
        text = line.format(fs=fs, **tank)
        sh(lab, f'cp /run/fstab {FSTAB}; [ -z "$1" ] || printf "%s\\n" "$1" >> {FSTAB}', text)
        before = sh(lab, f"cat {FSTAB}")
        configure(lab, tank, at_tank)
        assert (sh(lab, f"cat {FSTAB}") == before) == bool(text), form
        assert sh(lab, "mkdir -p /srv/tank && mount /srv/tank && findmnt -no UUID /srv/tank && umount /srv/tank") == fs
    sh(
        lab,
        f'cp /run/fstab {FSTAB}; printf "%s\\n" "$1" >> {FSTAB}',
        f"/dev/disk/by-uuid/{fs} /mnt/old ext4 nofail 0 2",
    )
    with pytest.raises(InputError, match="fstab already mounts"):
        configure(lab, tank, at_tank)
    before = sh(lab, "cat /run/fstab")
    sh(lab, f'printf "ARRAY /dev/md/tank name=%s\\n" "$1" > {CONF}', tank["full"])
    run(lab, lambda helper: _dismantle(helper, lab, tank))
    assert "ARRAY" not in sh(lab, f"cat {CONF}")
    assert sh(lab, f"cat {FSTAB}") == before


async def _furnish(helper: Helper, tank: dict[str, str]) -> None:
    await ask(helper, MakeFileSystem(Named(tank["uuid"], "tank"), FileSystemKind.EXT4, label="data"))


async def _dismantle(helper: Helper, lab: Lab, tank: dict[str, str]) -> None:
    async with Machine.connect(lab.bus_address("admin")) as machine:
        async with asyncio.timeout(60):
            while len(machine.snapshot.disks) < len(lab.disks()):
                await asyncio.sleep(0.05)
        members = tuple(disk.as_member() for disk in machine.snapshot.disks if disk.device in DISKS.split())
    await ask(helper, DismantleArray(Named(tank["uuid"], "tank"), members, ("ext4",), with_lines=True))
