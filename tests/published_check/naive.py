"""Naive speeds, as RAID calculators on the web give them: multiples of one disk, by level."""

from __future__ import annotations

from raidwright.analysis.performance.drive import Drive
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Plan

_PENALTY = {Level.RAID5: 4, Level.RAID6: 6}  # member requests of a small write; elsewhere one for each copy


def naive_mb_s(plan: Plan, direction: str, block_bytes: int, drive: Drive) -> float:
    """``direction`` is fio's, or ``rewrite`` (read, then written); ``drive`` is one disk of the plan."""
    disks = sum(1 for _ in plan.disks())
    copies = _copies(plan)
    data = disks - plan.array.level.parity_disks
    block = block_bytes / 1e6
    streams = {"read": disks if copies > 1 else data, "write": data / copies}
    alone = {"read": drive.read_b_s / 1e6, "write": drive.write_b_s / 1e6}
    match direction:
        case "randread":
            return disks * block / drive.read_access_s
        case "randwrite":
            return disks * block / drive.write_access_s / _PENALTY.get(plan.array.level, copies)
        case "rewrite" | "rw":
            return 1 / sum(1 / (streams[way] * alone[way]) for way in streams)
        case "randrw":
            both = (naive_mb_s(plan, way, block_bytes, drive) for way in ("randread", "randwrite"))
            return 2 / sum(1 / one for one in both)
        case way:
            return streams[way] * alone[way]


def _copies(plan: Plan) -> int:
    copies = plan.array.copies.total
    return 2 if plan.array.is_nested and copies == 1 else copies
