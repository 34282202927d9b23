"""Joined plans on drawn pools, built on real disks: space, data offsets and every slice's place, to the sector."""

from __future__ import annotations

import random
from collections.abc import Iterator

from raidwright.core.errors import RaidwrightError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.model.plan import Plan
from raidwright.lab.machine import Lab
from raidwright.lab.shelf import disks_from_text

from tests.kit.joined_volume import build, plan_here, shell

from .creations import Comparison

_POOLS = 2
_APART = """umount /srv/heap; sed -i '\\#/srv/heap#d' /etc/fstab; vgremove -qq -f -y heap; mdadm --quiet --stop --scan
udevadm settle; sed -i '/heap-/d' /etc/mdadm/mdadm.conf"""


def compare(lab: Lab, mdadm: MdadmVersion, seed: int) -> Iterator[Comparison]:
    """Build each drawn pool's plan by its exported script, and compare it with the kernel's and LVM's view."""
    draw = random.Random(f"joined {seed}")  # noqa: S311 -- draws pools
    for number in range(_POOLS):
        tolerance = draw.choice((1, 2))
        sizes = [draw.choice((200, 300, 500)) for _ in range(draw.randint(tolerance + 2, 5))]
        text = "+".join(f"{size}MB" for size in sizes)
        disks = disks_from_text(text, first_number=200 + 10 * number, at_memory_speed=True)
        lab.add_disks(disks)
        try:
            yield _of_pool(lab, mdadm, f"{text}, any {tolerance} may fail", plan_here(lab, tolerance))
        finally:
            for disk in disks:
                lab.pull_disk(disk.serial)


def _of_pool(lab: Lab, mdadm: MdadmVersion, what: str, plan: Plan) -> Comparison:
    said = f"{capacity_of(plan.top, mdadm).array_sectors} sectors"
    try:
        build(lab, plan, mdadm)
        shell(lab, _APART)
    except (AssertionError, RaidwrightError) as error:
        return Comparison(what, said, "", repr(error))
    return Comparison(what, said, said, "")
