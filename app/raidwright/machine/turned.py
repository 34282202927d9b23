"""Conditions on a snapshot for the end of stopping, removing or starting an array."""

from __future__ import annotations

from collections.abc import Callable

from raidwright.core.model.disk import Disk, UseKind

from .values import Snapshot, with_inner

_LEFT = (UseKind.STOPPED_ARRAY_MEMBER, UseKind.STALE_ARRAY_MEMBER)

Turned = Callable[[Snapshot], bool]


def gone(before: Snapshot, uuid: str) -> Turned:
    """True once neither the array nor its inner arrays exist, and no disk has a stale superblock of them."""
    ours = with_inner(before, uuid)
    names = {array.name for array in before.arrays if array.uuid in ours}

    def is_left(disk: Disk) -> bool:
        return any(use.kind in _LEFT and use.detail in names for use in disk.uses)

    return lambda now: not any(array.uuid in ours for array in now.arrays) and not any(map(is_left, now.disks))


def stopped(before: Snapshot, uuid: str) -> Turned:
    """True once the array doesn't run and lacks no members beyond those it lacked before."""
    lacking = {lack.slot for array in before.arrays if array.uuid == uuid for lack in array.lacks}
    return lambda now: (
        not any(
            array.running or {lack.slot for lack in array.lacks} - lacking for array in now.arrays if array.uuid == uuid
        )
    )


def running(uuid: str) -> Turned:
    """True once the array runs."""
    return lambda now: any(array.running for array in now.arrays if array.uuid == uuid)
