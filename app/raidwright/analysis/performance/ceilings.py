"""Ceilings of links and of the computer for disks working together, from the plan or as measured."""

from __future__ import annotations

from raidwright.core.model.plan import Plan

from .constants import LINK_MB_S


def ceilings_of(plan: Plan) -> dict[str, float]:
    """Return MB/s by link: from the plan, else as measured of its disks at once, else by its name (``usb3``)."""
    links = {disk.baseline.link for disk in plan.disks() if disk.baseline and disk.baseline.link}
    named = {link: LINK_MB_S[kind] for link in links if (kind := link.partition("-")[0]) in LINK_MB_S}
    measured = {
        disk.baseline.link: disk.baseline.link_read_mb_s
        for disk in plan.disks()
        if disk.baseline and disk.baseline.link and disk.baseline.link_read_mb_s
    }
    return named | measured | {link: mb_s for link, mb_s in plan.links if mb_s}


def computer_mb_s(plan: Plan) -> float | None:
    """Return the computer's measured ceiling in MB/s for disks read at once; None if it wasn't the bottleneck."""
    found = (disk.baseline.computer_read_mb_s for disk in plan.disks() if disk.baseline)
    return min((mb_s for mb_s in found if mb_s), default=None)
