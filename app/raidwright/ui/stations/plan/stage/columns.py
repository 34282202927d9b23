"""The stage's columns: the disk in each, and the space that md reserves on it."""

from __future__ import annotations

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.layers.leaves import head_sectors, leaves
from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import binary_size, decimal_size, tr

from .picture import SlotColumn

_SHORT_LENGTH = 6


def columns_of(assessment: Assessment, absent: frozenset[str] = frozenset()) -> tuple[SlotColumn, ...]:
    """Return one column per member, those of nested arrays in sequence; ``absent`` are the ids of missing disks."""
    heads = head_sectors(assessment.plan.array, assessment.capacity)
    columns = []
    for (slot, disk), head in zip(leaves(assessment.plan.top), heads, strict=True):
        title = tr("Slot {slot}", slot=slot)
        if disk is None:
            columns.append(SlotColumn(slot, title, tr("empty"), "", head, tr("{slot}: left empty", slot=title)))
            continue
        reserved = tr("reserved · {size}", size=binary_size(head * 512))
        words = f"{disk.model} {disk.serial}\n{decimal_size(disk.size_bytes)}\n{disk.id}"
        is_absent = disk.id in absent
        name = tr("gone") if is_absent else short_serial(disk.serial or disk.id)
        words = tr("{disk}\nThis disk can't be taken now.", disk=words) if is_absent else words
        columns.append(SlotColumn(slot, title, name, reserved, head, words, is_absent))
    return tuple(columns)


def asides_of(plan: Plan) -> tuple[SlotColumn, ...]:
    """Return the column of the write journal, if ``plan`` has one; it holds no data of the array for long."""
    disk = plan.array.journal
    if disk is None:
        return ()
    hint = tr("{disk}\nEvery write reaches this disk first.", disk=f"{disk.model} {disk.serial}\n{disk.id}")
    return (SlotColumn(tr("J"), tr("Journal"), short_serial(disk.serial or disk.id), "", 0, hint),)


def short_serial(name: str) -> str:
    """Return the end of a serial number, which a disk's label has in print; short names (“disk-1”) whole."""
    return name if len(name) <= _SHORT_LENGTH else f"…{name[-4:]}"
