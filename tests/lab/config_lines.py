"""Arrays in mdadm.conf: lines written by the helper, and arrays assembled by a real md.

udev's ``mdadm --incremental`` and ``mdadm --assemble --scan`` are both tested, since they match lines by different
words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from raidwright.lab.machine import Lab
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.system import Configuration, PreviewConfiguration, WriteConfiguration

from tests.kit.asking import ask
from tests.kit.blank import blank

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
    """Return the output of ``script`` as root in the lab."""
    return lab.exec(["sh", "-c", script, "sh", *words]).stdout.decode().strip()


def run(lab: Lab, test: Callable[[Helper], Coroutine[Any, Any, None]]) -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            async with asyncio.timeout(60):
                while not machine.snapshot.disks:
                    await asyncio.sleep(0.05)
            await test(machine.helper)

    asyncio.run(asyncio.wait_for(connected(), 300))


@contextmanager
def mirror(lab: Lab, metadata: str = "1.2") -> Iterator[dict[str, str]]:
    """Make a mirror called tank with metadata ``metadata``: its UUID, full name and minor number."""
    sh(lab, _KEEP)
    sh(lab, _BUILD, metadata)
    told = dict(line.split("=", 1) for line in sh(lab, f"mdadm --detail --export {NODE}").splitlines())
    minor = sh(lab, f"stat -Lc 0x%T {NODE}")
    yield {"uuid": told["MD_UUID"], "full": told.get("MD_NAME", ""), "minor": str(int(minor, 16)),
           "name": told.get("MD_NAME", "").rpartition(":")[2] or told["MD_UUID"]}  # fmt: skip
    sh(lab, _CLEAN)


def configure(lab: Lab, tank: dict[str, str], wishes: Configuration | None = None) -> None:
    """Make the helper write its preview; nothing if the files are up to date."""

    async def write(helper: Helper) -> None:
        named, wanted = Named(tank["uuid"], tank["name"]), wishes or Configuration()
        shown = await ask(helper, PreviewConfiguration(named, wanted))
        if shown.difference:
            await ask(helper, WriteConfiguration(named, wanted, shown.token))

    run(lab, write)


def comes_up(lab: Lab, tank: dict[str, str], node: str = NODE) -> None:
    """Assert that the array starts, under its node, by udev and by a scan of the files."""
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


def bring_up(lab: Lab, tank: dict[str, str], forms: Iterable[str]) -> None:
    """Assert that the array starts by each form of a line, and that other lines stay."""
    for form in forms:
        text = FORMS[form].format(**tank)
        sh(lab, f'cp /run/conf {CONF}; printf "%s\\n" "$1" >> {CONF}', text)
        configure(lab, tank)
        written = sh(lab, f"cat {CONF}")
        comes_up(lab, tank)
        for word in ("spare-group=shelf", "# main", "# the disks in the shelf"):
            assert (word in written) == (word in text), form
