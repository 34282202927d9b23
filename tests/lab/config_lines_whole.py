"""Each form of mdadm.conf's and fstab's lines, end to end: the helper writes, and a real md starts the array by it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from raidwright.core.errors import InputError
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray
from raidwright.operations.system import Configuration, MakeFileSystem

from tests.kit.asking import ask

from .config_lines import CONF, DISKS, FORMS, FSTAB, FURTHER, NODE, bring_up, comes_up, configure, mirror, run, sh

pytestmark = pytest.mark.lab


@pytest.fixture(params=["1.2"])
def tank(lab: Lab, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """A mirror called tank of the format ``request.param``."""
    with mirror(lab, request.param) as made:
        yield made


def test_each_form_of_a_line_brings_the_array_up(lab: Lab, tank: dict[str, str]) -> None:
    bring_up(lab, tank, FORMS)


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
