"""File systems on arrays: which there are, what they may be called, and the one command that makes each.

Standard library only: the helper, which runs as root, imports this. No command says --force, so mkfs looks once more
whether something is there. None discards: that takes long on large arrays, and ``fstrim`` does it later.
"""

from __future__ import annotations

import re
from enum import StrEnum

from raidwright.core.errors import InputError
from raidwright.core.md.stripe import Stripe
from raidwright.core.model.names import is_array_name

_BLOCK_KIB = 4
_PLACE = re.compile(r"/(?:srv|mnt)/[A-Za-z0-9_][A-Za-z0-9_-]{0,31}")


class FileSystemKind(StrEnum):
    """What can be made; the values are libblkid's and fstab's names."""

    EXT4 = "ext4"
    XFS = "xfs"
    BTRFS = "btrfs"

    @property
    def longest_label(self) -> int:
        """How many letters a label may have: what the superblock holds, and no more than any name of ours."""
        return {FileSystemKind.EXT4: 16, FileSystemKind.XFS: 12, FileSystemKind.BTRFS: 32}[self]


def checked_kind(text: str) -> FileSystemKind:
    """The kind that ``text`` names; raises InputError."""
    if text not in set(FileSystemKind):
        known = ", ".join(FileSystemKind)
        raise InputError(
            "“{text}” is no file system to be made; there are {known}.", code="filesystem", text=text[:40], known=known
        )
    return FileSystemKind(text)


def checked_label(label: str, kind: FileSystemKind) -> str:
    """``label`` when ``kind`` can carry it, "" for none; raises InputError."""
    if label and not (is_array_name(label) and len(label) <= kind.longest_label):
        raise InputError(
            "The label of {kind} has at most {most} letters, digits, - and _.",
            code="label",
            kind=kind,
            most=kind.longest_label,
        )
    return label


def checked_place(text: str) -> str:
    """``text`` when it is a place where file systems may be mounted; raises InputError.

    One folder below /srv or /mnt, which only root can write to and where nothing of the system lies.
    """
    if not _PLACE.fullmatch(text):
        raise InputError(
            "A file system is mounted right below /srv or /mnt, in a folder of letters, digits, - and _, "
            "such as /srv/tank.",
            code="place",
        )
    return text


def mkfs_argv(
    kind: FileSystemKind, device: str, *, uuid: str, label: str = "", stripe: Stripe | None = None
) -> tuple[str, ...]:
    """The command that makes a file system on ``device``, with the array's stripe where it has one."""
    # fmt: off
    match kind:
        case FileSystemKind.EXT4:
            words = ["/usr/sbin/mkfs.ext4", "-q", "-b", str(_BLOCK_KIB * 1024), "-U", uuid, "-E", _ext4_options(stripe)]
        case FileSystemKind.XFS:
            words = ["/usr/sbin/mkfs.xfs", "-q", "-K", "-m", f"uuid={uuid}"]
            if stripe is not None:
                words += ["-d", f"su={stripe.unit_kib}k,sw={stripe.units}"]
        case FileSystemKind.BTRFS:  # it knows of no stripes below it
            words = ["/usr/sbin/mkfs.btrfs", "-q", "--nodiscard", "--uuid", uuid]
    # fmt: on
    return (*words, *(("-L", label) if label else ()), device)


def _ext4_options(stripe: Stripe | None) -> str:
    if stripe is None:
        return "nodiscard"
    blocks = stripe.unit_kib // _BLOCK_KIB
    return f"nodiscard,stride={blocks},stripe_width={blocks * stripe.units}"
