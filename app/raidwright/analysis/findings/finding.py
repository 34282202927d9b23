"""Findings, and the facts that checks use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.md.mdadm import inner_name
from raidwright.core.messages import Message, say
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Bitmap, MdArray, Plan

if TYPE_CHECKING:  # the window's first list of disks has findings, and no plan
    from raidwright.core.md.capacity import Capacity


class Severity(StrEnum):
    """Severity of a finding, gravest first."""

    DANGER = "danger"  # data is at risk
    WARNING = "warning"
    NOTE = "note"


class Stake(StrEnum):
    """A finding's stake, gravest first: it orders findings of equal severity."""

    DATA = "data"  # stored data, or a copy of it
    ACCESS = "access"  # the array fails or needs a manual start, but loses no data
    SPACE = "space"
    SPEED = "speed"
    LATER = "later"  # possible later changes


@dataclass(frozen=True, slots=True)
class PlanChange:
    """A remedy that a plan can express: the ``value`` of its ``key``, a name in a plan's file and in ``Plan``."""

    key: str
    value: int | Bitmap

    def of(self, plan: Plan) -> Plan:
        """Return ``plan`` with the change, applied to each array in it that it fits."""
        if isinstance(plan.top, MdArray):
            return plan.on(self._of_array(plan.top))
        return plan.on(replace(plan.top, arrays=tuple(map(self._of_array, plan.top.arrays))))

    def _of_array(self, array: MdArray) -> MdArray:
        members = tuple(self._of_array(one) if isinstance(one, MdArray) else one for one in array.members)
        changed = replace(array, members=members)
        return replace(changed, **{self.key: self.value}) if self._fits(array) else changed  # type: ignore[arg-type]  # one of its own

    def _fits(self, array: MdArray) -> bool:
        if self.key == "chunk_kib":
            return array.level.is_chunked
        return array.level.is_redundant and (self.key != "bitmap_chunk_kib" or array.bitmap is not Bitmap.NONE)


@dataclass(frozen=True, slots=True)
class Finding:
    """``sentence`` states the fact, ``reason`` its importance, ``remedy`` the action. ``disks`` are their ids.

    ``change`` is the remedy as a value, if a change of the plan is all that it takes.
    """

    severity: Severity
    code: str
    sentence: Message
    reason: Message
    remedy: Message
    disks: tuple[str, ...] = ()
    at_stake: Stake = Stake.DATA
    change: PlanChange | None = None

    @property
    def weight(self) -> tuple[int, int]:
        """Sort key, gravest first: by severity, then by stake."""
        return _SEVERITIES.index(self.severity), _STAKES.index(self.at_stake)


_SEVERITIES, _STAKES = list(Severity), list(Stake)


@dataclass(frozen=True, slots=True)
class Facts:
    """Input of a check: a plan, or one array of a nested plan (``arrays``).

    ``disks`` has an entry for each disk or slice, in the order of ``Plan.disks``. ``name`` is an inner array's own, ""
    for the outermost.
    """

    plan: Plan
    capacity: Capacity
    disks: tuple[Disk, ...]
    name: str = ""

    @property
    def array(self) -> MdArray:
        """The array; in checks of the whole plan, a volume as the linear array that it is like."""
        return as_array(self.plan.top)

    def arrays(self) -> tuple[Facts, ...]:
        """Return the facts of each md array, the outermost first, as input of checks per array."""
        found, inner = [self] if isinstance(self.plan.top, MdArray) else [], iter(self.capacity.inner)
        known = dict(zip(self.plan.disks(), self.disks, strict=True))
        below = self.plan.top.members if isinstance(self.plan.top, MdArray) else self.plan.top.arrays
        for slot, member in enumerate(below):
            if isinstance(member, MdArray):
                disks = tuple(known[disk] for disk in member.disks())
                name = inner_name(self.name or self.plan.name, slot)
                found += Facts(Plan(member), next(inner), disks, name).arrays()
        return tuple(found)

    def redundant_disks(self) -> tuple[Disk, ...]:
        """Return the disks of all redundant arrays."""
        kept = [array.disks for array in self.arrays() if array.array.level.is_redundant]
        return tuple(dict.fromkeys(disk for disks in kept for disk in disks))

    def named(self, ids: Iterable[str]) -> Message:
        """Format as ``a``, ``a and b``, ``a, b and 3 more``: enough to find the disks, short enough to read.

        By serial number, which is on the disk's label; by id if there is none.
        """
        serials = {disk.id: disk.serial for disk in self.disks}
        names = sorted({serials.get(disk_id) or disk_id for disk_id in ids})
        if len(names) > 2:
            return say("{first}, {second} and {count} more", first=names[0], second=names[1], count=len(names) - 2)
        return say("{disks:and}", disks=names)


Verify = Callable[[Facts], Iterator[Finding]]


def ids_of(disks: Iterable[Disk]) -> tuple[str, ...]:
    """Return the disks' ids, each once, in order."""
    return tuple(dict.fromkeys(disk.id for disk in disks))
