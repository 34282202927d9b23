"""Disks of an array that can start the computer by themselves: the EFI system partition, from which the firmware boots.

Source: UEFI specification, 13.3 (the firmware reads FAT partitions of this type, and knows nothing of md).
"""

from __future__ import annotations

from collections.abc import Collection

from raidwright.core.model.disk import Disk, UseKind

ESP_TYPES = frozenset({"c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "0xef"})  # of a GPT, and of a DOS table


def holds_root(disk: Disk) -> bool:
    """Return whether the running system's root is on an array that ``disk`` is a member of."""
    members = {use.partition for use in disk.uses if use.kind is UseKind.ARRAY_MEMBER}
    return any(use.kind is UseKind.SYSTEM and use.detail == "/" and use.partition in members for use in disk.uses)


def lone_esp(disks: Collection[Disk]) -> Disk | None:
    """Return the one disk without which the computer doesn't start, of an array's ``disks`` that hold its root.

    None if the root isn't on them, several have an EFI system partition, or none: then they boot in another way.
    """
    with_esp = [disk for disk in disks if disk.has_esp]
    is_lone = len(disks) > 1 and len(with_esp) == 1 and any(map(holds_root, disks))
    return with_esp[0] if is_lone else None
