"""A finding, and the facts that checks look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from raidwright.core.md.mdadm import inner_name
from raidwright.core.messages import Message, say
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Bitmap, Plan

if TYPE_CHECKING:  # the window's first list of disks has findings, and no plan
    from raidwright.core.md.capacity import Capacity


class Severity(StrEnum):
    """How much a finding matters, gravest first."""

    DANGER = "danger"  # data is at risk
    WARNING = "warning"
    NOTE = "note"


class Stake(StrEnum):
    """What a finding puts at stake, gravest first: among findings of one severity it decides which is told first."""

    DATA = "data"  # what is kept, or a copy of it
    ACCESS = "access"  # the array goes away, or starts only by hand, and comes back whole
    SPACE = "space"
    SPEED = "speed"
    LATER = "later"  # what can be changed one day


@dataclass(frozen=True, slots=True)
class Change:
    """A remedy that a plan can say: the ``value`` of its ``key``, which a plan's file and ``Plan`` both have."""

    key: str
    value: int

    def of(self, plan: Plan) -> Plan:
        """``plan`` with it, and so each array in it that has a bitmap."""
        members = tuple(self.of(member) if isinstance(member, Plan) else member for member in plan.members)
        changed = replace(plan, members=members)
        fits = plan.level.is_redundant and plan.bitmap is not Bitmap.NONE
        return replace(changed, **{self.key: self.value}) if fits else changed  # type: ignore[arg-type]  # one of its own


@dataclass(frozen=True, slots=True)
class Finding:
    """``sentence`` says what is, ``reason`` why it matters, ``remedy`` what to do. ``disks`` are their ids.

    ``change`` is the remedy as a value, where one of the plan's is all that it takes.
    """

    severity: Severity
    code: str
    sentence: Message
    reason: Message
    remedy: Message
    disks: tuple[str, ...] = ()
    at_stake: Stake = Stake.DATA
    change: Change | None = None

    @property
    def weight(self) -> tuple[int, int]:
        """The smaller the graver: by severity, then by what is at stake."""
        return _SEVERITIES.index(self.severity), _STAKES.index(self.at_stake)


_SEVERITIES, _STAKES = list(Severity), list(Stake)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a check may look at: a plan, or one array of a nested plan (``arrays``).

    ``disks`` has an entry for each disk or slice, in the order of ``Plan.disks``. ``name`` is an inner array's own, ""
    for the outermost.
    """

    plan: Plan
    capacity: Capacity
    disks: tuple[Disk, ...]
    name: str = ""

    def arrays(self) -> tuple[Facts, ...]:
        """The facts of each array, the outermost first: what a check of arrays is asked with, one by one."""
        found, inner = [self], iter(self.capacity.inner)
        known = dict(zip(self.plan.disks(), self.disks, strict=True))
        for slot, member in enumerate(self.plan.members):
            if isinstance(member, Plan):
                disks = tuple(known[disk] for disk in member.disks())
                name = inner_name(self.name or self.plan.name, slot)
                found += Facts(member, next(inner), disks, name).arrays()
        return tuple(found)

    def redundant_disks(self) -> tuple[Disk, ...]:
        """The disks of arrays with redundancy, whichever they are in."""
        kept = [array.disks for array in self.arrays() if array.plan.level.is_redundant]
        return tuple(dict.fromkeys(disk for disks in kept for disk in disks))

    def named(self, ids: Iterable[str]) -> Message:
        """``a``, ``a and b``, ``a, b and 3 more``: enough to find the disks, short enough to read.

        By serial, which stands on the disk's label; by id where there is none.
        """
        serials = {disk.id: disk.serial for disk in self.disks}
        names = sorted({serials.get(disk_id) or disk_id for disk_id in ids})
        if len(names) > 2:
            return say("{first}, {second} and {count} more", first=names[0], second=names[1], count=len(names) - 2)
        return say("{disks:and}", disks=names)


Verify = Callable[[Facts], Iterator[Finding]]


def ids_of(disks: Iterable[Disk]) -> tuple[str, ...]:
    """The disks' ids, each once, in order."""
    return tuple(dict.fromkeys(disk.id for disk in disks))
