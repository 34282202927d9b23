"""What links and the computer pass of disks that are at work together: as a plan says, or as was measured."""

from __future__ import annotations

from raidwright.core.model.plan import Plan


def ceilings_of(plan: Plan) -> dict[str, float]:
    """By link, the MB/s that it passes: as the plan says, or as was measured of its disks at once."""
    measured = {
        disk.baseline.link: disk.baseline.link_read_mb_s
        for disk in plan.disks()
        if disk.baseline and disk.baseline.link and disk.baseline.link_read_mb_s
    }
    return measured | {link: mb_s for link, mb_s in plan.links if mb_s}


def computer_mb_s(plan: Plan) -> float | None:
    """What the computer passed of disks that were measured at once; None where it didn't hold them back."""
    found = (disk.baseline.computer_read_mb_s for disk in plan.disks() if disk.baseline)
    return min((mb_s for mb_s in found if mb_s), default=None)
