"""An array as reported: facts in one set of units, devices in their slots, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from raidwright.core.errors import InputError
from raidwright.core.messages import Message, say

FELL_OUT = (
    "{device} was slot {slot} and fell out of the array: its data are older ({events} events, the others have "
    "{newest}). It is left out; never take it in with --assume-clean."
)
DENIED = (
    "{device} was slot {slot} and fell out of the array: the others' superblocks record it as missing. It is left out; "
    "never take it in with --assume-clean."
)
FAILED = "{device} has failed, or was removed; it is left out."
OLDER = (
    "mdadm --detail of it is older than the superblocks ({older} and {newer}) and differs: {what}. The superblocks "
    "count."
)
_LEAVING_OUT = (FELL_OUT, DENIED, FAILED)


@dataclass(slots=True)
class Reported:
    """One array. ``unknown`` are the plan's fields that the report lacks, ``offsets`` sectors by path.

    ``unsaid`` is missing from the report, ``unplanned`` is in it but not supported by plans.
    """

    level: str = ""
    metadata: str = ""
    count: int | None = None
    uuid: str = ""
    name: str = ""
    node: str = ""
    layout: str = ""
    chunk_kib: int | None = None
    array_kib: int | None = None
    component_kib: int | None = None
    bitmap: str | None = ""  # "" for none, None if not reported
    bitmap_chunk_kib: int | None = None
    policy: str = ""
    slots: dict[int, str] = field(default_factory=dict)
    spares: list[str] = field(default_factory=list)
    journal: str = ""
    md_nodes: dict[str, str] = field(default_factory=dict)  # /dev/md41, by the path of a member that is an array
    sizes: dict[str, int] = field(default_factory=dict)  # bytes, by path
    offsets: dict[str, int] = field(default_factory=dict)  # sectors, by path
    sizeless: list[str] = field(default_factory=list)  # paths of disks whose size is a guess
    flags: dict[str, list[str]] = field(default_factory=dict)
    has_devices: bool = True
    unexamined: list[int] = field(default_factory=list)  # filled slots whose disks aren't in the report
    unknown: set[str] = field(default_factory=set)
    unsaid: list[Message] = field(default_factory=list)
    unplanned: list[Message] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The array's name in sentences."""
        return self.node or self.name.split(" (local to host")[0].strip() or self.uuid or str(say("the array"))

    @property
    def left_out(self) -> list[Message]:
        """The notes on devices that are in the report and not in the plan."""
        return [told for told in self.unplanned if told.template in _LEAVING_OUT]

    @property
    def outdated(self) -> list[Message]:
        """The notes on reports in the paste that are older than what the plan is made of."""
        return [told for told in self.unplanned if told.template == OLDER]

    def devices(self) -> list[str]:
        """Return the paths of all its devices."""
        return [*self.slots.values(), *self.spares, *filter(None, [self.journal])]

    def tell(self, template: str, /, **fields: object) -> None:
        """Add a note on something that plans don't support."""
        told = say(template, **fields)
        if told not in self.unplanned:
            self.unplanned.append(told)

    def tell_errors(self, path: str) -> None:
        """Add a note on a member with errors, which a Synology's kernel leaves in its place."""
        self.tell("{device} has had errors (E), by which a Synology calls the array crashed.", device=path)

    def take(self, slot: int, path: str) -> None:
        """Put ``path`` into ``slot``; raises InputError if another device has it."""
        if self.slots.setdefault(slot, path) != path:
            raise InputError(
                "{devices:and} both say that they are slot {slot}. Leave out the one that isn't the array's.",
                code="report-slots",
                devices=[self.slots[slot], path],
                slot=slot,
            )

    def add_spare(self, path: str) -> None:
        """Add a spare, once."""
        if path not in self.spares:
            self.spares.append(path)

    def flag(self, path: str, flags: Sequence[str] | frozenset[str]) -> None:
        """Add flags to a device."""
        for name in sorted(flags):
            paths = self.flags.setdefault(name, [])
            if path not in paths:
                paths.append(path)

    def flags_of(self, path: str) -> list[str]:
        """Return the flags of a device."""
        return [name for name, paths in self.flags.items() if path in paths]


def refuse_reshape(title: str, why: str) -> InputError:
    """Return the refusal of an array that is reshaping."""
    return InputError(
        "{array} is changing its shape ({why}): a part of the data is in the old shape and a part in the new, which no "
        "plan can say. Import it when mdadm --detail shows no reshape any more.",
        code="report-reshape",
        array=title,
        why=why,
    )


def refuse_cut(title: str, fact: str) -> InputError:
    """Return the refusal of a report without a line that mdadm always prints."""
    return InputError(
        "The report of {array} is cut short, or its lines are broken: it lacks “{fact}”. Paste all that mdadm prints.",
        code="report-cut",
        array=title,
        fact=fact,
    )


def refuse_inactive(title: str) -> InputError:
    """Return the refusal of an array that isn't running."""
    return InputError(
        "{array} is inactive: md has collected its disks and not started it, so its shape isn't in this report. "
        "Paste what mdadm --examine prints of its disks.",
        code="report-inactive",
        array=title,
    )
