"""Disks of an array that can start the computer by themselves: the EFI system partition, from which the firmware boots.

Source: UEFI specification, 13.3 (the firmware reads FAT partitions of this type, and knows nothing of md).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from raidwright.core.model.disk import Disk, Use, UseKind

_ESP_MOUNTS = frozenset({"/boot/efi", "/efi", "/boot"})


@dataclass(frozen=True, slots=True)
class BootRisk:
    """A computer whose root is on an array, and which one disk's loss keeps from starting.

    ``disk`` has the only EFI system partition, and is in the array if ``is_member``; None if no disk has one any more.
    """

    disk: Disk | None
    is_member: bool = False


def boot_risk(members: Collection[Disk], disks: Collection[Disk], *, is_efi: bool | None) -> BootRisk | None:
    """Return what the array's ``members``, of the computer's ``disks``, don't protect its start from.

    ``is_efi``: the firmware has started it by an EFI system partition; None if that isn't known. None where several
    disks have one, or the system's root isn't on the array.
    """
    if not any(map(holds_root, members)):
        return None
    if lone := lone_esp(members):
        return BootRisk(lone, is_member=True)
    if any(disk.has_esp for disk in members):
        return None
    others = [disk for disk in disks if disk.has_esp]
    used = [disk for disk in others if any(_is_mounted_esp(use) for use in disk.uses)]
    if len(used) == 1:
        return BootRisk(used[0])
    return BootRisk(None) if is_efi and not others else None


def _is_mounted_esp(use: Use) -> bool:
    return use.kind is UseKind.SYSTEM and use.detail in _ESP_MOUNTS


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
