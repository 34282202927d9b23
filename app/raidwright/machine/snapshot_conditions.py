"""Conditions on a snapshot for the end of stopping, removing or starting an array."""

from __future__ import annotations

from collections.abc import Callable, Collection

from raidwright.core.model.disk import UseKind

from .values import Snapshot, with_inner

_LEFT = (UseKind.STOPPED_ARRAY_MEMBER, UseKind.STALE_ARRAY_MEMBER)

Turned = Callable[[Snapshot], bool]


def gone(before: Snapshot, *uuids: str) -> Turned:
    """True once neither the arrays nor their inner arrays exist, and no disk has a stale superblock of them."""
    ours = frozenset().union(*(with_inner(before, uuid) for uuid in uuids))
    names = {array.name for array in before.arrays if array.uuid in ours}
    return lambda now: not any(array.uuid in ours for array in now.arrays) and not _is_left(now, names)


def stopped(before: Snapshot, *uuids: str) -> Turned:
    """True once the arrays don't run and lack no members beyond those they lacked before."""
    lacking = {(array.uuid, lack.slot) for array in before.arrays for lack in array.lacks}
    return lambda now: (
        not any(
            array.running or {(array.uuid, lack.slot) for lack in array.lacks} - lacking
            for array in now.arrays
            if array.uuid in uuids
        )
    )


def running(uuid: str) -> Turned:
    """True once the array runs."""
    return lambda now: any(array.running for array in now.arrays if array.uuid == uuid)


def brought_back(uuid: str) -> Turned:
    """True once the array runs, and no disk counts as left over of it: UDisks2 notices each some time later."""
    return lambda now: any(
        array.running and not _is_left(now, {array.name}) for array in now.arrays if array.uuid == uuid
    )


def _is_left(now: Snapshot, names: Collection[str]) -> bool:
    return any(use.kind in _LEFT and use.detail in names for disk in now.disks for use in disk.uses)
