"""Disks that don't exist: planned ones, their properties before buying, and how both they and a practice machine's are
recognised in a plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType

from raidwright.core.model.disk import Disk
from raidwright.core.units import size_text
from raidwright.reading.pool import PoolGroup, is_on_usb, kind_said, link_said, parse_pool

_ID = re.compile(r"disk-(\d+)")  # by-id names begin with a bus or a scheme: ata-, nvme-, wwn-
# A practice disk's WWN: NAA 6, which no disk has, with a maker's number, and a short serial filled up with zeros
# (lab/disks/identity.py).
_PRACTISED = re.compile(r"(?:wwn-0x|scsi-3)6(?:0014ee|000c50|000039|002538|000000)[0-9a-f]{10}0{15}")
_FASTER_RPM = 6000  # between 5400 and 7200
_NOBODY = Disk("", "", "", "", "", 0)
KINDS = MappingProxyType(  # facts of each kind; "" is a disk of unknown kind, only its size given
    {
        "": _NOBODY,
        "hdd7200": replace(_NOBODY, rotation_rpm=7200, bus="ata"),
        "hdd5400": replace(_NOBODY, rotation_rpm=5400, bus="ata"),
        "smr": replace(_NOBODY, rotation_rpm=5400, bus="ata", zoned=True),
        "ssd": replace(_NOBODY, rotation_rpm=0, bus="ata"),
        "nvme": replace(_NOBODY, rotation_rpm=0, bus="nvme"),
        "ssd-plp": replace(_NOBODY, rotation_rpm=0, bus="ata", power_loss_protection=True),
        "nvme-plp": replace(_NOBODY, rotation_rpm=0, bus="nvme", power_loss_protection=True),
    }
)

_SAID = {**KINDS, "hdd": replace(_NOBODY, rotation_rpm=-1, bus="ata")}  # by a pool's words


def is_imagined(disk_id: str) -> bool:
    """True if the id is of a planned disk, not of a machine's."""
    return _ID.fullmatch(disk_id) is not None


def is_practised(disk_id: str) -> bool:
    """True if the id is of a practice machine's disk."""
    return _PRACTISED.fullmatch(disk_id) is not None


def imagined_disks(pool: str, *, kind: str = "", model: str = "", after: int = 0) -> tuple[Disk, ...]:
    """Return the disks of a pool such as ``4x8TB+2x4TB:ssd``, with ids from ``after`` + 1.

    They are of ``kind`` where the pool doesn't say another, and of ``model``. Raises InputError as ``parse_pool`` and
    ``imagined_members``, whose notation this is.
    """
    groups = parse_pool(pool)
    each = enumerate((group for group in groups for _ in range(group.count)), start=after + 1)
    return tuple(replace(_disk(group, kind, number), id=f"disk-{number}", model=model) for number, group in each)


def _disk(group: PoolGroup, kind: str, number: int) -> Disk:
    said = kind_said(group)
    disk = replace(_SAID[said] if said else KINDS[kind], size_bytes=group.size_bytes, link=link_said(group, number))
    return replace(disk, bus="usb") if is_on_usb(group) else disk


def last_imagined(ids: tuple[str, ...]) -> int:
    """Return the highest number among the planned disks' ``ids``; 0 if there are none."""
    return max((int(found[1]) for one in ids if (found := _ID.fullmatch(one))), default=0)


def kind_of(disk: Disk) -> str:
    """Return the disk's kind by its name in ``KINDS``; "" if unknown."""
    if disk.rotation_rpm is None:
        return ""
    if disk.rotation_rpm == 0:
        return f"{'nvme' if disk.bus == 'nvme' else 'ssd'}{'-plp' if disk.power_loss_protection else ''}"
    if disk.zoned:
        return "smr"
    return "hdd5400" if 0 < disk.rotation_rpm < _FASTER_RPM else "hdd7200"


def pool_text(disks: Iterable[Disk]) -> str:
    """Return the pool of ``disks`` as text, in their order: ``4x8TB:hdd7200+2x1TB:ssd``."""
    groups = groupby(disks, key=lambda disk: (disk.size_bytes, kind_of(disk)))
    alike = ((size, name, sum(1 for _ in group)) for (size, name), group in groups)
    return "+".join(f"{count}x{size_text(size)}{name and f':{name}'}" for size, name, count in alike)
