"""An array in use with a free disk beside it, and what the helper says of it, for the walk that makes it bigger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.core.protocol.facts import ChangeGround
from raidwright.machine.values import Array, Snapshot

from . import sample, sample_shootout

MEMBERS = tuple(sample.disk(number) for number in range(4))
FREE = sample.disk(8, serial="ZR52E7H0")
PLAN = Plan(MdArray(Level.RAID5, tuple(disk.as_member() for disk in MEMBERS), "media", bitmap=Bitmap.INTERNAL))
CAPACITY = capacity_of(PLAN.top)
GROUND = ChangeGround("xfs", "/srv/media", "4.4", 0, CAPACITY.array_sectors, CAPACITY.array_sectors)


def media(plan: Plan = PLAN, **more: object) -> Array:
    """Return the running array “media” of ``plan``, mounted and nearly full."""
    array = sample_shootout.array_of(plan)
    assert array.facts is not None
    facts = replace(array.facts, used_bytes=21_200_000_000_000, file_system_bytes=CAPACITY.array_bytes)
    known: dict[str, object] = {"name": "media", "facts": facts, "mounted_at": "/srv/media", "link": "/dev/md/media"}
    return replace(array, **(known | more))  # type: ignore[arg-type]


def seen(*free: Disk, **more: object) -> Snapshot:
    """Return the machine with “media”, its disks, and those that are ``free``."""
    used = tuple(replace(disk, uses=(Use(UseKind.ARRAY_MEMBER, "media"),)) for disk in MEMBERS)
    return replace(sample.machine(), disks=(*used, *free), arrays=(media(PLAN, **more),))


def with_disks(snapshot: Snapshot, changes: Mapping[str, Mapping[str, object]]) -> Snapshot:
    """Return ``snapshot`` with ``changes`` of its disks, by id."""
    disks = tuple(replace(disk, **changes.get(disk.id, {})) for disk in snapshot.disks)  # type: ignore[arg-type]
    return replace(snapshot, disks=disks)
