"""What members share on their way to memory: links, and the computer's own bus or processor.

What these pass of disks that are at work together is what a plan says, or what was measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from raidwright.core.messages import say
from raidwright.core.model.plan import Plan

from .array import Array
from .bounds import OF_LINKS, Bound


def link_bounds(array: Array, bytes_by_slot: Iterable[float], *, write: bool) -> Iterator[Bound]:
    """What each link with a ceiling lets through, when so many bytes go to each slot for one byte that is counted."""
    ceilings = ceilings_of(array.plan)
    loads: defaultdict[str, float] = defaultdict(float)
    together = 0.0
    for moved, of_slot in zip(bytes_by_slot, array.link_loads, strict=True):
        together += moved
        for link, load in of_slot[write].items():
            loads[link] += moved * load
    for link, load in loads.items():
        if load and ceilings.get(link):
            yield Bound(ceilings[link] * 1e6 / load, say("the link {link}", link=link), spread=OF_LINKS)
    whole = array.host.write_ceiling_b_s if write else array.host.read_ceiling_b_s
    whole = whole or (computer_mb_s(array.plan) or 0.0) * 1e6
    if whole:
        yield Bound(whole / max(together, 1.0), say("the computer's bus or processor"), spread=OF_LINKS)


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
