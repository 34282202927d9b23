"""File systems for arrays: supported kinds, valid labels, and the mkfs command of each.

Standard library only: the helper, which runs as root, imports this. No command has --force, so mkfs checks again
for existing data. None discards: that takes long on large arrays, and ``fstrim`` does it later.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.errors import InputError, JobFailed
from raidwright.core.md.stripe import Stripe
from raidwright.core.model.names import is_array_name

MEASURED_LABEL = "rw-measured"  # of a file system that exists only while it is measured
MEASURED_MIN_BYTES = 2**30  # mkfs.xfs needs a log of 64 MiB in one of its at least four allocation groups
_BLOCK_KIB = 4
_MAX_LOG_UNIT_KIB = 256  # XLOG_MAX_RECORD_BSIZE
_PLACE = re.compile(r"/(?:srv|mnt)/[A-Za-z0-9_][A-Za-z0-9_-]{0,31}")
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


class FileSystemKind(StrEnum):
    """Supported file systems; the values are libblkid's and fstab's names."""

    EXT4 = "ext4"
    XFS = "xfs"
    BTRFS = "btrfs"

    @property
    def longest_label(self) -> int:
        """Maximum length of a label: the superblock's limit, and at most that of our array names."""
        return {FileSystemKind.EXT4: 16, FileSystemKind.XFS: 12, FileSystemKind.BTRFS: 32}[self]


ALIGNED_KINDS = (FileSystemKind.EXT4, FileSystemKind.XFS)  # those that can be aligned to stripes
MEASURED_KINDS = (*ALIGNED_KINDS, FileSystemKind.BTRFS)


def checked_kind(text: str) -> FileSystemKind:
    """Return the kind that ``text`` names; raises InputError."""
    if text not in set(FileSystemKind):
        known = ", ".join(FileSystemKind)
        raise InputError(
            "“{text}” is no file system to be made; there are {known}.", code="filesystem", text=text[:40], known=known
        )
    return FileSystemKind(text)


def checked_label(label: str, kind: FileSystemKind) -> str:
    """Return ``label`` if ``kind`` supports it, "" for none; raises InputError."""
    if label and not (is_array_name(label) and len(label) <= kind.longest_label):
        raise InputError(
            "The label of {kind} has at most {most} letters, digits, - and _.",
            code="label",
            kind=kind,
            most=kind.longest_label,
        )
    return label


_WITHOUT_REPLAY = {"xfs": "ro,norecovery", "btrfs": "ro,rescue=nologreplay"}


def options_without_replay(kind: str) -> str:
    """Return the options that mount a file system read-only without a replay of its log, which would write to it.

    Sources: ext4(5), noload; xfs(5), norecovery; btrfs(5), rescue.
    """
    return _WITHOUT_REPLAY.get(kind, "ro,noload")


def checked_place(text: str) -> str:
    """Return ``text`` if it is an allowed mount point; raises InputError.

    A folder directly below /srv or /mnt, where only root can write and no system files are.
    """
    if not _PLACE.fullmatch(text):
        raise InputError(
            "A file system is mounted right below /srv or /mnt, in a folder of letters, digits, - and _, "
            "such as /srv/tank.",
            code="place",
        )
    return text


def folder_called(name: str, *, most: int = 32) -> str:
    """Return a folder's name for the array ``name``, allowed as a mount point, of at most ``most`` characters.

    An array can be called by its UUID, or by any name that mdadm or another maker took.
    """
    return _OTHER.sub("-", name).strip("-")[:most].strip("-") or "array"


def mkfs_argv(
    kind: FileSystemKind, device: str, *, uuid: str, label: str = "", stripe: Stripe | None = None, aligned: bool = True
) -> tuple[str, ...]:
    """Return the command that makes a file system on ``device``, aligned to the array's stripe, if any.

    Without ``aligned`` it gets no stripe and doesn't detect one either: used to measure the effect of alignment.
    """
    # fmt: off
    match kind:
        case FileSystemKind.EXT4:
            options = _ext4_options(stripe, aligned=aligned)
            words = ["/usr/sbin/mkfs.ext4", "-q", "-b", str(_BLOCK_KIB * 1024), "-U", uuid, "-E", options]
        case FileSystemKind.XFS:
            words = ["/usr/sbin/mkfs.xfs", "-q", "-K", "-m", f"uuid={uuid}"]
            if not aligned:
                words += ["-d", "noalign"]
            elif stripe is not None:
                words += ["-d", f"su={stripe.unit_kib}k,sw={stripe.units}", "-l", f"su={_log_unit_kib(stripe)}k"]
        case FileSystemKind.BTRFS:  # doesn't support stripe alignment
            words = ["/usr/sbin/mkfs.btrfs", "-q", "--nodiscard", "--uuid", uuid]
    # fmt: on
    return (*words, *(("-L", label) if label else ()), device)


def _log_unit_kib(stripe: Stripe) -> int:
    """Return XFS's maximum log unit (256 KiB) that fits the stripe; mkfs.xfs defaults to 32 KiB."""
    return math.gcd(stripe.unit_kib, _MAX_LOG_UNIT_KIB)


def _ext4_options(stripe: Stripe | None, *, aligned: bool) -> str:
    if not aligned:  # of one block is of none (ext4_get_stripe_size), and keeps mke2fs from querying the device
        return "nodiscard,stride=1,stripe_width=1"
    if stripe is None:
        return "nodiscard"
    blocks = stripe.unit_kib // _BLOCK_KIB
    return f"nodiscard,stride={blocks},stripe_width={blocks * stripe.units}"


@dataclass(frozen=True, slots=True)
class Alignment:
    """A file system's stripe alignment in KiB; 0 for none. Only XFS aligns its log by itself."""

    unit_kib: int = 0
    width_kib: int = 0
    log_unit_kib: int = 0


def alignment_argv(kind: FileSystemKind, device: str) -> tuple[str, ...]:
    """Return the command that prints the alignment of ``device``'s file system; () for btrfs, which has none.

    xfs_info wraps xfs_db.
    """
    if kind is FileSystemKind.BTRFS:
        return ()
    if kind is FileSystemKind.EXT4:
        return ("/usr/sbin/dumpe2fs", "-h", device)
    return ("/usr/sbin/xfs_db", "-r", "-p", "xfs_info", "-c", "info", device)


def read_alignment(kind: FileSystemKind, output: str) -> Alignment:
    """Parse the alignment from the output of dumpe2fs or xfs_info; raises JobFailed if it can't be read."""
    if kind is FileSystemKind.EXT4:  # prints no line for a value that isn't set
        said = dict(re.findall(r"^(RAID stride|RAID stripe width|Block size): +(\d+)$", output, re.MULTILINE))
        block_kib = int(said.get("Block size", 0)) // 1024
        unit, width = (int(said.get(name, 0)) for name in ("RAID stride", "RAID stripe width"))
        found = None if not block_kib else Alignment(unit * block_kib, width * block_kib) if unit > 1 else Alignment()
    else:
        block = re.search(r"^data .*?bsize=(\d+)", output, re.MULTILINE)
        data = re.search(r"sunit=(\d+) +swidth=(\d+) blks", output)
        log = re.search(r"sunit=(\d+) blks, lazy-count", output)
        found = None
        if block and data and log:
            block_kib = int(block[1]) // 1024
            found = Alignment(int(data[1]) * block_kib, int(data[2]) * block_kib, int(log[1]) * block_kib)
    if found is None:
        raise JobFailed("What {kind} says of its stripe can't be read.", code="alignment", kind=kind)
    return found
