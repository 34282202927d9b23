"""Drawn pools of unlike disks: each built by its script, compared to the sector, and each disk pulled and put back.

Sizes, sector sizes, tolerances, and parity or copies are drawn; ``--seed`` draws others.
"""

from __future__ import annotations

import random
from dataclasses import replace

from raidwright.core.errors import RaidwrightError
from raidwright.core.lvm.joined import slices_of
from raidwright.lab import machine, shelf
from raidwright.lab.disks.disk import LabDisk

from tests.kit.joined_volume import build, plan_here, pull_and_return
from tests.kit.plans import volume_of

from ..kit import check

_POOLS = 6
_COLUMNS = ("pool", "sector bytes", "tolerance", "copies", "arrays", "result")


def main() -> int:
    """Build and strike every drawn pool; return 1 if anything differs."""
    options = check.parser("joined-check", __doc__, seed=True).parse_args()
    draw = random.Random(options.seed)  # noqa: S311 -- draws pools
    with check.table("joined", _COLUMNS) as rows:
        for _ in range(_POOLS):
            disks, sector_bytes, tolerance, copies = _drawn(draw)
            arrays, result = _of_pool(disks, tolerance, copies=copies)
            pool = "+".join(f"{disk.size_bytes / 1e9:.2g}GB" for disk in disks)
            row = (pool, sector_bytes, tolerance, copies, arrays, result)
            rows.add(row, " ".join(map(str, row)), holds=result == "same")
        return rows.verdict(f"{rows.rows - rows.wrong} of {rows.rows} pools as planned")


def _drawn(draw: random.Random) -> tuple[tuple[LabDisk, ...], int, int, bool]:
    tolerance, sector_bytes = draw.choice([1, 1, 2, 3]), draw.choice([512, 512, 4096])
    sizes = [draw.choice([1, 1.5, 2, 3]) for _ in range(draw.randint(tolerance + 2, 6))]
    disks = shelf.disks_from_text("+".join(f"{size}GB" for size in sizes))
    as_drawn = tuple(
        replace(disk, logical_sector_bytes=sector_bytes, physical_sector_bytes=4096, size_bytes=disk.size_bytes & ~4095)
        for disk in disks
    )
    return as_drawn, sector_bytes, tolerance, draw.random() < 1 / 3


def _of_pool(disks: tuple[LabDisk, ...], tolerance: int, *, copies: bool) -> tuple[str, str]:
    """Return the arrays' levels, and “same” or the first difference."""
    arrays = ""
    try:
        with machine.start(machine.LabSpec(disks), name="joined-check") as lab:
            plan = plan_here(lab, tolerance, copies=copies)
            arrays = " + ".join(f"{band.level}×{len(band.members)}" for band in volume_of(plan).arrays)
            checksum = build(lab, plan)
            for disk in slices_of(volume_of(plan)):
                pull_and_return(lab, plan, disk, checksum)
    except (AssertionError, RaidwrightError) as error:
        return arrays, repr(error)
    return arrays, "same"


if __name__ == "__main__":
    raise SystemExit(main())
