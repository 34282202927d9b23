"""What an array may be called, and how a disk is told from every other."""

from __future__ import annotations

import re

ARRAY_NAME = "[A-Za-z0-9_-]{1,32}"  # also as Qt's validators read it
_ARRAY = re.compile(ARRAY_NAME)
_DISK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+=-]{0,127}")


def is_array_name(text: str) -> bool:
    """Whether an array may be called so: what md's superblock holds, and no shell, file or bus reads as more."""
    return _ARRAY.fullmatch(text) is not None


def is_disk_id(text: str) -> bool:
    """Whether ``text`` can be a name below /dev/disk/by-id, and nothing that leads out of there."""
    return _DISK_ID.fullmatch(text) is not None
